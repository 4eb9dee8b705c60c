"""The IDE pack in .cursor/: usable as it is, and in agreement with the protocol and the tiers."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pipeline.agents.definitions import read_definition
from pipeline.bootstrap import ROOT
from pipeline.protocol.agreement import COMPLETED, GIVEN_UP
from pipeline.protocol.layout import ARTIFACTS, GIT_RESULT, PLAN, WORKER_RESULT
from pipeline.protocol.validate import kind_of, validate
from pipeline.run.answers import APPROVED, BLOCKED, CHANGES, findings_of, verdict_of
from pipeline.run.context import Run
from pipeline.run.stages import STAGES
from pipeline.run.stages.review import REVIEW
from pipeline.schema import KINDS
from pipeline.tiers import ROUTING
from verify.course.checks.setup import DefinitionFile
from verify.course.exercises.practitioner.ex01_setup import AGENTS as REQUIRED_AGENTS
from verify.course.exercises.practitioner.ex01_setup import RULES, SKILL

if TYPE_CHECKING:
    from pipeline.agents.definitions import Document

FAST = "composer-2.5[fast=true]"
MODELS = {
    "x-git": "inherit",
    "x-planner": "inherit",
    "x-reviewer": "inherit",
    "x-reviewer-fast": FAST,
    "x-subplanner": "inherit",
    "x-worker": "inherit",
    "x-worker-fast": FAST,
}
WRITES = {
    "x-planner": PLAN,
    "x-subplanner": PLAN,
    "x-worker": WORKER_RESULT,
    "x-worker-fast": WORKER_RESULT,
    "x-git": GIT_RESULT,
}
COMMAND = "python3 pipeline/schema.py --profile exercise --validate <path>"

AGENTS = tuple(DefinitionFile("agent", name) for name in MODELS)
FILES = (*AGENTS, *RULES, SKILL)
SOLVED = Path(ROOT, "fixtures", "submissions", "practitioner", "01-setup", "solved", "sandbox")

_BLOCK = re.compile(r"^```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ARTIFACT = re.compile("|".join(map(re.escape, ARTIFACTS)))
_NAME = re.compile(r"(?<![\w-])x-[a-z]+(?:-[a-z]+)*(?![\w-])")


class Example(NamedTuple):
    """A JSON example of a definition; `artifact` is the one that the text above it names last."""

    definition: str
    artifact: str
    text: str


def text_of(file: DefinitionFile, folder: str | Path = ROOT) -> str:
    return Path(folder, file.path).read_text(encoding="utf-8")


def read(file: DefinitionFile) -> Document:
    return read_definition(text_of(file))


def section(text: str, title: str) -> str:
    """Return what stands under a heading of the second level, up to the next one."""
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def examples_in(file: DefinitionFile) -> list[Example]:
    text = text_of(file)
    return [
        Example(file.name, _ARTIFACT.findall(text, 0, block.start())[-1], block[1])
        for block in _BLOCK.finditer(text)
    ]


INSTALLED = [file for file in FILES if Path(ROOT, file.path).is_file()]  # all: the first test
EXAMPLES = [example for file in INSTALLED for example in examples_in(file)]


@pytest.mark.spec("1.2")
def test_the_pack_is_seven_agents_two_rules_and_a_skill_and_nothing_else() -> None:
    pack = Path(ROOT, ".cursor")
    found = {path.relative_to(ROOT).as_posix() for path in pack.rglob("*") if path.is_file()}

    assert found == {file.path for file in FILES}


@pytest.mark.spec("1.16", "1.22")
def test_every_agent_inherits_its_model_but_the_fast_ones() -> None:
    assert {file.name: read(file).values["model"] for file in AGENTS} == MODELS


@pytest.mark.spec("1.4", "3.3")
def test_only_the_planner_rule_applies_to_every_prompt() -> None:
    applied = {file.name: read(file).values["alwaysApply"] for file in RULES}

    assert applied == {"x-planner-first": True, "x-tier-routing": False}


@pytest.mark.spec("1.3", "1.4", "3.3", "4.3")
def test_the_planner_rule_delegates_the_specifications_prompt_to_the_planner() -> None:
    body = read(RULES[0]).body
    (form,) = re.findall(r"^```text\n(.*?)\n```$", body, re.MULTILINE | re.DOTALL)

    assert form == "work on issue <issue_id>: <task description>"
    assert re.findall(r"`subagent_type` set to `([\w-]+)`", body) == ["x-planner"]


@pytest.mark.spec("1.15", "1.23")
def test_the_routing_table_of_the_rule_is_the_pipelines() -> None:
    table = section(text_of(RULES[1]), "Routing")
    rows = re.findall(r"^\| `(\w+)` \|([^|]*)\|", table, re.MULTILINE)

    assert [(tier, tuple(_NAME.findall(agents))) for tier, agents in rows] == list(ROUTING.items())


@pytest.mark.spec("1.6", "1.8", "1.10", "1.12", "2.2.16", "2.2.18", "2.3.10", "2.4.11")
@pytest.mark.parametrize(("name", "artifact"), WRITES.items(), ids=list(WRITES))
def test_an_agent_that_writes_names_its_artifact_its_marker_and_the_validation(
    name: str, artifact: str
) -> None:
    text = text_of(DefinitionFile("agent", name))
    markers = re.findall(r'"produced_by": "([^"]*)"', text)
    folder = "<target project>/.pipeline/<issue_id>/"

    assert [part for part in (artifact, folder, f"`{COMMAND}`") if part not in text] == []
    assert markers == [name]


@pytest.mark.spec("4.8")
@pytest.mark.parametrize("name", WRITES)
def test_an_agent_that_writes_may_write_no_artifact_of_another_stage(name: str) -> None:
    (rule,) = re.findall(
        r"^(?:- )?Never write ([^.;,]*\.json` or `[^.;,]*\.json)`",
        text_of(DefinitionFile("agent", name)).replace("or mend ", ""),
        re.MULTILINE,
    )

    assert set(_ARTIFACT.findall(rule)) == set(ARTIFACTS) - {WRITES[name]}


@pytest.mark.spec("1.5", "1.7", "1.9", "3.1", "3.4")
def test_the_planners_stages_come_in_the_specifications_order() -> None:
    stages = section(text_of(DefinitionFile("agent", "x-planner")), "Stages")

    assert re.findall(r"^(\d)\. \*\*(\w+)\.\*\*", stages, re.MULTILINE) == [
        ("1", "Plan"),
        ("2", "Implement"),
        ("3", "Publish"),
    ]
    assert re.findall(r"\b[Dd]ispatch `([\w-]+)`", stages) == [
        *("x-subplanner", "x-worker", "x-reviewer", "x-git")
    ]
    assert list(dict.fromkeys(_ARTIFACT.findall(stages))) == list(ARTIFACTS)


@pytest.mark.spec("4.5", "4.6", "4.27")
def test_the_planner_hands_over_what_the_specification_asks_for() -> None:
    dispatch = section(text_of(DefinitionFile("agent", "x-planner")), "How you dispatch")
    (call,) = re.findall(r"^```text\n(.*?)\n```$", dispatch, re.MULTILINE | re.DOTALL)

    assert call == (
        "subagent_type: x-subplanner\n"
        "prompt:\n"
        "  Issue: <issue_id>, <issue title>\n"
        "  Acceptance criteria: <each one, with its label>\n"
        "  Target project: <path>\n"
        "  Write: <target project>/.pipeline/<issue_id>/plan.json with affected_files, steps,\n"
        "  acceptance_mapping and produced_by."
    )


def test_the_agents_write_the_artifacts_that_the_runner_expects_of_them() -> None:
    found = {
        stage.role(tier): stage.artifact
        for stage in STAGES
        for tier in ROUTING
        if stage.artifact in ARTIFACTS
    }

    assert found == WRITES


@pytest.mark.parametrize("file", [*AGENTS, SKILL], ids=lambda file: file.name)
def test_the_workers_statuses_are_those_that_the_runner_knows(file: DefinitionFile) -> None:
    (line,) = re.findall(r"^- `status`: ((?:.+\n)(?:  .+\n)*)", text_of(file), re.MULTILINE) or [""]
    statuses = (COMPLETED, "blocked", *GIVEN_UP)
    named = {word for word in re.findall(r"`(\w+)`", line) if word in statuses}

    is_of_a_worker = file.name in ("x-worker", "x-worker-fast", SKILL.name)
    assert named == (set(statuses) if is_of_a_worker else set())


@pytest.mark.parametrize("tier", ROUTING)
def test_a_reviewer_answers_in_the_form_that_the_runner_reads(tier: str) -> None:
    text = text_of(DefinitionFile("agent", REVIEW.role(tier)))
    (form,) = re.findall(r"`(<file>:<line>: <severity>: [^`]+)`", text.replace("\n", " "))
    filled = {"<file>": "src/a.js", "<line>": "3", "<severity>": "critical"}
    line = reduce(lambda said, part: said.replace(*part), filled.items(), form)

    assert [word for word in (APPROVED, CHANGES, BLOCKED) if f"`{word}`" not in text] == []
    assert [verdict_of(word) for word in (APPROVED, CHANGES)] == [APPROVED, CHANGES]
    (finding,) = findings_of(f"{CHANGES}\n{line}")
    assert (finding["file"], finding["line"], finding["severity"]) == ("src/a.js", 3, "critical")


def test_the_planner_sends_back_and_escalates_as_often_and_for_what_the_runner_does() -> None:
    text = " ".join(text_of(DefinitionFile("agent", "x-planner")).split())
    usual: dict[str, Any] = {field.name: field.default for field in fields(Run)}
    numbers = {2: "twice", 3: "three"}

    assert f"the reviewer asked for changes {numbers[usual['rounds'] + 1]}" in text
    assert f"the tests fail after {numbers[usual['attempts']]} turns" in text
    assert f"The status is {' or '.join(f'`{status}`' for status in GIVEN_UP)}" in text


def test_the_examples_are_one_an_agent_that_writes_and_all_kinds_in_the_skill() -> None:
    assert sorted((example.definition, example.artifact) for example in EXAMPLES) == [
        ("x-git", GIT_RESULT),
        ("x-pipeline-artifact-io", GIT_RESULT),
        ("x-pipeline-artifact-io", PLAN),
        ("x-pipeline-artifact-io", WORKER_RESULT),
        ("x-pipeline-artifact-io", WORKER_RESULT),
        ("x-subplanner", PLAN),
        ("x-worker", WORKER_RESULT),
        ("x-worker-fast", WORKER_RESULT),
    ]


@pytest.mark.spec("1.12")
@pytest.mark.parametrize(
    "example", EXAMPLES, ids=[f"{e.definition}-{number}" for number, e in enumerate(EXAMPLES)]
)
def test_an_example_is_an_artifact_that_validates(example: Example) -> None:
    kind = kind_of(example.artifact, KINDS)
    assert kind is not None

    assert validate(example.text.encode(), kind, "exercise").problems == ()


def test_the_command_of_the_skill_accepts_the_skills_own_plan(tmp_path: Path) -> None:
    (line,) = re.findall(r"^```sh\n(.*?)\n```$", text_of(SKILL), re.MULTILINE | re.DOTALL)
    plan = tmp_path / PLAN
    plan.write_text(next(e.text for e in EXAMPLES if e[:2] == (SKILL.name, PLAN)))

    words = [{"python3": sys.executable, "<path>": str(plan)}.get(w, w) for w in line.split()]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)

    assert line == COMMAND
    assert (done.returncode, done.stdout, done.stderr) == (0, "OK\n", "")


def test_the_solved_set_up_is_the_pack_without_what_the_exercise_does_not_ask_for() -> None:
    asked = (*REQUIRED_AGENTS, *RULES, SKILL)
    installed = {
        path.relative_to(SOLVED).as_posix(): path.read_bytes()
        for path in (SOLVED / ".cursor").rglob("*")
        if path.is_file()
    }

    assert installed == {file.path: Path(ROOT, file.path).read_bytes() for file in asked}
