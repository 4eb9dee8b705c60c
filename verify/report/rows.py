"""The table of learners and checks as data: small, for a script that shows a part at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipeline.display import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.gradebook.values import ExerciseInfo, Mark
    from verify.report.entry import Entry

_TEXT = 80  # characters of a name or a key that the table shows
UNKNOWN = "u"
_LETTERS = {"pass": "p", "fail": "f", "missing": "m", "error": "e"}


class Rows:
    """Rows in the order of the cohort.

    A row is a list: file of the page, name, key where it differs from the name, e-mail, attempt,
    letter of the outcome, `u` for a learner off the roster, letters of the exercises' outcomes,
    scores of the exercises (null for none), letters of the checks (exercises parted by a space),
    and positions of the exercises whose score was set by hand.
    """

    def __init__(self) -> None:
        self.rows: list[list[Any]] = []

    def add(self, entry: Entry, *, has_roster: bool) -> None:
        """Add one standing."""
        learner = entry.learner
        name, key = visible(entry.shown_name, _TEXT), visible(learner.key, _TEXT)
        self.rows.append(
            [
                entry.file.removesuffix(".html"),
                name,
                "" if name == key else key,
                visible(learner.email, _TEXT),
                visible(entry.attempt, _TEXT),
                entry.outcome.letter,
                UNKNOWN if has_roster and not learner.rostered else "",
                "".join([_LETTERS[mark.outcome] for mark in entry.marks]),
                [_figure(mark) for mark in entry.marks],
                " ".join(entry.letters),
                [i for i, mark in enumerate(entry.marks) if mark.override is not None],
            ]
        )


def described(exercises: Sequence[ExerciseInfo]) -> list[dict[str, Any]]:
    """Return the exercises and their checks as the table's script wants them."""
    return [
        {
            "name": visible(exercise.name, _TEXT),
            "title": visible(exercise.title),
            "points": exercise.points,
            "checks": [
                [visible(check.code, _TEXT), visible(check.title, 200)] for check in exercise.checks
            ],
        }
        for exercise in exercises
    ]


def _figure(mark: Mark) -> float | None:
    """Return the score; a whole one set by hand without its `.0`."""
    score = mark.score
    return int(score) if score is not None and score == int(score) else score
