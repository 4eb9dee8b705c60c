"""A cohort written by hand: every outcome, an override, attempts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.stubs.marks import FakeCohort, mark_of
from verify.exports.base import Settings
from verify.gradebook.records import Learner, Mark, Override, Standing
from verify.grading.model import CheckInfo, ExerciseInfo, Finding, Outcome


def _check(code: str, title: str, points: int) -> CheckInfo:
    page = f"docs/expert/tutorials/page.md#{code.lower().replace('.', '-')}"
    return CheckInfo(code, title, points, advisory=not points, page=page)


TRACE = ExerciseInfo(
    "expert/04",
    "Evidence",
    10,
    (
        _check("E04.1", "plan.json is there", 2),
        _check("E04.2", "every file is planned", 3),
        _check("E04.3", "the branch names its issue", 0),
        _check("E04.4", "the trace is whole", 5),
    ),
)
CLASSIFY = ExerciseInfo("expert/01", "Classify", 4, (_check("E01.1", "three records", 4),))
PLACE = Finding(
    message="this file stands in no step",
    expected="a step",
    found='"a.js"',
    file="sandbox/.pipeline/ISSUE-7/plan.json",
    path="$.steps[0]",
    line=4,
    column=5,
    action="Add a step.",
    excerpt='  "affected_files": [],\n  "steps": [\n    {"file": "a.js"}\n  ]',
)
OVERRIDE = Override(7.5, "Dr. Grace", "2026-11-01T10:00:00Z", "late, but argued, well")


def standing(learner: Learner, trace: str, classify: str, **more: Any) -> Standing:
    """Return a standing in the two exercises."""
    attempt = more.get("attempt", "")
    first = mark_of(TRACE, trace, PLACE, 1, override=more.get("override"))
    marks = (first, mark_of(CLASSIFY, classify, PLACE))
    return Standing(learner, marks, attempt if trace else "")


def learner(key: str, name: str = "", *, rostered: bool = True, **ids: str) -> Learner:
    """Return a learner of the roster with an e-mail address made of the key."""
    columns = {"ID": ids.get("ID", ""), "SIS Login ID": key, "Section": "A"} if rostered else {}
    return Learner(key, name, f"{key}@example.org", columns, rostered)


UNRESOLVED = Mark(
    CLASSIFY, Outcome.UNRESOLVED, reason="two folders hold work", action="Submit one."
)
IVY = Standing(
    learner("ivy"),
    (UNRESOLVED._replace(exercise=TRACE), UNRESOLVED),
    submitted="2026-03-01T09:30",
    late=True,
)
VARIED = (
    standing(learner("ada", "Ada Lovelace", ID="0011"), "pppp", "p"),
    standing(learner("bob", "Bob"), "pffs", "p"),
    standing(learner("cyd", "Cyd"), "ppfp", "e"),
    standing(learner("dan", "Dan"), "pfps", "f", override=OVERRIDE),
    standing(learner("eve", "Eve"), "", ""),
    standing(learner("fay", "Fay"), "", "", override=OVERRIDE),
    Standing(learner("gus"), (Mark(TRACE, Outcome.ERROR), Mark(CLASSIFY, Outcome.ERROR))),
    standing(learner("hal"), "ffss", "f", attempt="2026-01-01"),
    standing(learner("hal"), "pppp", "f", attempt="2026-01-02"),
    IVY,
    standing(learner("zed", rostered=False), "pppp", "p"),
)


@pytest.fixture
def cohort() -> FakeCohort:
    return FakeCohort((TRACE, CLASSIFY), VARIED)


@pytest.fixture
def sole() -> FakeCohort:
    """Return a cohort of one learner."""
    return FakeCohort((TRACE, CLASSIFY), VARIED[1:2])


def cohort_of(*rows: Standing, has_roster: bool = True) -> FakeCohort:
    """Return a cohort of standings in the two exercises."""
    return FakeCohort((TRACE, CLASSIFY), rows, has_roster)


@pytest.fixture
def changed() -> FakeCohort:
    """Return a cohort graded before a check was added and one taken away: a regrading lost it."""
    new = _check("E04.9", "the plan is dated", 1)
    exercise = TRACE._replace(checks=(TRACE.checks[0], new, *TRACE.checks[2:]))
    return FakeCohort((exercise, CLASSIFY), (standing(learner("bob"), "pfps", "p"),))


def standing_of(key: str, trace: str = "pppp", classify: str = "p", **more: Any) -> Standing:
    """Return a standing: key, outcomes in both exercises, and more."""
    return standing(learner(key, rostered=more.pop("rostered", True)), trace, classify, **more)


def whole(name: str) -> str:
    """Return a whole export as it has to be."""
    return (Path(__file__).parent / "whole" / name).read_text(encoding="utf-8")


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def settings(notes: list[str]) -> Settings:
    return Settings(note=notes.append)
