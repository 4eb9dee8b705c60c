"""How one standing is seen by every part of the report."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple

from verify.report.outcomes import gravest, letters_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verify.gradebook.values import ExerciseInfo, Learner, Mark, Standing
    from verify.report.outcomes import Sign

_PLAIN = re.compile(r"[^a-z0-9]+")
_READABLE = 32  # characters of the key that a page's name shows


class Entry(NamedTuple):
    """One learner's standing: a row of the table and a page.

    `number` counts from 0 in the order of the cohort. `letters` has a string an exercise, a letter
    a check. `score` is the sum over the exercises that have one, `points` what these are worth;
    `complete` tells whether all have one.
    """

    number: int
    learner: Learner
    attempt: str
    file: str
    outcome: Sign
    marks: tuple[Mark, ...]
    letters: tuple[str, ...]
    score: float
    points: int
    complete: bool

    @property
    def overridden(self) -> bool:
        """Tell whether a score of it was set by hand."""
        return any(mark.override is not None for mark in self.marks)

    @property
    def shown_name(self) -> str:
        """Return what the learner is called: the roster's name, else the key."""
        return self.learner.name or self.learner.key


def entry_of(number: int, standing: Standing, exercises: Iterable[ExerciseInfo]) -> Entry:
    """Return a standing as the report sees it; `exercises` are the cohort's, one a mark."""
    learner, marks = standing
    scored = [mark for mark in marks if mark.score is not None]
    attempt = next((mark.attempt for mark in marks if mark.attempt), "")
    return Entry(
        number,
        learner,
        attempt,
        page_name(learner.key, attempt),
        gravest(marks),
        marks,
        tuple(map(letters_of, marks, exercises)),
        sum([mark.score or 0 for mark in scored]),
        sum([mark.exercise.points for mark in scored]),
        len(scored) == len(marks),
    )


def page_name(key: str, attempt: str) -> str:
    """Return the file name of a learner's attempt.

    A key is anything a folder or a roster can hold: only its ASCII letters and digits are shown,
    and 80 bits of a digest of it tell apart what looks the same.
    """
    told = f"{len(key)}:{key}{attempt}".encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(told, digest_size=10).hexdigest()
    readable = _PLAIN.sub("-", key[:_READABLE].lower()).strip("-")
    return f"{readable}-{digest}.html" if readable else f"{digest}.html"
