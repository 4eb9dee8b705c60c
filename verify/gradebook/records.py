"""What a gradebook holds: learners, graded exercises and overrides."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import fsum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from verify.gradebook.columns import LETTERS, OUTCOMES, reads_of
from verify.gradebook.lateness import rounded
from verify.gradebook.store import utf8, utf8_row
from verify.grading.model import CheckInfo, Finding, Outcome, Result, Verdict, run_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.grading.model import ExerciseInfo

DIGEST = 16  # bytes of the digest of an answer: half of a SHA-256
# The digest of a file that cannot be read begins with these, and the digest of a file never does;
# the other 8 bytes distinguish the reasons.
UNREADABLE = bytes(8)
DECISIONS, COMMENTS = ("score", "excused"), ("comment",)  # kinds of overrides
SETTLE = "List the entry that counts in a CSV file (columns: entry, learner) for --decisions."
_UNCLEAR, _ASK = "it is not clear which submission is yours", "Ask your instructor."
UNGRADED = "not graded: the grader failed, not the learner"
_POINTS = re.compile("[0-9]{1,9}")  # in place of a check's code, which begins with a letter
_NOTHING = 1e-9  # a difference of sums of floats


class Learner(NamedTuple):
    """A learner of the class, or who has submitted something."""

    key: str
    name: str = ""
    email: str = ""
    ids: Mapping[str, str] = MappingProxyType({})  #: the roster's cells by column
    rostered: bool = False  #: whether the learner is on the roster

    @property
    def row(self) -> tuple[str, str, str, str]:
        """Return the learner as a row of the gradebook: key, name, address, and ids as JSON."""
        ids = json.dumps(dict(self.ids), ensure_ascii=False)
        return utf8(self.key), utf8(self.name), utf8(self.email), utf8(ids)


class Override(NamedTuple):
    """What a person decided about a score."""

    score: float | None  #: the score that counts; None for an excuse, and for a comment
    by: str  #: who decided
    made: str  #: when, ISO 8601, UTC
    reason: str  #: or the text of a comment
    kind: str = "score"  #: one of `DECISIONS` or `COMMENTS`

    @property
    def word(self) -> str:
        """Return what was decided, as text: the score, or the kind."""
        return self.kind if self.score is None else f"{self.score:g}"


class CacheKey(NamedTuple):
    """What a mark is a function of: while it is the same, so is the mark."""

    reads: str  #: what grading read: a JSON array of [operation, path]
    digests: bytes  #: of the answers, 16 bytes each

    @property
    def by_read(self) -> dict[tuple[str, str], bytes]:
        """Return the digest of each read, an operation and a path."""
        places = enumerate(reads_of(self.reads))
        return {read: self.digests[at * DIGEST : (at + 1) * DIGEST] for at, read in places}


@dataclass(frozen=True)
class Results(Sequence["Result[CheckInfo]"]):
    """The results of an exercise's checks as they are stored; each is made when it is read.

    A worker sends them in 4 µs this way: as results they take it, and the grader, 64 µs.
    """

    infos: tuple[CheckInfo, ...]  #: the checks
    letters: str  #: one letter per check for its outcome
    rows: tuple[tuple[Any, ...], ...] = ()  #: position, ordinal, a finding, and what the
    #: check awaits, or the points that it gives though it failed

    @classmethod
    def of(cls, infos: tuple[CheckInfo, ...], results: Sequence[Result[Any]]) -> Results:
        """Return results in this form, those of some checks."""
        if isinstance(results, cls):
            return results
        rows: list[tuple[Any, ...]] = []
        for position, result in enumerate(results):
            if result.waits_for:
                rows.append((position, 0, *Finding(""), result.waits_for))
                continue
            earned = str(result.verdict.earned or "")
            for ordinal, finding in enumerate(result.verdict.findings):
                rows.append(utf8_row((position, ordinal, *finding, earned)))
        letters = "".join([LETTERS[result.verdict.outcome] for result in results])
        return cls(infos, letters, tuple(rows))

    def __len__(self) -> int:
        return len(self.letters)

    def __getitem__(self, at: Any) -> Any:
        return self._made[at]

    @cached_property
    def _made(self) -> tuple[Result[CheckInfo], ...]:
        findings: dict[int, list[Finding]] = {}
        awaited: dict[int, str] = {}
        earned: dict[int, int] = {}
        for position, _, *fields, waits_for in self.rows:
            if waits_for and not _POINTS.fullmatch(waits_for):
                awaited[position] = waits_for
                continue
            earned[position] = int(waits_for or 0)
            findings.setdefault(position, []).append(Finding(*fields))
        verdicts = (
            Verdict(OUTCOMES[letter], tuple(findings.get(at, ())), earned=earned.get(at, 0))
            for at, letter in enumerate(self.letters)
        )
        return tuple(
            Result(info, verdict, awaited.get(at, ""))
            for at, (info, verdict) in enumerate(zip(self.infos, verdicts, strict=True))
        )


class Mark(NamedTuple):
    """One exercise graded on one submission: a worker makes it, every export reads it."""

    exercise: ExerciseInfo
    outcome: Outcome
    graded: float | None = (
        None  #: the score from the checks, None where nothing was graded: not a zero
    )
    results: Sequence[Result[CheckInfo]] = ()  #: none for a missing or an unresolved submission
    reads: str = "[]"  #: as in a `CacheKey`, with the digests
    digests: bytes = b""
    reason: str = ""  #: why it is unresolved
    action: str = ""  #: what to do about it
    provenance: str = ""  #: the lowest level of its artifacts, L0 to L3; it changes no score
    fingerprint: bytes = b""  #: what the artifacts say, 16 bytes each; it is not read back
    sketch: bytes = b""  #: hashes of what near copies have in common; it is not read back
    override: Override | None = None  #: a score, or an excuse
    comment: Override | None = None
    crashes: tuple[str, ...] = ()  #: the tracebacks of what crashed while it was graded
    words: tuple[str, ...] = ()  #: what else a term says of the score
    attempt: str | None = None  #: of several in a term, the label of the one that counts
    weight: float | None = None  #: what it counts in the total, None for its points
    dropped: bool = False  #: whether it is one of the lowest, which do not count

    @property
    def score(self) -> float | None:
        """Return the score that counts: the override's, else what checks gave; None for neither."""
        return self.graded if self.override is None else self.override.score

    @property
    def counts(self) -> bool:
        """Return whether the score and the points are part of the total."""
        return not self.dropped and self.outcome is not Outcome.EXCUSED

    @property
    def worth(self) -> float:
        """Return what its points count in the total."""
        return self.exercise.points if self.weight is None else self.weight

    @property
    def part(self) -> Fraction:
        """Return what the score counts in the total, exactly."""
        share = Fraction(str(self.score or 0)) / self.exercise.points
        return share * Fraction(str(self.worth))

    @property
    def checks(self) -> Sequence[Result[CheckInfo]]:
        """Return the results; if nothing was graded, one without a score for each check."""
        return self.results or self.exercise.results(Verdict(self.outcome))

    @property
    def run(self) -> str:
        """Return what was found when the submission was run, empty where nothing was asked."""
        return run_words(self.results)

    @property
    def notes(self) -> list[str]:
        """Return why there is no score, or who set it by hand, when and why."""
        notes = [*self.words]
        if self.outcome is Outcome.EXCUSED:
            notes.append(self._excuse)
        elif self.score is None:
            words = {"missing": "missing: no submission was found"}
            words["unresolved"] = f"unresolved: {self.reason}. {self.action.rstrip('.')}"
            notes.append(words.get(self.outcome, UNGRADED))
        if self.comment:
            notes.append(f"{self.comment.reason} ({self.comment.by}, {self.comment.made})")
        if (override := self.override) and self.outcome is not Outcome.EXCUSED:
            graded = "no score" if self.graded is None else score_text(self.graded)
            made = f"set to {score_text(override.score)} by {override.by}, {override.made}"
            notes.append(f"score {made} (the checks gave {graded}): {override.reason}")
        return notes

    @property
    def told(self) -> list[str]:
        """Return the notes as the learner gets them: whose else an entry may be is not theirs."""
        is_theirs = self.action != SETTLE
        return (self if is_theirs else self._replace(reason=_UNCLEAR, action=_ASK)).notes

    @property
    def _excuse(self) -> str:
        if self.override is None:
            return "excused"
        return f"excused by {self.override.by}, {self.override.made}: {self.override.reason}"

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
    def first_to_fix(self) -> Result[CheckInfo] | None:
        """Return the first failure that other checks wait for, else the first that costs points."""
        failures = [result for result in self.results if result.outcome is Outcome.FAIL]
        awaited = {result.waits_for for result in self.results}
        failures.sort(key=lambda r: (r.check.advisory, r.check.code not in awaited))
        first = next(iter(failures), None)
        return None if first is None or self.is_note(first) or not self.counts else first

    @property
    def cache_key(self) -> CacheKey:
        """Return what was read, and the digests."""
        return CacheKey(self.reads, self.digests)

    @property
    def stored(self) -> Results:
        """Return the results as they are stored."""
        return Results.of(self.exercise.checks, self.results)

    @property
    def artifacts(self) -> tuple[tuple[str, str], ...]:
        """Return the files that grading read, each with its digest in hex, empty if unreadable."""
        return tuple(
            (path, "" if digest.startswith(UNREADABLE) else digest.hex())
            for (operation, path), digest in self.cache_key.by_read.items()
            if operation == "read"
        )


