"""The contract, shown by documents: each fixture is valid or has the problems beside it."""

from __future__ import annotations

import json
import os
import re
import time
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT
from pipeline.protocol.patterns import PATTERNS, no_path
from pipeline.protocol.validate import Kind, kind_of, main, validate
from pipeline.schema import KINDS
from tests.stubs.clock import slowness
from tools.published import json_schema_of

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.protocol.problems import Problem

Output = tuple[int, str, str]
ARTIFACTS = os.path.join(ROOT, "fixtures", "artifacts")
WORKER = {"status": "blocked", "files_changed": ["a"], "blockers": [], "summary": "Done"}
GIT = {"branch": "feature/a", "commit_sha": "0123abc", "commit_message": "feat: x"}
PLAN = {
    "affected_files": ["a"],
    "steps": [{"order": 1, "file": "a", "description": "Write it"}],
    "acceptance_mapping": {"AC1_a": "a"},
}
SINGLE: dict[
    str, tuple[str, str, dict[str, Any]]
] = {  # the field that has each form, and an artifact around it
    "text": ("worker-result", "status", WORKER),
    "summary": ("worker-result", "summary", WORKER),
    "branch": ("git-result", "branch", GIT),
    "commit-sha": ("git-result", "commit_sha", GIT),
    "commit-message": ("git-result", "commit_message", GIT),
    "pr-url": ("git-result", "pr_url", GIT),
}


def names(folder: str, ending: str = ".json") -> list[str]:
    """Return the names of a folder's fixtures, without their ending."""
    found = sorted(os.listdir(os.path.join(ARTIFACTS, folder)))
    return [name.removesuffix(ending) for name in found if name.endswith(ending)]


def kind_in(name: str) -> str:
    """Return the kind that the name of a fixture begins with: `plan-full` is a plan."""
    return next(kind for kind in KINDS if name.startswith(f"{kind}-"))


