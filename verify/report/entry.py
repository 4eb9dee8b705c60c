"""How one standing is seen by every part of the report, and as a row of its table."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.terminal.display import visible
from verify.report.outcomes import gravest, letters_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from verify.gradebook.values import ExerciseInfo, Learner, Mark, Standing
    from verify.report.outcomes import Sign

_PLAIN = re.compile(r"[^a-z0-9]+")
_READABLE = 32  # characters of the key that a page's name shows
_CELL = 80  # characters of a name or a key that the table shows
UNKNOWN = "u"
_LETTERS = {"pass": "p", "fail": "f", "missing": "m", "unresolved": "u", "error": "e"}


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


class Rows:
    """Rows in the order of the cohort.

    A row is a list: file of the page, name, key where it differs from the name, e-mail, attempt,
    letter of the outcome, `u` for a learner off the roster, letters of the exercises' outcomes,
    scores of the exercises (null for none), letters of the checks (exercises parted by a space),
    positions of the exercises whose score was set by hand, and numbers of the groups of copies.
    """

    def __init__(self) -> None:
        self.rows: list[list[Any]] = []

    def add(self, entry: Entry, *, has_roster: bool, copies: Sequence[int] = ()) -> None:
        """Add one standing."""
        learner = entry.learner
        name, key = visible(entry.shown_name, _CELL), visible(learner.key, _CELL)
        self.rows.append(
            [
                entry.file.removesuffix(".html"),
                name,
                "" if name == key else key,
                visible(learner.email, _CELL),
                visible(entry.attempt, _CELL),
                entry.outcome.letter,
                UNKNOWN if has_roster and not learner.rostered else "",
                "".join([_LETTERS[mark.outcome] for mark in entry.marks]),
                [_figure(mark) for mark in entry.marks],
                " ".join(entry.letters),
                [i for i, mark in enumerate(entry.marks) if mark.override is not None],
                list(copies),
            ]
        )


def described(exercises: Sequence[ExerciseInfo]) -> list[dict[str, Any]]:
    """Return the exercises and their checks as the table's script wants them."""
    return [
        {
            "name": visible(exercise.name, _CELL),
            "title": visible(exercise.title),
            "points": exercise.points,
            "checks": [
                [visible(check.code, _CELL), visible(check.title, 200)] for check in exercise.checks
            ],
        }
        for exercise in exercises
    ]


def _figure(mark: Mark) -> float | None:
    """Return the score; a whole one set by hand without its `.0`."""
    score = mark.score
    return int(score) if score is not None and score == int(score) else score
