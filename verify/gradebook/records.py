"""What a gradebook holds: learners, graded exercises, overrides, and what is still to grade."""

from __future__ import annotations

import json
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from verify.gradebook.stored import DIGEST, LETTERS, SHORT, reads_of
from verify.gradebook.texts import whole
from verify.model import Outcome, Result, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.model import CheckInfo, ExerciseInfo, Finding

# The digest of a file that was asked for and could not be read begins with these: no file's own
# digest does, and 8 bytes are left to tell one reason from another.
UNREADABLE = bytes(8)


class Learner(NamedTuple):
    """A learner. `ids` has the roster's other columns by their name; both are empty off it."""

    key: str
    name: str = ""
    email: str = ""
    ids: Mapping[str, str] = MappingProxyType({})
    rostered: bool = False


def learner_row(one: Learner) -> tuple[str, str, str, str]:
    """Return a learner as a row of the gradebook: the key, name, address, and ids as JSON."""
    return whole(one.key), whole(one.name), whole(one.email), json.dumps(dict(one.ids))


class Override(NamedTuple):
    """A score set by hand: who, when (ISO 8601, UTC), why."""

    score: float
    by: str
    made: str
    reason: str


class Mark(NamedTuple):
    """One exercise graded on one submission: a worker makes it, every export reads it.

    `graded` is the score that checks gave, None where the outcome is MISSING, UNRESOLVED or ERROR:
    they are never a zero. A missing or unresolved one has no results: `reason` and `action` say why
    it is unresolved, and what to do. `provenance` is the lowest level of its artifacts (L0 to L3),
    empty where it was not asked for: it changes no score.

    `reads` (JSON) and `digests` (16 bytes each) are what grading read and the digest of each: the
    mark is a function of them. `fingerprint` says what the artifacts say, 16 bytes each, empty
    where there is none.
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
    def cache_key(self) -> Known:
        """Return what was read, and the digests: while they are the same, so is the mark."""
        return Known(self.reads, self.digests)

    @property
    def letters(self) -> str:
        """Return one letter a check for its outcome."""
        return "".join([LETTERS[result.outcome] for result in self.results])

    @property
    def artifacts(self) -> tuple[tuple[str, str], ...]:
        """Return the files that grading read, with the hexadecimal digest of each.

        It is empty for a file that cannot be read.
        """
        paths = _short_paths(self.reads) if len(self.reads) <= SHORT else _paths(self.reads)
        return tuple(
            (path, "" if self.digests.startswith(UNREADABLE, at) else self._hex(at))
            for path, at in paths
        )

    @property
    def crashes(self) -> tuple[str, ...]:
        """Return the tracebacks of what crashed while it was graded, for the log."""
        return tuple(r.verdict.crash for r in self.results if r.verdict.crash)

    def _hex(self, at: int) -> str:
        return self.digests[at : at + DIGEST].hex()


def ungraded(exercise: ExerciseInfo, why: Finding, crash: str = "") -> Mark:
    """Return the mark of an exercise that could not be graded; its first check says why."""
    first, *others = exercise.results(Verdict(Outcome.ERROR))
    explained = Result(first.check, Verdict(Outcome.ERROR, (why,), crash=crash))
    return Mark(exercise, Outcome.ERROR, results=(explained, *others))


def _paths(reads: str) -> tuple[tuple[str, int], ...]:
    """Return the paths of files that were read, each with the place of its digest."""
    places: dict[str, int] = {}
    for number, (operation, path) in enumerate(reads_of(reads)):
        if operation == "read":
            places.setdefault(path, number * DIGEST)
    return tuple(places.items())


_short_paths = lru_cache(maxsize=256)(_paths)  # the same are read of nearly all


class Standing(NamedTuple):
    """How one learner stands: one mark an exercise, in the order of the cohort's exercises.

    Where all attempts are asked for there is one standing an attempt. `submitted` (ISO 8601, or
    empty) and `late` are as the platform has them; `place` says where the submission is.
    """

    learner: Learner
    marks: tuple[Mark, ...]
    attempt: str = ""
    submitted: str = ""
    late: bool = False
    place: str = ""


class Enlisted(NamedTuple):
    """A submission as it is written down: who, which attempt, and where it is.

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


class Known(NamedTuple):
    """What the gradebook has of one exercise on a submission under the job's rules."""

    reads: str
    digests: bytes


class Pending(NamedTuple):
    """A submission to grade, and what is known of each exercise; empty for nothing of any.

    One with a `conflict` is not opened.
    """

    id: int
    kind: str
    container: str
    inner: str
    known: tuple[Known | None, ...]
    conflict: str = ""
