"""What the specification says of agents and machines, held against the pack and the packages."""

from __future__ import annotations

import ast
import json
import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from verify.course.exercises.practitioner.ex01_setup import EXERCISE
from verify.grading.artifacts import Context
from verify.grading.runner import grade
from verify.submissions.submission import open_folder

if TYPE_CHECKING:
    from pipeline.terminal.programs import Version

SOLVED = os.path.join(ROOT, "fixtures", "submissions", "practitioner", "01-setup", "solved")
HOST: dict[str, Version | None] = {"python": (3, 10), "node": (20, 0), "git": (2, 0)}
SERVERS = {"http.server", "socketserver", "wsgiref", "xmlrpc"}
NETWORK = {
    *("asyncio", "ftplib", "httpx", "imaplib", "poplib", "requests", "smtplib", "socket"),
    *("ssl", "urllib3"),
}
SPEAKERS = ("pipeline/forges/", "pipeline/drivers/", "pipeline/agents/clients/")
SERVICE = "verify/running/"  # it speaks to a submission's service, over a socket of its own
BUCKETS = "verify/intake/remote"  # submissions at an address that an instructor names
DOCTOR = "pipeline/commands/doctor.py"  # tells which of them are set, never what they are
CLIENTS = "pipeline/agents/clients/"  # which variables a client gets
VARIABLE = re.compile("[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
CREDENTIALS = {"keyring", "netrc"}
ASKED = re.compile(r"getpass\.getpass|getpass import")
SECRET = re.compile("token|passw|secret|credential|api.?key", re.IGNORECASE)


def words_of(path: str) -> str:
    """Return a text of the pack on one line."""
    return " ".join(Path(ROOT, ".cursor", path).read_text(encoding="utf-8").split())


def section(path: str, title: str) -> str:
    """Return what stands under a heading of a text of the pack, on one line."""
    text = Path(ROOT, ".cursor", path).read_text(encoding="utf-8")
    return " ".join(text.partition(f"\n## {title}\n")[2].partition("\n## ")[0].split())


@cache
def trees() -> dict[str, ast.Module]:
    """Return the syntax of each module of the packages, by its path relative to the root."""
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for package in ("pipeline", "verify")
        for path in sorted(Path(ROOT, package).rglob("*.py"))
    }


