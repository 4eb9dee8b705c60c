"""What goes into the gradebook and comes back to be graded: plain, small, picklable values."""

from __future__ import annotations

from typing import NamedTuple

# What the digest of an answer begins with, where a file was asked for and could not be read: no
# file's own digest does, and 8 bytes are left to tell one reason from another.
UNREADABLE = bytes(8)


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

    questions: str
    answers: bytes


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


class FindingRow(NamedTuple):
    """One finding as the gradebook keeps it; `position` is its check's, `ordinal` its own.

    `excerpt` holds the lines of the artifact around `line`, the first being line
    `max(1, line - 2)`. A skipped check has one row that says only what it `waits_for`.
    """

    position: int
    ordinal: int
    message: str
    expected: str = ""
    found: str = ""
    file: str = ""
    path: str = ""
    line: int = 0
    column: int = 0
    next_step: str = ""
    excerpt: str = ""
    waits_for: str = ""


class Record(NamedTuple):
    """One exercise graded on one submission.

    `outcome` is pass, fail, unresolved or error; `score` is None for the last two. `outcomes` has
    one letter a check (p, f, s, e, u), none where it is unresolved: the one finding is then why.
    `questions` (JSON) and `answers` (16 bytes each) say what was asked of the submission and the
    digests of what it answered: grading is a function of them. `crash` is the
    traceback of a check of ours, for the log. `provenance` is the lowest level of the artifacts
    (L0 to L3), empty where nobody asked. `fingerprint` says what the artifacts say, 16 bytes each,
    empty where there is none.
    """

    outcome: str
    score: int | None
    outcomes: str
    questions: str
    answers: bytes
    findings: tuple[FindingRow, ...] = ()
    crash: str = ""
    provenance: str = ""
    fingerprint: bytes = b""