@pytest.fixture
def output(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that validates a fixture and returns the exit code and what is said."""
    monkeypatch.chdir(ARTIFACTS)

    def run(folder: str, name: str, profile: str = "core") -> Output:
        words = ["--validate", f"{folder}/{name}.json", "--kind", kind_in(name)]
        return (main(KINDS, [*words, "--profile", profile]), *capsys.readouterr())

    return run


@pytest.mark.spec("2.2.3", "2.2.6", "2.2.9", "2.2.11", "2.3.6", "2.4.9", "2.5.21", "2.5.23")
@pytest.mark.spec("2.5.4", "2.5.5", "2.5.6", "2.5.7", "2.5.8", "2.5.9", "4.10", "9.2")
@pytest.mark.parametrize("name", names("valid"))
def test_a_valid_fixture_prints_ok(output: Any, name: str) -> None:
    notes = ""
    if os.path.exists(path := os.path.join(ARTIFACTS, "valid", f"{name}.expected")):
        with open(path, encoding="utf-8") as file:
            notes = file.read()

    assert output("valid", name) == (0, "OK\n", notes)


@pytest.mark.spec("2.2.1", "2.2.2", "2.2.3", "2.2.4", "2.2.5", "2.2.6", "2.2.7", "2.2.8", "2.2.9")
@pytest.mark.spec("2.2.10", "2.2.11", "2.2.12", "2.2.14", "2.2.15", "2.2.16", "7.2", "7.3")
@pytest.mark.spec("2.3.1", "2.3.3", "2.3.5", "2.3.6", "2.3.7", "2.3.8", "3.8", "7.4")
@pytest.mark.spec("2.4.1", "2.4.2", "2.4.4", "2.4.5", "2.4.6", "2.4.7", "2.4.8", "2.4.10")
@pytest.mark.spec("2.5.1", "2.5.4", "2.5.5", "2.5.6", "2.5.7", "2.5.8", "2.5.9", "7.5")
@pytest.mark.parametrize("name", names("invalid"))
def test_an_invalid_fixture_is_reported_in_the_lines_beside_it(output: Any, name: str) -> None:
    with open(os.path.join(ARTIFACTS, "invalid", f"{name}.expected"), encoding="utf-8") as file:
        expected = file.read()

    assert output("invalid", name) == (1, "", expected)


def test_every_fixture_has_its_expectation_and_every_kind_its_fixtures() -> None:
    assert names("invalid", ending=".expected") == names("invalid")
    assert {kind_in(name) for name in names("valid")} == set(KINDS)
    assert {kind_in(name) for name in names("invalid")} == set(KINDS)


@pytest.mark.parametrize(
    ("kind", "fields", "notes"),
    [
        (
            "worker-result",
            {"status": "done"},
            ["the work is not completed, and no blocker says why"],
        ),
        ("worker-result", {"status": "done", "blockers": ["no network"]}, []),
        ("worker-result", {"status": "completed", "produced_by": "x-worker-fast"}, []),
        *(
            ("git-result", {"commit_message": f"{kind}: x", "produced_by": "x-git"}, notes)
            for kind, notes in [
                *((usual, []) for usual in ("feat", "Fix", "docs(api)", "refactor!", "test")),
                *((unusual, ["this type is unusual"]) for unusual in ("WIP", "feature", "i18n")),
            ]
        ),
        *(
            (kind, {"produced_by": name}, ["no agent of this name writes such an artifact"])
            for kind, name in (("plan", "x-worker"), ("plan", "me"), ("git-result", "x-worker"))
        ),
        ("plan", {"produced_by": "x-subplanner"}, []),
    ],
)
def test_t5_what_is_probably_not_meant_is_noted_and_accepted(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    kind: str,
    fields: dict[str, Any],
    notes: list[str],
) -> None:
    around: dict[str, dict[str, Any]] = {
        "plan": PLAN,
        "worker-result": {**WORKER, "produced_by": "x-worker"},
        "git-result": GIT,
    }
    file = tmp_path / f"{kind}.json"
    file.write_text(json.dumps({**around[kind], **fields}))
    code = main(KINDS, ["--profile", "exercise", "--validate", str(file)])
    output, errors = capsys.readouterr()

    assert (code, output) == (0, "OK\n")
    assert re.findall(r": note: ([^(]+) \(", errors) == notes
    if "produced_by" in fields:  # only the exercises ask who wrote it
        assert main(KINDS, ["--validate", str(file)]) == 0
        assert "produced_by" not in capsys.readouterr().err


@pytest.mark.spec("2.2.13", "2.2.17", "2.3.9", "2.4.10", "2.5.21", "2.5.22")
def test_the_exercise_profile_requires_more_fields_of_the_core_fixtures(output: Any) -> None:
    missing = {
        name: re.findall(r"\$\.(\w+): this field is missing", output("valid", name, "exercise")[2])
        for name in names("valid")
        if name.endswith(("-core", "-full"))
    }

    assert missing == {
        "classifications-full": [],
        "git-result-core": ["produced_by"],
        "git-result-full": [],
        "plan-core": ["acceptance_mapping", "produced_by"],
        "plan-full": [],
        "review-result-core": ["produced_by"],
        "review-result-full": [],
        "test-result-full": [],
        "worker-result-core": ["produced_by"],
        "worker-result-full": [],
    }


def artifact(rule: str, value: str) -> tuple[str, dict[str, Any]]:
    """Return the kind and the value of an artifact with a text where it must have a form."""
    if rule == "path":
        return "worker-result", {**WORKER, "files_changed": [value]}
    if rule == "criterion-label":
        return "plan", {**PLAN, "acceptance_mapping": {value: "a"}}
    kind, field, around = SINGLE[rule]
    return kind, {**around, field: value}


def problems_of(kind: str, document: dict[str, Any]) -> tuple[Problem, ...]:
    """Return what is wrong with a document of a kind."""
    return validate(json.dumps(document).encode(), KINDS[kind]).problems


@pytest.fixture(scope="module")
def forms() -> dict[str, dict[str, list[str]]]:
    with open(os.path.join(ARTIFACTS, "forms.json"), encoding="utf-8") as file:
        found: dict[str, dict[str, list[str]]] = json.load(file)
    return found


@pytest.mark.spec("2.2.2", "2.2.7", "2.2.12", "2.2.14", "2.3.8", "2.4.2", "2.4.5", "2.4.7", "2.4.8")
@pytest.mark.parametrize("rule", [shape.rule for shape in PATTERNS.values()])
def test_a_form_accepts_the_right_examples_and_refuses_the_wrong_ones(
    forms: dict[str, dict[str, list[str]]], rule: str
) -> None:
    right, wrong = forms[rule]["right"], forms[rule]["wrong"]
    found = {}
    for value in (*right, *wrong):
        kind, document = artifact(rule, value)
        result = validate(json.dumps(document).encode(), KINDS[kind])
        found[value] = [(problem.rule, bool(problem.action)) for problem in result.problems]

    refused = [(rule, True)]
    assert found == {value: [] if value in right else refused for value in (*right, *wrong)}


@pytest.mark.parametrize("rule", SINGLE)
def test_a_published_pattern_accepts_the_same_examples(
    forms: dict[str, dict[str, list[str]]], rule: str
) -> None:
    kind, field, _ = SINGLE[rule]
    pattern = json_schema_of(KINDS[kind])["properties"][field]["pattern"]
    accepted = [
        value for each in forms[rule].values() for value in each if re.search(pattern, value)
    ]

    assert accepted == forms[rule]["right"]


@pytest.mark.parametrize(
    "page",
    [
        *(
            "o/r/pull/new/feature/x",
            "o/r/pull/new/7",
            "o/r/compare",
            "o/r/compare/main...x?expand=1",
        ),
        *("o/r/tree/feature/x", "o/r/pulls", "o/r/pulls?q=a", "o/r/commit/0123abc", "o/r.git"),
        *("o/r/src/branch/x", "o/r/blob/x/a.js", "o/r/branches", "o/r/pull-requests/new?source=x"),
        *(
            "g/s/p/-/merge_requests/new?merge_request%5Bsource_branch%5D=x",
            "g/s/p/-/merge_requests",
        ),
        *("g/p/merge_requests/new", "g/s/p/-/tree/x", "g/s/p/-/compare/main...x"),
        *("o/p/_git/r/pullrequestcreate?sourceRef=x", "o/p/_git/r?version=GBx"),
        *("", "o/r", "o", "o/r/", "?tab=x", "o/r/pull", "o/r/pull/", "o/r/pull/0", "o/r/pull/00"),
        *("o/r/pull/TBD", "o/r/pull/N/files", "o/r/pulls/create", "o7/r7/pull/TBD"),
        *("o/r7/pull-requests/?state=OPEN", "g/p/-/merge_requests/TBD", "o/p/_git/r/pullrequest"),
        *("o/r/issues/5", "git/o/r/issues/5", "g/s/p/-/issues/5", "g/p/-/issues", "browse/AB-7"),
        *("o/p/_workitems/edit/5", "git/o/r/tree/v7", "o/r/actions/runs/7", "o/r/wiki/7"),
        *("https://github.com/o/r7", "https://www.github.com/o7", "https://gitlab.com/g/s/p7"),
        *("https://github.com/o/r/tree/pull/7", "https://github.com/o/r/compare/pull/7"),
        *("https://github.com/o/r/pull/7x", "https://docs.github.com/7", "http://gitlab.x.org/g7"),
        *("https://github.com/o/r/issues/5#7", "https://codeberg.org/o/r/issues/5"),
        *("https://bitbucket.org/o/r7/branches", "https://dev.azure.com/o/p/_git/r7"),
    ],
)
def test_t5_a_page_that_opens_a_request_or_shows_something_else_is_not_a_pull_request(
    page: str,
) -> None:
    url = page if page.startswith("http") else f"https://git.example.org/{page}"
    result = {**GIT, "pr_url": url}
    problems = problems_of("git-result", result)

    assert [(p.rule, p.path, p.message, p.action) for p in problems] == [
        (
            "pr-url",
            ("pr_url",),
            "this is not the page of a pull request",
            "Copy the URL once the pull request is open, or leave pr_url out.",
        )
    ]


@pytest.mark.parametrize(
    "part", [":1-1", "{a,", ",", "a b ", " ", "a/", ".a ", " (", "word ", "-", "a b/", "add ", "%A"]
)
def test_t5_a_long_text_is_no_more_than_a_path_in_linear_time(part: str) -> None:
    for beginning in ("", "{", "A a", "a ", "add "):
        text = f"{beginning}{part * (100_000 // len(part))} b"
        started = time.process_time()
        no_path(text)

        assert time.process_time() - started < 0.5 * slowness()


ONLY = "Write only the path of one file, or leave this entry out."
NO_PATH = {
    "None": ("this is a placeholder, not a path", ONLY),
    "src/…/a.ts": ("a part of this path is left out", "Write the whole path."),
    ".git/config": (
        "this is in the folder of git itself",
        "Write the path of a file of the work, or leave this entry out.",
    ),
    **dict.fromkeys(
        ("git~1/a.js", "src/GIT~1", ".git./a.js", ".GIT /a.js", "a/.git::$INDEX_ALLOCATION/b"),
        (
            "this is a name that git keeps for its own folder",
            "Use another name, or leave this entry out.",
        ),
    ),
    "src/a\x07.ts": (
        "this is not a path in the project",
        "Write the path without the line break or control character in it.",
    ),
    "src/a.ts@HEAD": (
        "this is a file at a revision of git",
        "Write the path alone, without the revision.",
    ),
    "+src/a.ts": (
        "this is a line of a diff or a list",
        "Write the path without the mark before it.",
    ),
    "src/a.ts ": (
        "this path has a blank or an invisible character at an end",
        'Write "src/a.ts".',
    ),
    "src/\u200ba.ts": (
        "this path has an invisible character",
        "Write the path without the invisible character.",
    ),
    "https://x.org/a.ts": (
        "this is not a path in the project",
        "Write the path of the file in the target project, in place of its URL.",
    ),
    "https:/x.org/a.ts": (
        "this is a URL, not a path",
        "Write the path of the file in the target project, in place of its URL.",
    ),
    "src/a.ts - the route": ("this is more than a path", ONLY),
}


@pytest.mark.parametrize("path", NO_PATH)
def test_t5_what_surely_is_no_path_is_refused_with_its_cause(path: str) -> None:
    problems = problems_of("worker-result", {**WORKER, "files_changed": [path]})

    assert [(p.rule, p.message, p.action) for p in problems] == [("path", *NO_PATH[path])]


def test_t5_completed_work_that_changes_no_file_is_refused() -> None:
    nothing: dict[str, Any] = {**WORKER, "files_changed": []}
    problems = problems_of("worker-result", {**nothing, "status": "completed"})

    assert problems_of("worker-result", nothing) == ()
    assert [(p.rule, p.path, p.message, p.expected, p.action) for p in problems] == [
        (
            "files",
            ("files_changed",),
            "completed work lists no file",
            "the path of each changed file",
            "Write the path of each file that the work changed, or a different status.",
        )
    ]


SHOWN = "Write the name as git branch --show-current prints it: git allows no "
RENAME = "Rename the branch (git branch -m) so that "
SAYS_WHY = {
    "feature/x.lock": f"{SHOWN}part that ends with .lock.",
    "feature/a b": f"{SHOWN}blanks.",
    "feature/a..b": f"{SHOWN}.. // @{{ ~ ^ : ? * [ \\ in it, and no . or / at an end.",
    "feature/ü": f"{RENAME}it has only letters from A to Z, without accents, and write its new"
    " name.",
    "feature/#7": f"{RENAME}it has only letters, digits, and . _ / or - between them, and write its"
    " new name.",
    "feature/a--b": f"{RENAME}each . _ / or - is between two letters or digits, and write its new"
    " name.",
    "main": "Put the work on such a branch, and write its name.",
    "feat(): x": "Write the scope in the ( ), or leave the ( ) out.",
    "feat(a: x": "Write the scope in one pair of ( ), directly before the colon.",
    "feat!(a): x": "Write the ! behind the ( ).",
    "feat : x": "Write the colon directly behind the type, without a blank.",
    "feat: ": "Write the description behind the colon.",
    "feat:  x": "Write the description behind the colon and one space.",
    "add x": "Begin with a type, a colon and one space: the first line has no such colon.",
    "ABC-7: x": "Begin with a type of change in place of the issue's id.",
    "✨ feat: x": "Begin with a type of change: nothing is before it.",
    '"feat: x"': "Write the message without the quotes around it.",
}


@pytest.mark.parametrize("text", SAYS_WHY)
def test_t5_m9_a_branch_or_a_message_that_is_wrong_is_told_what_is_wrong(text: str) -> None:
    is_branch = text.startswith(("feature/", "main"))
    found = problems_of("git-result", {**GIT, "branch" if is_branch else "commit_message": text})

    assert [problem.action for problem in found] == [SAYS_WHY[text]]


@pytest.mark.parametrize("files", [["a.js", "b.js", "a.js"], ["caf\u00e9.js", "cafe\u0301.js"]])
def test_t5_a_file_is_listed_once(files: list[str]) -> None:
    found = {}
    for kind, document in (
        ("worker-result", {**WORKER, "files_changed": files}),
        ("plan", {**PLAN, "affected_files": [*files, "a"]}),
    ):
        problems = problems_of(kind, document)
        found[kind] = [(p.path, p.message) for p in problems if p.message.endswith("in the list")]

    message = "this file is already in the list"
    last = len(files) - 1
    assert found == {
        "worker-result": [(("files_changed", last), message)],
        "plan": [(("affected_files", last), message)],
    }


@pytest.mark.parametrize(
    "path", [".pipeline/ISSUE-7/plan.json", "sandbox/.pipeline/AB-1/worker-result.json"]
)
def test_t5_an_artifact_is_neither_planned_nor_reported(path: str) -> None:
    plan = {
        "affected_files": [path],
        "steps": [{"order": 1, "file": path, "description": "Write it"}],
        "acceptance_mapping": {"AC1_a": path},
    }
    result = {**WORKER, "files_changed": [path]}
    documents: dict[str, dict[str, Any]] = {"worker-result": result, "plan": plan}
    found = {
        kind: [(p.rule, p.message, p.action) for p in problems_of(kind, document)]
        for kind, document in documents.items()
    }

    message, action = "this is an artifact of the pipeline", f'Remove every entry for "{path}".'
    assert found == {
        "worker-result": [("path", message, action)],
        "plan": [("path", f"{message}, in 3 places", action)],
    }


@pytest.mark.parametrize(
    "path", [".pipeline/config.yml", "pipeline/ISSUE-7/plan.json", "plan.json"]
)
def test_a_file_of_the_work_may_be_called_like_an_artifact(path: str) -> None:
    assert problems_of("worker-result", {**WORKER, "files_changed": [path]}) == ()


@pytest.mark.parametrize("member", ['"x": {"a": 1, "a": 2}', '"x": 1e400', '"x": "\\ud800"'])
def test_a_document_with_two_meanings_or_none_has_no_other_problem(member: str) -> None:
    result = validate(f'{{"status": 1, {member}}}'.encode(), KINDS["worker-result"])

    assert result.value is None
    assert [problem.rule for problem in result.problems] == ["json"]


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        *((f".pipeline/ISSUE-7/{name}.json", name) for name in KINDS),
        ("docs/expert/tutorials/outputs/01-classifications.json", "classifications"),
        ("out/03-worker-result.json", "worker-result"),
        ("ISSUE-7_plan.json", "plan"),
        *((name, None) for name in ("", "aplan.json", "planning.json", "plan.json/other.json")),
    ],
)
def test_a_file_name_tells_the_kind_of_artifact_or_none(file: str, kind: str | None) -> None:
    assert kind_of(file, KINDS) == (KINDS[kind] if kind else None)


@pytest.mark.spec("1.12", "2.1.2")
def test_the_kinds_are_listed_by_their_names() -> None:
    assert {name: kind.ending for name, kind in KINDS.items()} == {
        "plan": "plan.json",
        "worker-result": "worker-result.json",
        "git-result": "git-result.json",
        "classifications": "classifications.json",
        "test-result": "test-result.json",
        "review-result": "review-result.json",
    }


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_the_example_of_a_kind_is_valid_and_has_every_field(kind: Kind) -> None:
    validation = validate(json.dumps(kind.example).encode(), kind, "exercise")
    record = kind.example[0] if isinstance(kind.example, list) else kind.example

    assert validation.problems == ()
    assert list(record) == list(_fields(json_schema_of(kind)))


def _fields(schema: dict[str, Any]) -> dict[str, Any]:
    if schema["type"] == "object":
        found: dict[str, Any] = schema["properties"]
        return found
    (record,) = schema["$defs"].values()
    return _fields(record)