def imports(tree: ast.Module) -> set[str]:
    """Return what a module imports: the names, and the packages that they stand in."""
    names = {
        name
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [f"{node.module}"]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    return names | {name.partition(".")[0] for name in names}


def places_of(wanted: set[str]) -> set[str]:
    """Return the modules that import one of the wanted, relative to the root."""
    return {path for path, tree in trees().items() if imports(tree) & wanted}


@pytest.mark.parametrize(
    ("program", "version", "outcome"),
    [
        pytest.param("python", (3, 9), "fail", marks=pytest.mark.spec("1.18"), id="Python 3.9"),
        pytest.param("python", (3, 10), "pass", marks=pytest.mark.spec("1.18"), id="Python 3.10"),
        pytest.param("node", (19, 9), "fail", marks=pytest.mark.spec("1.19"), id="Node.js 19"),
        pytest.param("node", (20, 0), "pass", marks=pytest.mark.spec("1.19"), id="Node.js 20"),
        pytest.param("git", None, "fail", marks=pytest.mark.spec("1.20"), id="no git"),
        pytest.param("git", (2, 0), "pass", marks=pytest.mark.spec("1.20"), id="git"),
    ],
)
def test_the_set_up_asks_for_the_programs_that_are_needed(
    program: str, version: Version | None, outcome: str
) -> None:
    code = {"python": "P01.9", "node": "P01.10", "git": "P01.11"}[program]
    with open_folder(SOLVED) as submission:
        host = {**HOST, program: version}.get
        report = grade(Context(EXERCISE, submission, None, host))
    outcomes = {result.check.code: result.outcome.value for result in report.results}

    assert outcomes[code] == outcome


@pytest.mark.spec("1.18", "1.19")
def test_the_projects_declare_the_versions_that_are_needed() -> None:
    sandbox = json.loads(Path(ROOT, "sandbox", "package.json").read_text(encoding="utf-8"))
    ours = Path(ROOT, "pyproject.toml").read_text(encoding="utf-8")

    assert re.findall(r'^requires-python = "(.*)"$', ours, re.MULTILINE) == [">=3.10"]
    assert sandbox["engines"] == {"node": ">=20"}


@pytest.mark.spec("1.24")
def test_the_subplanner_reads_the_skill_that_says_where_the_plan_is_written() -> None:
    where = section("skills/x-pipeline-artifact-io/SKILL.md", "Where")

    assert "Read the skill `x-pipeline-artifact-io`" in words_of("agents/x-subplanner.md")
    assert re.findall(r"`(\S*\.pipeline/\S*)`", where.replace("<target project>", "<target>")) == [
        "<target>/.pipeline/<issue_id>/",
        "<root>/.pipeline/<issue_id>/",
        "sandbox/.pipeline/<issue_id>/",
    ]


@pytest.mark.spec("2.5.10")
def test_the_rule_weighs_the_six_signals() -> None:
    signals = section("rules/x-tier-routing.mdc", "Signals")

    assert re.findall(r"- \*\*([a-z ]+)\*\*:", signals) == [
        *("file count", "domain scope", "mechanical", "new abstractions", "security"),
        "concurrency",
    ]


@pytest.mark.spec("1.14", "1.23", "2.5.19", "2.5.20")
def test_the_rule_decides_mechanical_work_first_and_access_control_second() -> None:
    rule = section("rules/x-tier-routing.mdc", "Rule")
    tiers = re.findall(r"(\d)\. [^`]*? (?:is|are) `(\w+)`", rule)

    assert "1. A purely mechanical task, such as a rename, is `trivial`, however many files" in rule
    assert "2. Authentication or authorization that needs new abstractions is `complex`" in rule
    assert tiers == [
        *(("1", "trivial"), ("2", "complex"), ("3", "complex"), ("4", "trivial")),
        ("5", "standard"),
    ]


@pytest.mark.spec("1.9", "1.10", "1.11", "3.2", "3.4", "3.5", "3.6", "3.7", "3.8", "5.1")
@pytest.mark.parametrize(
    ("path", "title", "words"),
    [
        ("x-planner.md", "How you dispatch", r"done when its file exists and this prints `OK`"),
        ("x-planner.md", "How you dispatch", r"schema.py --profile exercise --validate <path>`$"),
        (
            "x-planner.md",
            "Stages",
            r"\*\*Publish\.\*\* Only after `completed` and an approving review",
        ),
        (
            "x-planner.md",
            "When it cannot continue",
            r"`escalate` or `failed`.*next tier.*the status is `blocked`, stop and report the bl",
        ),
        (
            "x-git.md",
            "What to do",
            r"Continue only if this prints `OK` and the `status` is `completed`",
        ),
        ("x-git.md", "What to do", r"`feature/<slug>`.*`<type>: <description>`.*one pull request"),
        ("x-git.md", "What to do", r"one pull request.*Write `git-result.json`"),
        ("x-git.md", "When you cannot publish", r"Never [^.]*\bmerge\b"),
        ("x-git.md", "When you cannot publish", r"Never [^.]*\bwrite a credential anywhere\b"),
    ],
)
def test_an_agent_reads_what_the_specification_says(path: str, title: str, words: str) -> None:
    assert re.search(words, section(f"agents/{path}", title))
    assert "a pull request that a person reviews" in words_of("agents/x-planner.md")


@pytest.mark.spec("4.1", "4.2", "6.1")
def test_nothing_listens_on_a_network() -> None:
    assert places_of(SERVERS) == set()


@pytest.mark.spec("4.2", "5.1")
def test_only_the_forge_with_an_api_and_the_agents_driver_speak_to_anybody() -> None:
    found = places_of(NETWORK | {"urllib.request"})

    assert {path for path in found if not path.startswith((*SPEAKERS, SERVICE, BUCKETS))} == set()
    assert {path for path in found if path.startswith("pipeline/forges/")} == {
        "pipeline/forges/api.py"
    }


@pytest.mark.spec("5.1")
def test_only_what_speaks_to_a_forge_or_a_client_knows_the_names_of_credentials() -> None:
    variables = {
        (path, text.value)
        for path, tree in trees().items()
        for text in ast.walk(tree)
        if isinstance(text, ast.Constant) and isinstance(text.value, str)
        if VARIABLE.fullmatch(text.value) and SECRET.search(text.value)
    }

    assert places_of(CREDENTIALS) == set()
    assert {path for path, tree in trees().items() if ASKED.search(ast.unparse(tree))} == set()
    assert variables
    assert {
        path for path, _ in variables if not path.startswith((*SPEAKERS, DOCTOR, CLIENTS))
    } == set()
