"""`pipeline status`, run as people run it: where it looks, what it says, how it ends."""

from __future__ import annotations

import json
import os
import re
import shutil
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from pipeline.protocol.layout import is_issue_id

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.acceptance.conftest import Run

    Status = Callable[..., tuple[int, str, str]]

PAGE = os.path.join(ROOT, "docs", "reference", "status.md")
SOLVED = os.path.join(ROOT, "fixtures/submissions/practitioner/04-trace/solved")
BROKEN = os.path.join(ROOT, "fixtures/submissions/expert/04-evidence/broken-json")


@pytest.fixture
def status(run: Run, tmp_path: Path) -> Status:
    """Return a function that runs the command in an empty folder and returns what came of it."""

    def run_status(*words: str) -> tuple[int, str, str]:
        done = run("-m", "pipeline", "status", *words, cwd=str(tmp_path), env={"PYTHONPATH": ROOT})
        return done.returncode, done.stdout, done.stderr

    return run_status


def give(project: Path, issue: str, source: str = SOLVED) -> Path:
    """Give a project the artifacts of a fixture as those of an issue, and return their folder."""
    (original,) = filter(is_issue_id, os.listdir(os.path.join(source, ".pipeline")))
    folder = project / ".pipeline" / issue
    shutil.copytree(os.path.join(source, ".pipeline", original), folder)
    return folder


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            (),
            (
                "no issue in .pipeline or sandbox/.pipeline; choose a different project with "
                '--project DIR, or start with: COMMAND run "work on issue ISSUE-7: <task>"'
            ),
        ),
        (
            ("../ISSUE-7",),
            (
                '"../ISSUE-7" is not an issue id (expected capital letters, a hyphen and digits, '
                "such as ISSUE-7)"
            ),
        ),
    ],
)
def test_without_an_issue_one_line_says_what_was_expected(
    status: Status, words: tuple[str, ...], error: str
) -> None:
    code, out, err = status(*words)

    assert (code, out) == (2, "")
    assert re.sub("(?<=start with: ).*(?= run )", "COMMAND", err) == f"pipeline status: {error}\n"


def test_an_unknown_issue_lists_those_that_are_there(status: Status, tmp_path: Path) -> None:
    give(tmp_path, "ISSUE-7")

    expected = (
        'pipeline status: no ISSUE-8 in .pipeline or sandbox/.pipeline (found there: "ISSUE-7")\n'
    )
    assert status("ISSUE-8") == (2, "", expected)


def test_a_project_that_is_named_is_the_only_one_and_nothing_is_written(
    status: Status, tmp_path: Path
) -> None:
    give(tmp_path, "ISSUE-6")
    give(tmp_path / "sandbox", "ISSUE-7")
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    code, out, err = status("--project", "sandbox")

    assert (code, err, [line.split()[:2] for line in out.splitlines()]) == (
        *(0, ""),
        [["PROJECT", "ISSUE"], ["sandbox", "ISSUE-7"]],
    )
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before


def test_artifacts_behind_a_link_are_not_read(status: Status, tmp_path: Path) -> None:
    (tmp_path / ".pipeline").symlink_to(os.path.join(SOLVED, ".pipeline"))

    expected = "pipeline status: .pipeline is a link, which is not followed\n"
    assert status() == (2, "", expected)


def test_the_document_for_machines_has_the_fields_of_its_page(
    status: Status, tmp_path: Path
) -> None:
    give(tmp_path, "ISSUE-305", BROKEN)
    code, out, err = status("--json")
    (issue,) = json.loads(out)["issues"]
    with open(PAGE, encoding="utf-8") as file:
        rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", file.read(), re.MULTILINE)
    documented = {name for row in rows for name in re.findall(r"`(\w+)`", row)}

    assert (code, err, json.loads(out)["version"]) == (1, "", 1)
    assert documented == {*json.loads(out), *issue, *issue["artifacts"]["plan.json"]}


def test_the_output_on_the_page_is_that_of_the_command(status: Status, tmp_path: Path) -> None:
    give(tmp_path, "ISSUE-102")
    give(tmp_path / "sandbox", "ISSUE-305", BROKEN)
    with open(PAGE, encoding="utf-8") as file:
        table, details = re.findall(r"```console\n\$ [^\n]*\n(.*?)```", file.read(), re.DOTALL)

    assert status()[1] == table
    assert status("ISSUE-305")[1] == details
