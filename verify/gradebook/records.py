"""What a gradebook holds: learners, graded exercises, overrides, and its JSON columns."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from math import fsum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.protocol.layout import is_issue_id
from pipeline.protocol.patterns import PATH
from pipeline.terminal.display import named
from verify.gradebook.store import utf8
from verify.model import CheckInfo, Finding, Outcome, Result, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from verify.model import ExerciseInfo

DIGEST = 16  # bytes of the digest of an answer: half of a SHA-256
# The digest of a file that cannot be read begins with these, and the digest of a file never does;
# the other 8 bytes distinguish the reasons.
UNREADABLE = bytes(8)
OUTCOMES = {
    "p": Outcome.PASS,
    "f": Outcome.FAIL,
    "s": Outcome.SKIP,
    "e": Outcome.ERROR,
    "u": Outcome.UNASKED,
}  # of checks, by their letters
LETTERS = {outcome: letter for letter, outcome in OUTCOMES.items()}
UNGRADED = "not graded: the grader failed, not the learner"
_PASS = Outcome.PASS  # looked up once: a cohort needs it a million times
OPERATIONS = ("read", "is_file", "names", "history")
MOST_POINTS = 1_000_000  # of a check, or of an exercise
_OPTIONS: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("course", "attempts", "naming", "witness_key"), str),
    **dict.fromkeys(("target", "issue"), (str, type(None))),
    "exercises": list,
    **dict.fromkeys(("strict", "provenance"), bool),
}


class Learner(NamedTuple):
    """A learner. `ids` has the roster's other columns by their name; both are empty off it."""

    key: str
    name: str = ""
    email: str = ""
    ids: Mapping[str, str] = MappingProxyType({})
    rostered: bool = False

    @property
    def row(self) -> tuple[str, str, str, str]:
        """Return the learner as a row of the gradebook: key, name, address, and ids as JSON."""
        return utf8(self.key), utf8(self.name), utf8(self.email), json.dumps(dict(self.ids))


class Override(NamedTuple):
    """A score set by hand: who, when (ISO 8601, UTC), why."""

    score: float
    by: str
    made: str
    reason: str


class Overridden(NamedTuple):
    """An override in the gradebook; the two about its withdrawal are empty while it counts."""

    learner: str
    exercise: str
    override: Override
    withdrawn: str = ""
    withdrawn_by: str = ""


class CacheKey(NamedTuple):
    """What grading read (JSON), and the digest of each answer, 16 bytes each.

    A mark is a function of them: while they are the same, so is the mark.
    """

    reads: str
    digests: bytes