def ungraded(exercise: ExerciseInfo, why: Finding, crash: str = "") -> Mark:
    """Return the mark of an exercise that could not be graded; its first check says why."""
    letters = LETTERS[Outcome.ERROR] * len(exercise.checks)
    results = Results(exercise.checks, letters, (utf8_row((0, 0, *why, "")),))
    return Mark(exercise, Outcome.ERROR, results=results, crashes=(crash,) if crash else ())


class Standing(NamedTuple):
    """What one learner has; where all attempts are asked for, in one of them."""

    learner: Learner
    marks: tuple[Mark, ...]  #: one an exercise, in the order of the cohort's exercises
    attempt: str = ""
    submitted: str = ""  #: as the platform has it, ISO 8601, or empty; so has it `late`
    late: bool = False
    place: str = ""  #: where the submission is
    decimals: int = 6  #: of the total

    @property
    def known(self) -> tuple[float, float]:
        """Return the score, and the points, of what counts and has a score."""
        known = [mark for mark in self.marks if mark.counts and mark.score is not None]
        points = fsum(mark.worth for mark in known)
        score: float | Fraction = fsum(mark.score or 0 for mark in known)
        if any(mark.weight is not None for mark in known):
            score = sum((mark.part for mark in known), Fraction(0))
        total, most = rounded(score, self.decimals), round(points, 6)
        if score <= points + _NOTHING:  # what is rounded up is not more than there is
            total = min(total, most)
        return plain_score(total) or 0, plain_score(most) or 0

    @property
    def total(self) -> float | None:
        """Return the sum of the scores; None if a mark has none: a part is not the total."""
        counted = [mark for mark in self.marks if mark.counts]
        if any(mark.score is None for mark in counted) or (self.marks and not counted):
            return None
        return self.known[0]

    @property
    def points(self) -> float:
        """Return what all scores that count can be together."""
        worth = fsum(mark.worth for mark in self.marks if mark.counts)
        return plain_score(round(worth, 6)) or 0


def plain_score(score: float | None) -> float | None:
    """Return a score as it is written: whole ones without a fraction, None if there is none."""
    return int(score) if score is not None and float(score).is_integer() else score


def score_text(score: float | None) -> str:
    """Return a score as text, empty if there is none."""
    return "" if score is None else str(plain_score(score))


class FoundSubmission(NamedTuple):
    """A submission that a run found, as it is recorded."""

    learner: str
    attempt: str  #: a label; as text, the latest is the last
    kind: str  #: of the collection, as are the next two: see `open_entry`
    container: str
    inner: str
    submitted: str = ""  #: as the platform has it, ISO 8601, or empty; so has it `late`
    late: bool = False
    conflict: str = ""  #: why several entries claim the learner: it is unresolved, and never opened


class Pending(NamedTuple):
    """A submission to grade."""

    id: int
    kind: str
    container: str
    inner: str
    known: tuple[CacheKey | None, ...]  #: what each exercise's mark depended on; empty for none
    conflict: str = ""  #: why it is not opened
    learner: str = ""
    attempt: str = ""
