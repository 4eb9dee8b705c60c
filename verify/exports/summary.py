"""The Markdown page of a cohort for a step's summary, cut where GitHub would refuse it whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.display import inert
from verify.exports.scores import override_told, shown, total, verdict_of, why_blank, worth
from verify.reporters.github import failure_items
from verify.reporters.github_text import plain, span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.gradebook.values import ExerciseInfo, Mark, Standing

_OUTCOMES = ("pass", "fail", "missing", "error")
_RESERVE = 2_000  # bytes: of the head, the counts and what tells of a cut


class _Part:
    """Lines of a page up to a number of bytes; `cut` counts what found no room any more."""

    def __init__(self, room: int) -> None:
        self.lines: list[str] = []
        self.cut = 0
        self._room = room

    def take(self, lines: list[str]) -> None:
        """Put lines on the page, all of them or none; once there was no room, no more."""
        safe = [inert(line) for line in lines]
        size = sum(len(line.encode()) + 1 for line in safe)
        if self.cut or size > self._room:
            self.cut += 1
        else:
            self._room -= size
            self.lines += safe


class Summary:
    """A page that takes standings as long as there is room: half of it rows, half reasons."""

    def __init__(self, exercises: Sequence[ExerciseInfo], room: int) -> None:
        self._exercises = exercises
        self._counts = {e.name: dict.fromkeys(_OUTCOMES, 0) for e in exercises}
        self._rows = _Part((room - _RESERVE) // 2)
        self._reasons = _Part((room - _RESERVE) // 2)
        self._learners = 0

    def add(self, standing: Standing) -> None:
        """Take a learner's standing into the counts and, where there is room, onto the page."""
        self._learners += 1
        for mark in standing.marks:
            self._counts[mark.exercise.name][mark.outcome] += 1
        self._rows.take([_row(standing)])
        reasons = [line for mark in standing.marks for line in _reasons(mark)]
        if reasons:
            self._reasons.take([f"### {span(standing.learner.key)}", "", *reasons, ""])

    def text(self) -> str:
        """Return the page."""
        lines = [f"## {self._learners} learner{'s' * (self._learners != 1)} graded", ""]
        lines += ["| exercise | passed | failed | missing | not graded |"]
        lines += ["| --- | ---: | ---: | ---: | ---: |"]
        lines += [
            f"| {name} | {' | '.join(str(counts[outcome]) for outcome in _OUTCOMES)} |"
            for name, counts in self._counts.items()
        ]
        names = [exercise.name for exercise in self._exercises]
        lines += ["", f"| learner | {' | '.join([*names, 'score'])} |"]
        lines += [f"| --- |{' --- |' * len(names)} ---: |", *self._rows.lines, ""]
        lines += self._reasons.lines
        rows, reasons = self._rows.cut, self._reasons.cut
        if rows or reasons:
            left_out = f"{rows} learners' rows and {reasons} learners' reasons"
            lines.append(f"(cut: the page is full; left out are {left_out})")
        return "\n".join(lines) + "\n"


def _row(standing: Standing) -> str:
    cells = [f"{mark.outcome} {shown(mark.score)}".strip() for mark in standing.marks]
    score = total(standing)
    told = "-" if score is None else shown(score)
    cells.append(f"{told}/{worth(standing)}")
    return f"| {plain(standing.learner.key)} | {' | '.join(cells)} |"


def _reasons(mark: Mark) -> list[str]:
    notes = [note for note in (why_blank(mark), override_told(mark)) if note]
    lines = [f"- **{mark.exercise.name}** {plain(note)}" for note in notes]
    for check in mark.checks:
        if check.outcome in ("fail", "error"):
            lines += failure_items(check.check.code, verdict_of(check), "")
    return lines