class Mark(NamedTuple):
    """One exercise graded on one submission: a worker makes it, every export reads it.

    `graded` is the score that checks gave, None where the outcome is MISSING, UNRESOLVED or ERROR:
    they are never a zero. A missing or unresolved one has no results: `reason` and `action` say why
    it is unresolved, and what to do. `provenance` is the lowest level of its artifacts (L0 to L3),
    empty where it was not asked for: it changes no score. `fingerprint` says what the artifacts
    say, 16 bytes each, empty where there is none; it is not read back.
    """

    exercise: ExerciseInfo
    outcome: Outcome
    graded: int | None = None
    results: tuple[Result[CheckInfo], ...] = ()
    reads: str = "[]"
    digests: bytes = b""
    reason: str = ""
    action: str = ""
    provenance: str = ""
    fingerprint: bytes = b""
    override: Override | None = None

    @property
    def score(self) -> float | None:
        """Return the score that counts: the override's, else what checks gave; None for neither."""
        return self.graded if self.override is None else self.override.score

    @property
    def checks(self) -> tuple[Result[CheckInfo], ...]:
        """Return the results; if nothing was graded, one without a score for each check."""
        return self.results or self.exercise.results(Verdict(self.outcome))

    @property
    def notes(self) -> list[str]:
        """Return why there is no score, or who set it by hand, when and why."""
        notes = []
        if self.score is None:
            words = {"missing": "missing: no submission was found"}
            words["unresolved"] = f"unresolved: {self.reason}. {self.action.rstrip('.')}"
            notes.append(words.get(self.outcome, UNGRADED))
        if override := self.override:
            graded = "nothing" if self.graded is None else score_text(self.graded)
            made = f"set to {score_text(override.score)} by {override.by}, {override.made}"
            notes.append(f"score {made} (checks gave {graded}): {override.reason}")
        return notes

    @property
    def why(self) -> Finding:
        """Return why nothing was graded, and what to do."""
        if self.outcome is Outcome.UNRESOLVED:
            return Finding(self.reason, action=self.action)
        errors = (result for result in self.results if result.outcome is Outcome.ERROR)
        return next((f for result in errors for f in result.findings), Finding("not graded"))

    def is_note(self, result: Result[CheckInfo]) -> bool:
        """Return whether a result is a failed advisory check that is only advice.

        In strict grading it is the reason if nothing else explains why the exercise failed.
        """
        if not (result.check.advisory and result.outcome == "fail"):
            return False
        required = any(r.outcome == "fail" for r in self.results if not r.check.advisory)
        return required or self.outcome != "fail"

    @property
    def cache_key(self) -> CacheKey:
        """Return what was read, and the digests."""
        return CacheKey(self.reads, self.digests)

    @property
    def letters(self) -> str:
        """Return one letter per check for its outcome."""
        outcomes = [result.verdict.outcome for result in self.results]
        return "".join(["p" if one is _PASS else LETTERS[one] for one in outcomes])

    @property
    def crashes(self) -> tuple[str, ...]:
        """Return the tracebacks of what crashed while it was graded, for the log."""
        return tuple(r.verdict.crash for r in self.results if r.verdict.crash)

    @property
    def artifacts(self) -> tuple[tuple[str, str], ...]:
        """Return the files that grading read, with the hexadecimal digest of each.

        It is empty for a file that cannot be read.
        """
        return tuple(
            (path, "" if self.digests.startswith(UNREADABLE, at) else self._hex(at))
            for path, at in _files_in(self.reads)
        )

    def _hex(self, at: int) -> str:
        return self.digests[at : at + DIGEST].hex()


@lru_cache(maxsize=64)  # the same are read of nearly all
def _files_in(reads: str) -> tuple[tuple[str, int], ...]:
    """Return the paths of files that were read, each with the place of its digest."""
    places: dict[str, int] = {}
    for number, (operation, path) in enumerate(reads_of(reads)):
        if operation == "read":
            places.setdefault(path, number * DIGEST)
    return tuple(places.items())


def ungraded(exercise: ExerciseInfo, why: Finding, crash: str = "") -> Mark:
    """Return the mark of an exercise that could not be graded; its first check says why."""
    first, *others = exercise.results(Verdict(Outcome.ERROR))
    explained = Result(first.check, Verdict(Outcome.ERROR, (why,), crash=crash))
    return Mark(exercise, Outcome.ERROR, results=(explained, *others))


class Standing(NamedTuple):
    """What one learner has: one mark an exercise, in the order of the cohort's exercises.

    Where all attempts are asked for there is one standing an attempt. `submitted` (ISO 8601, or
    empty) and `late` are as the platform has them; `place` says where the submission is.
    """

    learner: Learner
    marks: tuple[Mark, ...]
    attempt: str = ""
    submitted: str = ""
    late: bool = False
    place: str = ""

    @property
    def total(self) -> float | None:
        """Return the sum of the scores; None if a mark has none: a part is not the total."""
        scores = [mark.score for mark in self.marks if mark.score is not None]
        return plain_score(round(fsum(scores), 6)) if len(scores) == len(self.marks) else None

    @property
    def points(self) -> int:
        """Return the points of all exercises together."""
        return sum(mark.exercise.points for mark in self.marks)


