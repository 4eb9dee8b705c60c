"""Definition files are installed, clean, name their models and apply; programs are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.files import DENIED, Unreadable
from verify.course.checks.setup import (
    DefinitionFile,
    applies_to_every_prompt,
    are_clean,
    are_installed,
    has_folder,
    has_program,
    name_their_models,
    write_and_are_waited_for,
)
from verify.grading.model import PASSED, Finding, Outcome, Verdict, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.grading.artifacts import Context
    from verify.grading.model import Exercise

    AttemptOn = Callable[..., Context]


WORKER = DefinitionFile("agent", "x-worker")
GIT = DefinitionFile("agent", "x-git")
RULE = DefinitionFile("rule", "x-planner-first")
SKILL = DefinitionFile("skill", "x-pipeline-artifact-io")

NOT_INSTALLED = "this definition is not installed"
NOT_ALWAYS = failed(
    Finding(
        *("the rule does not apply to every prompt", "alwaysApply: true"),
        file=RULE.path,
        action="Write alwaysApply: true.",
    )
)
AGENT_TEXT = "---\nname: {name}\ndescription: Works\nmodel: inherit\n---\n\nDo the work.\n"
RULE_TEXT = "---\ndescription: Plan\nglobs:\nalwaysApply: true\n---\n\nPlan first.\n"
SKILL_TEXT = "---\nname: x-pipeline-artifact-io\ndescription: When to use\n---\n\nWrite it there.\n"
CLEAN = {
    WORKER.path: AGENT_TEXT.format(name="x-worker"),
    GIT.path: AGENT_TEXT.format(name="x-git"),
    RULE.path: RULE_TEXT,
    SKILL.path: SKILL_TEXT,
}


@pytest.mark.spec("1.4", "3.3")
@pytest.mark.parametrize(
    "text",
    [
        RULE_TEXT.replace("alwaysApply: true", "alwaysApply: false"),
        RULE_TEXT.replace("alwaysApply: true", 'alwaysApply: "true"'),
        "Plan first.\n",
    ],
    ids=["false", "a string", "no front matter"],
)
def test_a_rule_that_does_not_always_apply_is_named(context_on: AttemptOn, text: str) -> None:
    assert applies_to_every_prompt(RULE)(context_on({RULE.path: text})) == NOT_ALWAYS


def test_a_definition_that_cannot_be_read_is_not_clean_and_has_no_effect(
    context_on: AttemptOn,
) -> None:
    denied = {RULE.path: Unreadable(DENIED, "cannot be read: permission denied")}

    assert write_and_are_waited_for(WORKER)(context_on({})) is PASSED
    assert applies_to_every_prompt(RULE)(context_on({})) == NOT_ALWAYS
    assert are_clean(RULE)(context_on({}, unreadable=denied)) == failed(
        Finding("cannot be read: permission denied", file=RULE.path)
    )


def test_a_definition_is_read_as_utf8_with_or_without_a_mark(context_on: AttemptOn) -> None:
    assert are_clean(RULE)(context_on({RULE.path: "\ufeff" + RULE_TEXT})) is PASSED
    assert are_clean(RULE)(context_on({RULE.path: b"---\n\xff\n---\n"})) == failed(
        Finding("this is not UTF-8 text", "UTF-8", file=RULE.path)
    )


@pytest.mark.spec("1.19", "1.20")
@pytest.mark.parametrize(
    ("version", "found"), [((19, 9), "19.9"), ((3, 20), "3.20"), (None, "none on PATH")]
)
def test_an_older_or_missing_program_is_named_and_no_newer_one(
    context_on: AttemptOn, version: tuple[int, int] | None, found: str
) -> None:
    check = has_program("node", (20, 0))

    assert check(context_on({}, versions={"node": (20, 0)})) is PASSED
    assert check(context_on({}, versions={"node": (100, 0)})) is PASSED
    assert check(context_on({}, versions={"node": version})) == failed(
        Finding(
            *("node is missing or too old", "node 20.0 or newer", found),
            action="Install node 20.0 or newer, and open a new terminal.",
        )
    )


@pytest.mark.spec("1.21")
def test_a_missing_folder_is_named_with_its_place(
    context_on: AttemptOn, toy_exercise: Callable[..., Exercise]
) -> None:
    check, exercise = has_folder("node_modules"), toy_exercise(target="sandbox")
    there = context_on({"sandbox/node_modules/a/package.json": "{}"}, exercise=exercise)
    message, expected = "node_modules is missing or empty", "the installed dependencies"

    assert check(there) is PASSED
    assert check(context_on({}, exercise=exercise)) == failed(
        Finding(
            *(message, expected, "nothing", "sandbox/node_modules"),
            action="Run npm ci in the folder sandbox.",
        )
    )


WORKER_TEXT = CLEAN[WORKER.path]
NEVER_CLOSED = WORKER_TEXT.replace("inherit\n---\n", "inherit\n")


@pytest.mark.parametrize(
    ("file", "wrong", "action"),
    [
        (WORKER, WORKER_TEXT.replace(" inherit", " "), "Write `model: inherit`, or a model's id."),
        (WORKER, WORKER_TEXT.replace("model:", "model ="), "Write `model: inherit`."),
        (WORKER, WORKER_TEXT.replace("model:", "models:"), "Rename models to model."),
        (WORKER, WORKER_TEXT.replace("model:", "Model:"), "Rename Model to model."),
        (WORKER, NEVER_CLOSED, "Add a line `---` below line 4."),
        (
            *(WORKER, f"```markdown\n{WORKER_TEXT}```\n"),
            "Remove the first line, and the line ``` at the end.",
        ),
        (
            *(WORKER, WORKER_TEXT.replace("model: inherit\n", "")),
            "Add the line `model: inherit` to the front matter, or a model's id.",
        ),
    ],
)
def test_m8_each_fault_of_an_agent_has_one_action(
    context_on: AttemptOn, file: DefinitionFile, wrong: str, action: str
) -> None:
    verdicts = [
        check(file)(context_on({file.path: wrong})) for check in (are_clean, name_their_models)
    ]

    assert {finding.action for each in verdicts for finding in each.findings} == {action}
    assert verdicts[1] is not PASSED
    assert name_their_models(file)(context_on({file.path: WORKER_TEXT})) is PASSED


def test_m8_an_agent_that_is_not_text_names_no_model(context_on: AttemptOn) -> None:
    assert name_their_models(WORKER)(context_on({WORKER.path: b"---\n\xff\n---\n"})) == failed(
        Finding("this is not UTF-8 text", "UTF-8", file=WORKER.path)
    )


@pytest.mark.parametrize(("word", "right"), [("yes", "true"), ('"true"', "true"), ("no", "false")])
def test_m8_a_word_for_a_truth_is_written_as_one(
    context_on: AttemptOn, word: str, right: str
) -> None:
    text = RULE_TEXT.replace("alwaysApply: true", f"alwaysApply: {word}")
    (finding,) = are_clean(RULE)(context_on({RULE.path: text})).findings
    corrected = RULE_TEXT.replace("alwaysApply: true", f"alwaysApply: {right}")

    assert finding.action == f"Write `alwaysApply: {right}`."
    assert are_clean(RULE)(context_on({RULE.path: corrected})) is PASSED


NESTED = [".cursor/.cursor", ".cursor/cursor", "cursor", "sandbox/.cursor", "ide-pack/.cursor"]


@pytest.mark.parametrize("wrong", NESTED)
def test_m8_a_pack_in_the_wrong_folder_is_one_finding_of_three_checks(
    context_on: AttemptOn, wrong: str
) -> None:
    files = {wrong + path.removeprefix(".cursor"): text for path, text in CLEAN.items()}
    context, agents = context_on(files), (WORKER, GIT)
    (finding,) = are_installed(*agents)(context).findings
    rule = are_installed(RULE, before={"P01.1": agents})
    skill = are_installed(SKILL, before={"P01.1": (), "P01.4": (RULE,)})
    worker = f"{wrong}/agents/x-worker.md"
    apart = context_on({p: t for p, t in files.items() if p != worker} | {WORKER.path: "---"})

    assert finding.action == f"Move everything in {wrong} to .cursor, and remove {wrong}."
    assert rule(context) == Verdict(Outcome.SKIP, waits_for="P01.1")
    assert skill(context) == Verdict(Outcome.SKIP, waits_for="P01.4")
    assert are_installed(RULE, before={"P01.1": (WORKER,)})(apart).outcome is Outcome.FAIL
    assert rule(context_on({})).outcome is Outcome.FAIL


@pytest.mark.parametrize("wrong", [".cursor/.cursor", ".cursor/cursor", "cursor"])
def test_m8_a_pack_in_the_wrong_folder_is_one_finding(context_on: AttemptOn, wrong: str) -> None:
    files = {f"{wrong}/agents/{each.name}.md": WORKER_TEXT for each in (WORKER, GIT)}
    action = f"Move everything in {wrong} to .cursor, and remove {wrong}."

    assert are_installed(WORKER, GIT)(context_on(files)) == failed(
        Finding(NOT_INSTALLED, "a regular file", wrong, WORKER.path, action=action)
    )


@pytest.mark.parametrize("ending", [".md", ".txt", ".mdc.md"])
def test_m8_a_rule_with_a_different_ending_is_to_be_renamed(
    context_on: AttemptOn, ending: str
) -> None:
    place = f".cursor/rules/x-planner-first{ending}"
    action = f"Rename {place} to x-planner-first.mdc."

    assert are_installed(RULE)(context_on({place: RULE_TEXT})) == failed(
        Finding(NOT_INSTALLED, "a regular file", place, RULE.path, action=action)
    )


def test_m8_definitions_that_are_nowhere_are_named_each(context_on: AttemptOn) -> None:
    assert [each.action for each in are_installed(WORKER, GIT)(context_on({})).findings] == [
        "Copy x-worker.md from the IDE pack to this path.",
        "Copy x-git.md from the IDE pack to this path.",
    ]
