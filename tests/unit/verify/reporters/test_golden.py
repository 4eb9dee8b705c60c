"""Reports of the same runs are, text for text, what the files in golden/ hold.

UPDATE_GOLDEN=1 writes the files instead: read the difference before you commit it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from verify.course import catalog
from verify.grading.levels import Level, Provenance, Traced, WhyNot
from verify.grading.model import PASSED, Finding, Outcome, Report, Result, Verdict, failed
from verify.learner.request import reporter
from verify.reporters.base import GradedRun

if TYPE_CHECKING:
    from verify.reporters.base import View

GOLDEN = Path(__file__).parent / "golden"
PLAN = Traced("plan.json", "app/plan.json", Level.WITNESSED)
GIT = Traced(
    "git-result.json",
    "app/git-result.json",
    Level.CONSISTENT,
    (
        WhyNot(Level.WITNESSED, "its envelope does not exist"),
        WhyNot(Level.CORROBORATED, "dispatch.jsonl does not exist"),
    ),
)
# the file: the run, the format, and what differs from a view of 80 columns without colour
CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "table-80.txt": ("mixed", "table", {}),
    "table-40.txt": ("mixed", "table", {"width": 40}),
    "table-ascii.txt": ("mixed", "table", {"symbols": False}),
    "table-colour.txt": ("mixed", "table", {"colour": True}),
    "table-strict.txt": ("strict", "table", {}),
    "table-passed.txt": ("passing", "table", {"following": catalog.find("foundation", "2")}),
    "overview-80.txt": ("level", "table", {}),
    "overview-40.txt": ("level", "table", {"width": 40}),
    "overview-colour.txt": ("level", "table", {"colour": True}),
    "report.json": ("traced", "json", {}),
    "junit.xml": ("traced", "junit", {}),
    "github.md": ("traced", "github", {"prefix": "work/a, b/"}),
}


def of_level() -> GradedRun:
    """Return the run of a level in which every state occurs."""
    wrong, ours = failed(Finding("wrong")), Verdict(Outcome.ERROR, (Finding("ours"),), crash="T")
    verdicts = [(PASSED, PASSED), (PASSED, wrong), (wrong, wrong), (ours, PASSED)]
    reports = []
    for exercise, (first, others) in zip(catalog.level("foundation"), verdicts, strict=True):
        results = [Result(check, others) for check in exercise.checks]
        results[0] = Result(exercise.checks[0], first)
        reports.append(Report(exercise, "work", tuple(results)))
    return GradedRun("foundation", tuple(reports), overview=True)


@pytest.fixture
def runs(
    mixed_run: GradedRun, strict_run: GradedRun, passing_run: GradedRun
) -> dict[str, GradedRun]:
    """Return the runs by the names that the cases give them."""
    report = mixed_run.reports[0]._replace(provenance=Provenance((PLAN, GIT)))
    return {
        "mixed": mixed_run,
        "strict": strict_run,
        "passing": passing_run,
        "level": of_level(),
        "traced": mixed_run._replace(reports=(report,)),
    }


@pytest.mark.spec("9.1")
@pytest.mark.parametrize("name", CASES)
def test_a_report_is_as_it_was_read_and_kept(
    name: str, runs: dict[str, GradedRun], view: View
) -> None:
    run, format_, changes = CASES[name]
    rendered = reporter(format_)(runs[run], view._replace(**changes))
    shown = rendered.text + rendered.summary
    if os.environ.get("UPDATE_GOLDEN"):
        (GOLDEN / name).write_text(shown, encoding="utf-8")

    assert shown == (GOLDEN / name).read_text(encoding="utf-8")


def test_no_golden_file_is_stray() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == CASES.keys()