def plain_score(score: float | None) -> float | None:
    """Return a score as it is written: whole ones without a fraction, None if there is none."""
    return int(score) if score is not None and float(score).is_integer() else score


def score_text(score: float | None) -> str:
    """Return a score as text, empty if there is none."""
    return "" if score is None else str(plain_score(score))


class Enlisted(NamedTuple):
    """A submission as it is recorded: who, which attempt, and where it is.

    `submitted` is the time as the platform gives it, ISO 8601, empty where it gives none; `late`
    is the platform's word. `conflict` says why more than one entry claims the learner: such a
    submission is not opened, it is unresolved.
    """

    learner: str
    attempt: str
    kind: str
    container: str
    inner: str
    submitted: str = ""
    late: bool = False
    conflict: str = ""


class Pending(NamedTuple):
    """A submission to grade, and what is known of each exercise; empty if nothing is known.

    One with a `conflict` is not opened.
    """

    id: int
    kind: str
    container: str
    inner: str
    known: tuple[CacheKey | None, ...]
    conflict: str = ""
    learner: str = ""
    attempt: str = ""


class NotOurs(ValueError):
    """A value that grading cannot have written; the message says what is wrong with it."""


def value_of(text: str, what: str, fits: Callable[[Any], bool]) -> Any:
    """Return the value of a JSON text of the gradebook; `what` is what it has to be.

    Raises:
        NotOurs: it is not.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise NotOurs("is not JSON") from None
    if not fits(value):
        raise NotOurs(f"is not {what}")
    return value


def reads_of(text: str) -> tuple[tuple[str, str], ...]:
    """Return what was read, from its JSON text: pairs of an operation and a path."""
    reads = value_of(
        text, "a list of reads", lambda v: isinstance(v, list) and all(map(_is_read, v))
    )
    return tuple((operation, path) for operation, path in reads)


def _is_read(value: Any) -> bool:
    texts = isinstance(value, list) and [type(each) for each in value] == [str, str]
    return texts and value[0] in OPERATIONS


def outcomes_of(letters: str, checks: int) -> tuple[Outcome, ...]:
    """Return the outcome of each check; raises NotOurs unless there is one for each."""
    if len(letters) != checks or not OUTCOMES.keys() >= set(letters):
        raise NotOurs("is not a list of outcomes")
    return tuple([OUTCOMES[letter] for letter in letters])


def options_of(text: str) -> dict[str, Any]:
    """Return the options of a run; a regrading uses them, so each is checked."""
    options: dict[str, Any] = value_of(text, "a JSON object", lambda v: isinstance(v, dict))
    for name, value in options.items():
        if not isinstance(value, _OPTIONS.get(name, object)):
            raise NotOurs(f"has an option {named(name)} of the wrong type")
    issue, target = options.get("issue"), options.get("target")
    if issue is not None and not is_issue_id(issue):
        raise NotOurs("has an issue that is not an issue id")
    if target not in (None, ".") and not re.fullmatch(PATH.pattern, target):
        raise NotOurs("has a target that is not within a submission")
    return options


def ids_of(text: str) -> dict[str, str]:
    """Return what a roster's columns say of a learner."""
    ids: dict[str, str] = value_of(text, "a JSON object of texts", _has_texts)
    return ids


def _has_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


def checks_of(text: str) -> tuple[CheckInfo, ...]:
    """Return the checks of an exercise."""
    checks = value_of(
        text,
        "a list of checks",
        lambda v: isinstance(v, list) and bool(v) and all(map(_is_check, v)),
    )
    return tuple(CheckInfo(**check) for check in checks)


def _is_check(value: Any) -> bool:
    if not isinstance(value, dict) or set(value) != set(CheckInfo._fields):
        return False
    types = [type(value[name]) for name in CheckInfo._fields]
    return types == [str, str, int, bool, str] and 0 <= value["points"] <= MOST_POINTS
