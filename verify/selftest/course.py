"""The course as the self-test sees it: exercises, checkout, and what its authors declare."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pipeline.protocol.issue import read_issue
from verify.course import catalog
from verify.grading.artifacts import ArtifactRef, Context
from verify.grading.runner import grade

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.terminal.programs import Version, VersionOf
    from verify.grading.model import Exercise, Report, Result
    from verify.selftest.operators import Operator
    from verify.submissions.submission import Submission

# the oldest programs that the course works on: fixtures are graded as if they were here
HOST: dict[str, Version | None] = {"python": (3, 10), "node": (20, 0), "git": (2, 0)}
OLDEST: VersionOf = HOST.get
TABLE = "verify/selftest/excuses.json"


class Defect(NamedTuple):
    """A claim of the course that is not true."""

    area: str  #: one of those that the how-to page lists
    where: str  #: a path, a check's code or a mutant's name
    what: str  #: is wrong
    to_do: str  #: for the author


class Excuse(NamedTuple):
    """Why the mutants whose names match may survive.

    It may match only survivors: otherwise a fault that a check refuses today would be excused if
    the check stops refusing it.
    """

    pattern: str  #: of the names, see `matches`
    reason: str  #: for people


def matches(pattern: str, name: str) -> bool:
    """Return whether a name matches a pattern: `*` is any text, `{a,b}` is a or b."""
    return _compiled(pattern).fullmatch(name) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    text = re.escape(pattern).replace(r"\*", ".*")
    choices = re.compile(r"\\\{(.*?)\\\}")
    return re.compile(choices.sub(lambda m: f"(?:{m[1].replace(',', '|')})", text), re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class ProvenCourse:
    """A course, and what its authors declare about it."""

    root: str
    exercises: tuple[Exercise, ...]
    excuses: tuple[Excuse, ...] = ()  #: with any, each survivor needs one
    practice_issues: frozenset[str] = frozenset()  #: those that no exercise has to be about
    only: frozenset[str] = frozenset()  #: the exercises to prove, empty for all
    operators: tuple[Operator, ...] = ()  #: make mutants beside the generic ones
    fixtures: str = "fixtures/submissions"  #: relative to the root, as the next two
    texts: str = "sandbox/issues"  #: of issues
    schemas: str = ""  #: of its own artifacts, empty for none

    @property
    def selected(self) -> tuple[Exercise, ...]:
        """Return the exercises to prove, in teaching order."""
        return tuple(e for e in self.exercises if not self.only or e.name in self.only)

    def folder_of(self, exercise: Exercise) -> str:
        """Return the folder of an exercise's fixtures, there or not."""
        name = f"{exercise.number:02}-{exercise.slug}"
        return os.path.join(self.root, self.fixtures, exercise.level, name)

    def shown(self, path: str) -> str:
        """Return a path as authors write it, relative to the checkout."""
        return os.path.relpath(path, self.root).replace(os.sep, "/")

    def grade(
        self,
        exercise: Exercise,
        submission: Submission,
        version_of: VersionOf = OLDEST,
        *,
        strict: bool = False,
    ) -> Report:
        """Return the report on a submission, as a learner on such a machine would get it."""
        texts = os.path.join(self.root, self.texts)
        issue = read_issue(texts, exercise.issue) if exercise.issue else None
        return grade(Context(exercise, submission, issue, version_of), strict=strict)

    def issues_in_use(self) -> set[str]:
        """Return the ids of the issues that exercises or their artifacts are about."""
        issues = {exercise.issue for exercise in self.exercises if exercise.issue}
        artifacts = [a for exercise in self.exercises for a in exercise.artifacts]
        return issues | {a.issue for a in artifacts if isinstance(a, ArtifactRef) and a.issue}


def crash_of(result: Result) -> str:
    """Return what crashed, with its line if it is in an instructor's own course."""
    return f"{result.check.code} crashed" if result.verdict.crash else result.findings[0].message


def submissions_of(course: ProvenCourse, exercise: Exercise) -> list[str]:
    """Return the names of an exercise's submissions, sorted; empty without fixtures."""
    try:
        with os.scandir(course.folder_of(exercise)) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir())
    except FileNotFoundError:
        return []


def own_course(folder: str, selection: Sequence[tuple[str, str]] = ()) -> ProvenCourse:
    """Return an instructor's own course; `selection` has the exercises to prove, if not all."""
    return ProvenCourse(
        root=os.path.realpath(folder),
        exercises=tuple(catalog.exercises(folder)),
        only=chosen(selection, folder),
        fixtures="fixtures",
        texts="issues",
        schemas="artifacts",
    )


def chosen(selection: Sequence[tuple[str, str]], course: str = "") -> frozenset[str]:
    """Return the names of the exercises with these levels and numbers."""
    return frozenset(catalog.find(level, number, course).name for level, number in selection)
