"""The frozen values of grading: exercises and their checks, results, the report."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol

from typing_extensions import NamedTuple, TypeVar  # generic ones, before Python 3.11

from pipeline.protocol.validate import PROFILES
from pipeline.terminal.display import json_path

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipeline.protocol.problems import Problem
    from pipeline.protocol.validate import Profile
    from verify.grading.levels import Provenance
    from verify.grading.ways import Ran
    from verify.submissions.files import Unresolved

COURSE_PACKAGE = "verify_course_"  # how the package of an instructor's own course begins
SHOWN_FINDINGS = 5
_MOST_POINTS = 1_000_000  # of a check
AROUND = 2  # lines of an excerpt before and after the one that is meant


class Outcome(str, enum.Enum):
    """The outcome of a check or of an exercise; `str` returns its value.

    ERROR is a fault of ours, never the learner's. Of a check only: SKIP waits for another check;
    NOT_CHECKED cannot be decided from the submission, and counts neither as passed nor in the
    total.
    Of an exercise only: MISSING has no submission; UNRESOLVED needs a person to look at it;
    EXCUSED leaves the learner's score and points.
    """

    __str__ = str.__str__

    PASS = "pass"  # noqa: S105  # an outcome, not a password
    FAIL = "fail"
    SKIP = "skip"
    ERROR = "error"
    NOT_CHECKED = "not checked"
    MISSING = "missing"
    UNRESOLVED = "unresolved"
    EXCUSED = "excused"


class Finding(NamedTuple):
    """One reason why a check failed, and where."""

    message: str  #: what is wrong, in half a sentence
    expected: str = ""
    found: str = ""
    file: str = ""  #: relative to the submission's root
    path: str = ""  #: of the value in the file, such as `$.steps[0].file`
    line: int = 0  #: from 1, 0 where the file as a whole is meant
    column: int = 0  #: as the line
    action: str = ""  #: what to do, made from what was found; without it the check's hint applies
    excerpt: str = ""  #: in a gradebook, lines of the file, from `first_line` on

    @classmethod
    def of(cls, problem: Problem, file: str) -> Finding:
        """Return the finding on a problem of a file."""
        path = json_path(problem.path) if problem.path else ""
        texts = problem.message, problem.expected, problem.found
        return cls(*texts, file, path, problem.line, problem.column, problem.action)

    @property
    def first_line(self) -> int:
        """Return the number of the first line of its excerpt."""
        return max(1, self.line - AROUND)


class Verdict(NamedTuple):
    """What a check function returns: its outcome and, unless it passed, the findings."""

    outcome: Outcome
    findings: tuple[Finding, ...] = ()
    more: int = 0  #: findings that were left out
    crash: str = ""  #: the traceback of a check of ours that raised, for the log only
    waits_for: str = ""  #: the failed check without which there is nothing to say
    earned: int = 0  #: the points that a failed check gives all the same

    def advising(self, action: str) -> Verdict:
        """Return the verdict with one action for all of its findings."""
        findings = tuple(finding._replace(action=action) for finding in self.findings)
        return self._replace(findings=findings)

    def earning(self, points: int) -> Verdict:
        """Return a failure that gives so many of the check's points, at least none of them."""
        earned = max(0, points) if type(points) is int else points  # grading names what is none
        return self._replace(earned=earned) if self.outcome is Outcome.FAIL else self


PASSED = Verdict(Outcome.PASS)


def not_checked(reason: str) -> Verdict:
    """Return the verdict of a check that a submission cannot answer; the reason is one line."""
    return Verdict(Outcome.NOT_CHECKED, (Finding(reason),))


def failed(*findings: Finding) -> Verdict:
    """Return a failure with the first few of these findings; PASSED for none."""
    if not findings:
        return PASSED
    return Verdict(Outcome.FAIL, findings[:SHOWN_FINDINGS], max(0, len(findings) - SHOWN_FINDINGS))


class CheckInfo(NamedTuple):
    """A check as a gradebook knows it."""

    code: str
    title: str
    points: int  #: at most
    advisory: bool  #: it is worth no points
    page: str  #: the lesson and the anchor that explain it
    asks_service: bool = False  #: it is asked only with `--run`


