"""Definition files are installed, clean, name their models and apply; programs are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.files import DENIED, Unreadable
from verify.checks.setup import (
    DefinitionFile,
    applies_to_every_prompt,
    are_clean,
    has_folder,
    has_program,
    write_and_are_waited_for,
)
from verify.model import PASSED, Finding, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.artifacts import Context
    from verify.model import Exercise

    AttemptOn = Callable[..., Context]


WORKER = DefinitionFile("agent", "x-worker")
GIT = DefinitionFile("agent", "x-git")
RULE = DefinitionFile("rule", "x-planner-first")
SKILL = DefinitionFile("skill", "x-pipeline-artifact-io")

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
