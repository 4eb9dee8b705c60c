"""The frozen values of grading: exercises and their checks, results, the report."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from pipeline.protocol.validate import PROFILES
from verify.verdicts import PASSED, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.protocol.validate import Profile
    from verify.attempt import CheckFunction, Located
    from verify.files import Unresolved
    from verify.levels import Provenance
    from verify.verdicts import Verdict

_CONTENT = (Outcome.PASS, Outcome.UNASKED)
COURSE_PACKAGE = "verify_course_"  # how the package of an instructor's own course begins


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One graded statement about a submission: data plus one pure function.

    `code` is permanent (`F02.1`); `requires` names checks of the same exercise that must pass
    first. `why` says what the check is for. Hints are graduated: `look` says what to look at,
    `hint` what to change, `example` how it may look. An advisory check goes beyond the
    specification: it is worth no points and fails nothing unless grading is strict.
    """

    code: str
    title: str
    run: CheckFunction
    hint: str
    look: str = ""
    why: str = ""
    example: str = ""
    points: int = 1
    requires: tuple[str, ...] = ()
    advisory: bool = False
    needs_criteria: bool = False  # not asked where the issue has no file in the course
    needs_history: bool = False  # not asked where no git history was handed in, nor in a cohort
    evidence: bool = False  # holds what the artifacts say against git: decides level 1
    about_host: bool = (
        False  # of the machine that grades: asked of a learner's own, not in a cohort
    )
    prior: bool = False  # about the work of an earlier exercise: to pass it begins nothing

    @property
    def anchor(self) -> str:
        """Return where its tutorial's page explains it, such as `f02-1`."""
        return self.code.lower().replace(".", "-")


class ExerciseError(ValueError):
    """An exercise that contradicts itself: refused when it is built."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Exercise:
    """One exercise of the course: where its artifacts stand and what must hold of them.

    `target` is the target project relative to the submission root, `.` for the root itself, None
    where the exercise looks at fixed files. `artifacts` are the files that a learner hands in with
    this exercise, without those of the exercises before it. `solution` is one to compare with, a
    path in the course, and `unproven` what a pass does not show; each may be empty.
    `without_history` is the exercise as it is asked of a submission without a git history.

    Raises:
        ExerciseError: an unknown profile, no checks, a code twice or of another exercise, a
            `requires` that names no earlier check, points on an advisory check or none on a
            required one.
    """

    level: str
    number: int
    slug: str
    title: str
    kind: str
    checks: tuple[Check, ...]
    target: str | None = "."
    issue: str | None = None
    delegate: str | None = None
    profile: Profile = "core"
    artifacts: tuple[Located, ...] = ()
    solution: str = ""
    unproven: str = ""
    points: int = field(init=False)
    without_history: Exercise = field(init=False, repr=False, compare=False)
    passing: tuple[Result, ...] = field(init=False, repr=False)  # one object a check, ever

    def __post_init__(self) -> None:
        _refuse_contradictions(self)
        object.__setattr__(self, "points", sum(check.points for check in self.checks))
        object.__setattr__(self, "without_history", self._of(lambda c: not c.needs_history))
        object.__setattr__(self, "passing", tuple(Result(c, PASSED) for c in self.checks))

    @property
    def code(self) -> str:
        """Return the permanent prefix of the exercise's check codes, such as `F02`."""
        return f"{self.level[0].upper()}{self.number:02}"

    @property
    def name(self) -> str:
        """Return the name that selects the exercise, such as `foundation/02`."""
        return f"{self.level}/{self.number:02}"

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the paths of its artifacts, relative to the submission root."""
        return tuple(artifact.located(self) for artifact in self.artifacts)

    @property
    def page(self) -> str:
        """Return the path of its tutorial, relative to the root of the course."""
        return f"docs/{self.level}/tutorials/{self.number:02}-{self.slug}.md"

    def retargeted(self, *, target: str | None, issue: str | None, has_criteria: bool) -> Exercise:
        """Return the exercise for another target project or issue; None keeps its own."""
        checks = tuple(c for c in self.checks if has_criteria or not c.needs_criteria)
        return replace(
            self,
            target=target or self.target,
            issue=issue or self.issue,
            checks=checks,
            solution="" if target or issue else self.solution,
        )

    def for_cohort(self) -> Exercise:
        """Return the exercise without what a cohort is not asked: host, histories that may lack."""
        return self._of(lambda check: not (check.about_host or check.needs_history))

    def _of(self, asked: Callable[[Check], bool]) -> Exercise:
        checks = tuple(check for check in self.checks if asked(check))
        return self if checks == self.checks else replace(self, checks=checks)


def _refuse_contradictions(exercise: Exercise) -> None:
    seen: set[str] = set()
    if exercise.profile not in PROFILES:
        raise ExerciseError(f"{exercise.name}: no profile {exercise.profile!r}")
    if not exercise.checks:
        raise ExerciseError(f"{exercise.name} has no checks: it would pass everybody")
    for check in exercise.checks:
        if check.code in seen or not check.code.startswith(f"{exercise.code}."):
            raise ExerciseError(f"{exercise.name}: wrong or repeated code {check.code}")
        unknown = set(check.requires) - seen
        if unknown:
            raise ExerciseError(f"{check.code} requires {sorted(unknown)}: no earlier check")
        if (check.points > 0) == check.advisory:
            raise ExerciseError(f"{check.code}: points belong to required checks, and only to them")
        seen.add(check.code)


class Result(NamedTuple):
    """One check's verdict on one submission; `waits_for` is the check that made it skip."""

    check: Check
    verdict: Verdict
    waits_for: str = ""

    @property
    def outcome(self) -> Outcome:
        """Return the verdict's outcome."""
        return self.verdict.outcome

    @property
    def score(self) -> int:
        """Return the points earned."""
        return self.check.points if self.outcome is Outcome.PASS else 0


class Report(NamedTuple):
    """All results of one exercise on one submission, in the exercise's order.

    `provenance` is how far its artifacts can be traced, None where nothing is told of it; it
    changes neither score nor outcome. Where a person has to look at the submission first, no check
    is asked, and `unresolved` says why.
    """

    exercise: Exercise
    submission: str
    results: tuple[Result, ...]
    strict: bool = False
    provenance: Provenance | None = None
    unresolved: Unresolved | None = None

    @property
    def score(self) -> int:
        """Return the points earned, of `points`."""
        return sum(result.score for result in self.results)

    @property
    def points(self) -> int:
        """Return the points of the exercise, without those of checks that were not asked."""
        return self.exercise.points - sum(result.check.points for result in self.unasked)

    @property
    def unasked(self) -> tuple[Result, ...]:
        """Return the results of checks that were not asked."""
        return tuple(r for r in self.results if r.outcome is Outcome.UNASKED)

    @property
    def passed(self) -> bool:
        """Return whether all checks that were asked passed; advice counts in strict grading."""
        return self.unresolved is None and all(
            result.outcome in _CONTENT or (result.check.advisory and not self.strict)
            for result in self.results
        )

    @property
    def begun(self) -> bool:
        """Tell whether there is anything of the exercise: a required check of its own passed."""
        return any(
            result.outcome is Outcome.PASS
            for result in self.results
            if not (result.check.advisory or result.check.prior)
        )

    @property
    def crashed(self) -> tuple[Result, ...]:
        """Return the results of checks that crashed: the harness's fault, never the learner's."""
        return tuple(r for r in self.results if r.outcome is Outcome.ERROR)
