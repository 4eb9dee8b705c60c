"""The first action on each problem of an artifact is safe to follow literally."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipeline.protocol.advice import problem_of
from pipeline.protocol.validate import validate
from pipeline.schema import KINDS

PLAN: dict[str, Any] = {
    "affected_files": ["src/app.js"],
    "steps": [{"order": 1, "file": "src/app.js", "description": "Write the route"}],
}
RESULT: dict[str, Any] = {"status": "completed", "files_changed": ["a.js"], "blockers": []}
RESULT["summary"] = "Adds the route"
GIT = {"branch": "feature/a", "commit_sha": "0123abc", "commit_message": "feat: x"}
TEXT = json.dumps(PLAN, indent=2)
FENCED = f"Here it is:\n\n```json\n{TEXT}\n```\n"


def actions(kind: str, text: str) -> list[str]:
    found = validate(text.encode("utf-8", "surrogatepass"), KINDS[kind])
    return [problem.action for problem in found.problems]


def renamed(kind: str, holder: dict[str, Any], *fields: str) -> list[str]:
    """Return, for each missing field, the key that it is said to be; empty for none."""
    found = []
    for field in fields:
        path = ("steps", 0, field) if field in ("order", "file") else (field,)
        error = {"type": "missing", "loc": path, "input": holder}
        action = problem_of(error, KINDS[kind].example).action
        found.append(action.split('"')[1] if action.startswith("Rename ") else "")
    return found


@pytest.mark.parametrize(
    ("kind", "holder", "fields", "keys"),
    [
        ("worker-result", {"ci_status": "green"}, ["produced_by", "status"], ["", ""]),
        ("worker-result", {"id": "1"}, ["status", "summary", "produced_by"], ["", "", ""]),
        ("worker-result", {"note": "x"}, ["status", "summary", "produced_by"], ["", "", ""]),
        ("worker-result", {"lines_changed": []}, ["files_changed"], [""]),
        ("worker-result", {"Files Changed": []}, ["files_changed"], ["Files Changed"]),
        ("worker-result", {"filesChanged": []}, ["files_changed"], ["filesChanged"]),
        ("worker-result", {"changed-files": []}, ["files_changed"], ["changed-files"]),
        ("worker-result", {"sumary": "x"}, ["summary", "status"], ["sumary", ""]),
        ("plan", {"line": "x", "time": "y"}, ["file"], [""]),
        ("plan", {"filename": "x", "file_size": "y"}, ["file"], ["filename"]),
        ("plan", {"step": "first"}, ["order"], [""]),  # not a number: not the same thing
        ("plan", {"step": 1, "index": 0}, ["order"], [""]),  # one of two
        ("plan", {"affectd_files": [], "step": []}, ["affected_files", "steps"], 2 * ["?"]),
        ("git-result", {"sha": "0123abc", "message": "feat: x"}, ["commit_sha"], ["sha"]),
        ("git-result", {"ci_url": "https://x.org"}, ["pr_url", "branch"], ["", ""]),
        ("git-result", {"parent_sha": "0123abc"}, ["commit_sha"], [""]),
    ],
)
def test_m1_a_key_is_renamed_only_if_its_name_is_like_the_fields(
    kind: str, holder: dict[str, Any], fields: list[str], keys: list[str]
) -> None:
    expected = list(holder) if keys[0] == "?" else keys

    assert renamed(kind, holder, *fields) == expected


NUMBERED = TEXT.split("\n")


@pytest.mark.parametrize(
    ("text", "action"),
    [
        (TEXT[1:], "Write { at the start of the file."),
        *(
            ("".join(f"{sign(n)}{line}\n" for n, line in enumerate(NUMBERED, start=1)), action)
            for sign, action in (
                ("{:6}\t".format, "Remove the line number, such as 2, at the start of each line."),
                ("{}→".format, "Remove the line number, such as 2→, at the start of each line."),
                ("{} | ".format, "Remove the line number, such as 2 |, at the start of each line."),
                ("{}: ".format, "Remove the line number, such as 2:, at the start of each line."),
                (lambda _: "+", "Remove the + at the start of each line."),
                (lambda _: "> ", "Remove the > at the start of each line."),
            )
        ),
        (FENCED, "Remove everything before the first {."),
        (f"The [plan] of {{x}}:\n{TEXT}", "Remove everything before the { in line 2."),
        (f"{TEXT}\nThat is all: 4 files.", "Remove everything from here on."),
        (f"{TEXT}\n}}", "Remove this }."),
        (TEXT.replace('],\n  "steps"', ']},\n  "steps"'), "Remove this }."),
        (TEXT.replace("],", "},", 1), "Write ] in place of this }."),
        (TEXT.replace("    }\n  ]", "  ]"), "Write } before this ]."),
        (TEXT.replace("    }\n  ]", "    }}\n  ]"), "Remove this }."),
        (TEXT[:-2], "Write } at the end of the file."),
        (TEXT[: TEXT.index("    }")], "Have the whole file written again."),
        (TEXT.replace("Write the", '"Write the').replace('route"', "route\n"), "?"),
        (TEXT.replace("the route", "the\nroute"), "Write \\n in place of the line break"),
        (TEXT.replace('order"', "order"), 'Write " before the colon.'),
        (TEXT.replace('file"', "file”"), 'Write " at the beginning and the end of each'),
    ],
)
def test_m2_what_is_to_be_removed_or_written_is_never_a_part_of_the_document(
    text: str, action: str
) -> None:
    found = actions("plan", text)

    assert len(found) == 1
    assert found[0].startswith(action) or (action == "?" and "Remove" not in found[0])


FIND_OUT = (
    'Find out where the string ends: write \\" for a quote within it, and remove what is not part'
    " of it."
)


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ('"description": "Write the "old" route"', 'Write \\" for a quote within a string.'),
        ('"description": "Write the \\"old" route"', 'Write \\" for a quote within a string.'),
        ('"description": "Write the 5" route"', FIND_OUT),
        ('"description": "x"Write the route"', FIND_OUT),  # two strings in one
        ('"description"x": "Write the route"', FIND_OUT),
    ],
)
def test_m2_a_quote_without_its_pair_may_be_the_end_of_the_string(line: str, action: str) -> None:
    text = TEXT.replace('"description": "Write the route"', line)

    assert actions("plan", text) == [action]


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("{\n", "", 1).replace('"affected_files"', "affected_files"),
        "affected_files: [a]\nsteps:\n  - {order: 1, file: a}\n",
        f"{TEXT}\n{TEXT}",
        f"{TEXT}\n\nThe result:\n{json.dumps(RESULT)}",
        TEXT.replace('"steps": [', '"steps": [ ...'),
        TEXT.replace('"steps": [', '"steps": [ /* … */'),
        f'{TEXT[:-1]}, "steps": []}}',
        f"<<<<<<< HEAD\n{TEXT}\n=======\n{TEXT}\n>>>>>>> x\n",
        TEXT.replace("]", "", 1),
        TEXT[: len(TEXT) // 2],
    ],
)
def test_m2_what_only_the_author_can_decide_is_left_to_the_author(text: str) -> None:
    begin: tuple[str, ...] = (
        "Write the document as",
        "Write several",
        "Save what else",
        "Write what is left out",
    )
    begin += ("Decide which", "Find out which", "Have the whole", "Write keys with their values")

    assert actions("plan", text)[0].startswith(begin)


@pytest.mark.parametrize(
    ("kind", "field", "text", "action"),
    [
        ("plan", "order", "True", "Write the number of the step, without quotes."),
        ("plan", "file", "None", "Write the path of the one file that this object is about."),
        ("worker-result", "summary", "None", "Write one line about the work."),
        ("worker-result", "summary", "undefined", "Write one line about the work."),
        ("worker-result", "reviewed", "True", "Write true in place of True."),
        ("worker-result", "reviewed", "None", "Write null in place of None."),
        ("git-result", "commit_sha", "3f1c9ab", 'Write "3f1c9ab".'),
        ("git-result", "commit_sha", "0012345", 'Write "0012345".'),
        ("git-result", "commit_sha", "31415926", "Write the number in double quotes."),
        (
            "git-result",
            "branch",
            '"origin/feature/a"',
            "Remove origin/ from the start of the name.",
        ),
        ("git-result", "branch", '"feature/a "', 'Write "feature/a".'),
        ("git-result", "branch", '"\u200bfeature/a"', 'Write "feature/a".'),
        ("git-result", "pr_url", "null", "Leave pr_url out if no pull request is open."),
    ],
)
def test_m5_a_value_of_another_kind_is_replaced_by_what_belongs_there(
    kind: str, field: str, text: str, action: str
) -> None:
    document: Any = {"plan": PLAN, "worker-result": RESULT, "git-result": GIT}[kind]
    step = {**PLAN["steps"][0], field: "?"} if kind == "plan" else {}
    changed = {**document, "steps": [step]} if step else {**document, field: "?"}

    assert actions(kind, json.dumps(changed).replace('"?"', text)) == [action]


@pytest.mark.parametrize(
    ("path", "action"),
    [
        (None, "Leave the step out if it changes no file; otherwise, write the path of the one "),
        (["a.js", "b.js"], "Write a step for each of these files."),
        ("./src/app.js", "Remove ./ from the start of each path."),
        ("src\\app.js", "Write / in place of each \\ in the paths."),
        ("/home/ada/src/app.js", "Write each path from the target project's folder on, without"),
        ("C:\\work\\app.js", "Write each path from the target project's folder on, without"),
        ("src/", "Write the path of each file in this folder, in place of the folder."),
        ("../app.js", "Write the path of a file in the target project."),
        ("src//app.js", "Write only one / between two names."),
        ("", "Write the path of a file in the target project."),
    ],
)
def test_m9_a_path_is_corrected_by_what_is_wrong_with_it(path: Any, action: str) -> None:
    step = {"order": 1, "file": path, "description": "x"}
    found = actions("plan", json.dumps({**PLAN, "steps": [step]}))

    assert len(found) == 1
    assert found[0].startswith(action)


@pytest.mark.parametrize(
    ("label", "action"),
    [
        ("AC01_x", 'Rename "AC01_x" to "AC1_x".'),
        ("ac-2 : no store", 'Rename "ac-2 : no store" to "AC2_no_store".'),
        ("AC-1", "Write _ and a short name of the criterion behind AC1."),
        ("AC1", "Write _ and a short name of the criterion behind AC1."),
        ("status", "Write AC, the number of the criterion, _ and a short name."),
        ("AC0_x", "Write AC, the number of the criterion, _ and a short name."),
    ],
)
def test_m9_a_label_is_corrected_by_what_is_wrong_with_it(label: str, action: str) -> None:
    document = {**PLAN, "acceptance_mapping": {label: "src/app.js"}}

    assert actions("plan", json.dumps(document)) == [action]


@pytest.mark.parametrize(
    ("text", "action"),
    [
        (json.dumps([PLAN]), "Remove the [ ] around the document."),
        (json.dumps(TEXT), "Remove the quotes around the document, and the \\ before each quote"),
        (json.dumps({"plan": PLAN, "ok": True}), 'Keep only what is in "plan".'),
        (json.dumps({"content": TEXT}), 'Keep only what is in "content".'),
        (json.dumps({"r": {"content": [{"text": TEXT}]}}), "Keep only what is in $.r.content[0]."),
        (json.dumps({"plan": PLAN, "result": RESULT}), 'Copy what is in "plan" to a file of its'),
        (json.dumps({"plan": PLAN, "produced_by": "x"}), 'Copy what is in "plan" to a file of'),
        (json.dumps({"a": [{"b": TEXT}, {"b": "{}"}]}), "Copy what is in $.a[0].b to a file of"),
        (json.dumps(GIT), "Save it as git-result.json, and write a plan into this file."),
    ],
)
def test_m2_what_is_around_a_document_goes_only_if_it_says_nothing(text: str, action: str) -> None:
    found = actions("plan", text)

    assert len(found) == 1
    assert found[0].startswith(action)
