"""A cohort that was made for another exercise is told apart from one that failed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.archives import written, zip_bytes
from verify.batch.cohort import other_exercise
from verify.batch.job import Job, with_rules
from verify.commands.entries import ledger_of
from verify.learner.check import report_of
from verify.learner.request import GradingRequest

FIXTURES = os.path.join(ROOT, "fixtures", "submissions")
PLAN, TRACE = f"{FIXTURES}/foundation/01-plan/solved", f"{FIXTURES}/foundation/04-trace/solved"
CLASSIFIED = f"{FIXTURES}/expert/01-classify/solved"


@pytest.mark.parametrize(
    ("exercises", "submissions", "expected"),
    [
        (["foundation/01"], [PLAN, PLAN], ""),
        (["foundation/02"], [PLAN, PLAN], ""),  # the folder of the same issue
        (["expert/03"], [PLAN, PLAN], "foundation/01"),
        (["expert/03"], [PLAN], "foundation/01"),
        (["expert/03", "foundation/01"], [PLAN, PLAN], ""),
        (["foundation/04"], [PLAN, TRACE], ""),  # half of them are right
        (["foundation/04"], [PLAN, PLAN, TRACE], "foundation/01"),
        (["practitioner/04"], [TRACE, CLASSIFIED, TRACE], "foundation/04"),
        (["expert/01"], [""] * 3, ""),
    ],
)
def test_g11_the_exercise_that_most_submissions_are_of_is_found(
    tmp_path: Path, exercises: list[str], submissions: list[str], expected: str
) -> None:
    for number, source in enumerate(submissions):
        root = Path(source or tmp_path / "none")
        files = [path for path in root.rglob("*") if path.is_file()]
        tree = {str(path.relative_to(root)): path.read_bytes() for path in files}
        written(tmp_path / f"{number}.zip", zip_bytes(*tree.items(), ("README.md", b"")))

    ledger = ledger_of([str(tmp_path)], None, "", None)
    assert other_exercise(with_rules(Job(tuple(exercises), ())), ledger) == expected
    ledger.close()


def test_g11_the_folder_of_another_exercise_is_named(tmp_path: Path) -> None:
    shutil.copytree(PLAN, tmp_path / "ada")
    report = report_of(GradingRequest(level="expert", number="3", project=str(tmp_path / "ada")))
    (finding,) = report.results[0].findings

    path = "sandbox/.pipeline/ISSUE-304/plan.json"
    place = "sandbox/.pipeline/ISSUE-101/ is there, of foundation/01, foundation/02, foundation/03"
    assert (finding.message, finding.found) == (
        "plan.json is missing",
        f"no such file, but {place}",
    )
    assert finding.action == f"Grade that exercise instead, or write the file to {path}."


@pytest.mark.parametrize("place", ["sandbox/.pipeline/ISSUE-9", "sandbox/.pipeline/ISSUE-101"])
def test_g11_a_trace_in_the_folder_of_another_issue_is_recognised(
    tmp_path: Path, place: str
) -> None:
    shutil.copytree(f"{TRACE}/.pipeline/ISSUE-102", tmp_path / "ada" / place)
    report = report_of(
        GradingRequest(level="foundation", number="4", project=str(tmp_path / "ada"))
    )
    (finding,) = report.results[0].findings

    assert finding.found == f"{place}/plan.json"
