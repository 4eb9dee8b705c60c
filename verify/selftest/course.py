"""The course as the self-test looks at it: exercises, checkout, and what its authors declare."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pipeline.host import FixedHost
from pipeline.issues import read_issue
from verify.attempt import Attempt, Source
from verify.runner import grade

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.host import Version
    from pipeline.issues import Issue
    from verify.model import Exercise, Report
    from verify.selftest.excuses import Excuse
    from verify.selftest.subjects import Subject
    from verify.submission import Submission

HOST: dict[str, Version | None] = {"python": (3, 10), "node": (20, 0), "git": (2, 0)}
"""The oldest programs that the course works on: fixtures are graded as if they were here."""


@dataclass(frozen=True, kw_only=True)
class Course:
    """A course in the folder `root`; `only` names the exercises to prove, empty for all.

    `subjects` are what the mutants of each exercise are made of, by the exercise's name. Where
    they say which check answers for which concern, the course is `attributed`: a mutant must be
    refused by the right check; else by any. `schemas` is the folder of the schemas of its own
    artifacts, empty for none; it, `fixtures` and `texts` (of issues) are relative to the root.
    `practice_issues` may be there though no exercise is about them. `without_example` says by the
    code of a check why it shows no example.
    """

    root: str
    exercises: tuple[Exercise, ...]
    subjects: Mapping[str, tuple[Subject, ...]]
    excuses: tuple[Excuse, ...] = ()
    practice_issues: frozenset[str] = frozenset()
    without_example: Mapping[str, str] = field(default_factory=dict)
    only: frozenset[str] = frozenset()
    attributed: bool = True
    fixtures: str = "fixtures/submissions"
    texts: str = "sandbox/issues"
    schemas: str = ""

    @property
    def selected(self) -> tuple[Exercise, ...]:
        """Return the exercises to prove, in teaching order."""
        return tuple(e for e in self.exercises if not self.only or e.name in self.only)

    @property
    def submissions(self) -> str:
        """Return the folder of the fixtures."""
        return os.path.join(self.root, *self.fixtures.split("/"))

    @property
    def issues(self) -> str:
        """Return the folder of the issues' texts."""
        return os.path.join(self.root, *self.texts.split("/"))

    def folder_of(self, exercise: Exercise) -> str:
        """Return the folder of an exercise's fixtures, there or not."""
        name = f"{exercise.number:02}-{exercise.slug}"
        return os.path.join(self.submissions, exercise.level, name)

    def shown(self, path: str) -> str:
        """Return a path as authors write it, relative to the checkout."""
        return os.path.relpath(path, self.root).replace(os.sep, "/")

    def grade(
        self,
        exercise: Exercise,
        submission: Submission,
        host: Mapping[str, Version | None] = HOST,
        *,
        strict: bool = False,
    ) -> Report:
        """Return the report on a submission, as a learner on such a machine would get it."""
        issue = self._issue(exercise)
        return grade(Attempt(exercise, submission, issue, FixedHost(dict(host))), strict=strict)

    def _issue(self, exercise: Exercise) -> Issue | None:
        return read_issue(self.issues, exercise.issue) if exercise.issue else None

    def issues_in_use(self) -> set[str]:
        """Return the ids of the issues that exercises or their artifacts are about."""
        own = {exercise.issue for exercise in self.exercises if exercise.issue}
        artifacts = [a for exercise in self.exercises for a in exercise.artifacts]
        return own | {a.issue for a in artifacts if isinstance(a, Source) and a.issue}


def submissions_of(course: Course, exercise: Exercise) -> list[str]:
    """Return the names of an exercise's submissions, sorted; none where it has no fixtures."""
    try:
        with os.scandir(course.folder_of(exercise)) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir())
    except FileNotFoundError:
        return []


def solutions_of(course: Course, exercise: Exercise) -> list[str]:
    """Return the names of an exercise's submissions that solve it."""
    names = submissions_of(course, exercise)
    return [name for name in names if name == "solved" or name.startswith("solved-")]