class ExerciseInfo(NamedTuple):
    """An exercise as it was graded; today's course may differ."""

    name: str
    title: str
    points: int  #: the sum of its checks'
    checks: tuple[CheckInfo, ...]
    parts: tuple[ExerciseInfo, ...] = ()  #: of an assignment of a term: its exercises

    def of(self, check: CheckInfo) -> str:
        """Return the name of the exercise that has a check."""
        return next((part.name for part in self.parts if check in part.checks), self.name)

    def results(self, verdict: Verdict = PASSED) -> tuple[Result[CheckInfo], ...]:
        """Return one result for each check, all with the same verdict."""
        return tuple(Result(check, verdict) for check in self.checks)


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One graded statement about a submission: data plus one pure function.

    Hints are graduated: what to look at, what to change, how it may look. A check that is worth no
    points is advisory: it goes beyond the specification and fails nothing unless grading is strict.
    """

    code: str  #: permanent, such as `F02.1`
    title: str  #: what is true where it passes
    run: Callable[[Any], Verdict]  #: of a Context, which knows the exercise
    hint: str  #: what to change
    look_at: str = ""
    why: str = ""  #: what the check is for
    example: str = ""
    points: int = 1  #: 0 for advice
    requires: tuple[str, ...] = ()  #: checks of the same exercise that must pass first
    needs_criteria: bool = False  #: not asked where the issue has no file in the course
    needs_history: bool = False  #: not asked without a git history, nor in a cohort
    compares_git: bool = False  #: compares the artifacts with git: decides level 1
    about_host: bool = False  #: about the machine that grades: not asked in a cohort
    earlier_work: bool = False  #: about an earlier exercise: passing it does not begin this one
    asks_service: bool = False  #: asked of the running service, and of nothing if it is not run

    @property
    def advisory(self) -> bool:
        """Return whether it is worth no points."""
        return not self.points

    @property
    def anchor(self) -> str:
        """Return its anchor on the page that explains it, such as `f02-1`."""
        return self.code.lower().replace(".", "-")


class Located(Protocol):
    """What an exercise asks for, a file of the submission."""

    def located(self, exercise: Exercise) -> str:
        """Return its path relative to the submission root."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Exercise:
    """One exercise of the course: which artifacts it looks at, and its checks.

    Raises `ValueError` if it contradicts itself.
    """

    level: str
    number: int  #: in its level, from 1
    slug: str  #: its name in paths, such as `publish`
    title: str
    checks: tuple[Check, ...]
    #: the project's folder in a submission, None where the exercise has none
    target: str | None = "."
    issue: str | None = None  #: the id of the issue that it is about
    profile: Profile = "core"
    artifacts: tuple[Located, ...] = ()  #: what its checks read
    solution: str = ""  #: the folder of the course's solution, named after a pass
    not_shown: str = ""  #: why there is no solution to show
    checks_page: str = ""  #: the page that explains its checks, by default the level's
    #: each issue whose criteria a running service is asked, and the points for it
    asks: tuple[tuple[str, int], ...] = ()
    service: str = "sandbox"  #: the folder of the service
    points: int = field(init=False)  #: the sum of its checks'
    #: the same, without the checks that need a git history
    without_history: Exercise = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _refuse_contradictions(self)
        page = self.checks_page or f"docs/reference/checks-{self.level}.md"
        object.__setattr__(self, "checks_page", page)
        object.__setattr__(self, "points", sum(check.points for check in self.checks))
        object.__setattr__(self, "without_history", self._of(lambda c: not c.needs_history))

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

    @property
    def info(self) -> ExerciseInfo:
        """Return what a gradebook knows of it."""
        infos = [
            CheckInfo(c.code, c.title, c.points, c.advisory, self.explained(c), c.asks_service)
            for c in self.checks
        ]
        return ExerciseInfo(self.name, self.title, self.points, tuple(infos))

    def explained(self, check: Check) -> str:
        """Return the page and anchor that explain one of its checks."""
        return f"{self.checks_page}#{check.anchor}"

    def retargeted(self, *, target: str | None, issue: str | None, has_criteria: bool) -> Exercise:
        """Return the exercise for another target project or issue; None keeps its own."""
        checks = tuple(c for c in self.checks if has_criteria or not c.needs_criteria)
        return replace(
            self,
            target=target or self.target,
            issue=issue or self.issue,
            checks=checks,
            solution="" if target or issue else self.solution,
            asks=tuple((issue or asked, first) for asked, first in self.asks if has_criteria),
        )

    def for_cohort(self) -> Exercise:
        """Return the exercise for a cohort: without checks of the host, or of a git history."""
        return self._of(lambda check: not (check.about_host or check.needs_history))

    def _of(self, keep: Callable[[Check], bool]) -> Exercise:
        checks = tuple(check for check in self.checks if keep(check))
        return self if checks == self.checks else replace(self, checks=checks)


def _refuse_contradictions(exercise: Exercise) -> None:
    seen: set[str] = set()
    if exercise.profile not in PROFILES:
        raise ValueError(f"{exercise.name} has an unknown profile: {exercise.profile!r}")
    if not exercise.checks:
        raise ValueError(f"{exercise.name} has no checks, so every submission would pass")
    for check in exercise.checks:
        _refuse_types(check)
        if check.code in seen:
            raise ValueError(f"{check.code} is the code of more than one check")
        if not check.code.startswith(f"{exercise.code}."):
            raise ValueError(f'{check.code} does not begin with "{exercise.code}."')
        unknown = set(check.requires) - seen
        if unknown:
            names = " and ".join(sorted(unknown))
            raise ValueError(f"{check.code} requires {names}, but there is no such check before it")
        seen.add(check.code)


def _refuse_types(check: Check) -> None:
    """Refuse what an author of a course may write instead of points and of `requires`."""
    points: object = check.points
    requires: object = check.requires
    if type(points) is not int or not 0 <= points <= _MOST_POINTS:
        expected = f"expected a whole number, 0 to {_MOST_POINTS:,}"
        raise ValueError(f"{check.code} has the points {points!r} ({expected})")
    if isinstance(requires, str):
        what = f"{check.code} requires {requires!r}"
        raise ValueError(f'{what} (expected a tuple, such as ("{requires}",))')  # noqa: TRY004


CONTENT = (Outcome.PASS, Outcome.NOT_CHECKED)
_ANSWERED = (Outcome.FAIL, Outcome.SKIP)
_JUDGED = (Outcome.PASS, Outcome.FAIL)
C = TypeVar("C", bound="Check | CheckInfo", default=Check)


class Result(NamedTuple, Generic[C]):
    """One check's verdict on one submission."""

    check: C
    verdict: Verdict
    waits_for: str = ""  #: the code of the check that made it skip

    @property
    def outcome(self) -> Outcome:
        """Return the verdict's outcome."""
        return self.verdict.outcome

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return the verdict's findings."""
        return self.verdict.findings

    @property
    def score(self) -> int | None:
        """Return the points earned; None where the check gave no answer."""
        outcome = self.verdict.outcome
        if outcome is Outcome.PASS:
            return self.check.points
        return self.verdict.earned if outcome in _ANSWERED else None


def criteria_of(results: Sequence[Result[Any]]) -> tuple[int, int]:
    """Return how many criteria hold for a running service, and how many it was asked."""
    criteria = [r for r in results if r.check.asks_service and not r.check.advisory]
    asked = [result for result in criteria if result.outcome is not Outcome.NOT_CHECKED]
    return sum(result.outcome is Outcome.PASS for result in asked), len(asked)


def run_words(results: Sequence[Result[Any]]) -> str:
    """Return what was found when a submission was run, empty where nothing was asked."""
    held, asked = criteria_of(results)
    words = [f"{held} of {asked} criteria hold"] if asked else []
    said: dict[str, list[str]] = {}
    for result in results:
        if result.check.asks_service and result.check.advisory and result.outcome in _JUDGED:
            issue = result.check.title.partition("the tests ")[0]
            said.setdefault(issue, []).extend(f.message for f in result.findings[:1])
    for issue, messages in said.items():
        found = ", ".join(message.removeprefix("the tests ") for message in messages)
        words.append(f"{issue}the tests {found}")
    return "; ".join(words)


class Report(NamedTuple):
    """All results of one exercise on one submission, in the exercise's order."""

    exercise: Exercise
    submission: str
    results: tuple[Result, ...]
    strict: bool = False  #: whether advisory checks count
    provenance: Provenance | None = None  #: how far artifacts can be traced, None if not checked
    unresolved: Unresolved | None = None  #: why a person has to look first: no check was run
    ran: Ran | None = None  #: how the service was run, None where nothing was to be run

    @property
    def score(self) -> int:
        """Return the points earned, of `points`."""
        return sum([result.score or 0 for result in self.results])

    @property
    def points(self) -> int:
        """Return the points of the exercise, without those of checks that were not asked."""
        return self.exercise.points - sum(result.check.points for result in self.not_checked)

    @property
    def not_checked(self) -> tuple[Result, ...]:
        """Return the results of checks that were not asked."""
        return tuple([r for r in self.results if r.verdict.outcome is Outcome.NOT_CHECKED])

    @property
    def passed(self) -> bool:
        """Return whether all checks that were asked passed; advice counts in strict grading."""
        return self.unresolved is None and all(
            result.verdict.outcome in CONTENT or (result.check.advisory and not self.strict)
            for result in self.results
        )

    @property
    def begun(self) -> bool:
        """Return whether the learner has begun it: one of its own required checks gave points."""
        return any(
            result.score
            for result in self.results
            if not (result.check.advisory or result.check.earlier_work)
        )

    @property
    def crashed(self) -> tuple[Result, ...]:
        """Return the results of checks that crashed: the harness's fault, never the learner's."""
        return tuple([r for r in self.results if r.verdict.outcome is Outcome.ERROR])
