"""Keeps results, a batch at a time: one an exercise counts, earlier ones stay behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verify.gradebook.stored import DIGEST, MAX_QUESTIONS, SHORT
from verify.gradebook.texts import whole_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from verify.gradebook.records import Record

_INSERT = (
    "INSERT INTO result (id, submission, exercise, rules, run, outcome, score, outcomes,"
    " questions, answers, provenance, fingerprint) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_SUPERSEDE = (
    "UPDATE result SET superseded = ? WHERE submission = ? AND exercise = ? AND superseded IS NULL"
)
_HIGHEST = "SELECT coalesce(max(submission), 0) FROM result WHERE superseded IS NULL"
_FINDING = "INSERT INTO finding VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
# Kept in place of questions that are too long to be read back: no grading has this answer, so the
# submission is graded again by every run.
UNREAD, UNANSWERED = "[]", bytes(DIGEST)
_HELD = 10_000  # texts of questions in memory; there are a few, unless somebody makes many


class Recorder:
    """Writes the results of one run; every call stands within the caller's transaction."""

    def __init__(
        self, connection: sqlite3.Connection, run: int, rules: Sequence[tuple[str, int]]
    ) -> None:
        self._connection = connection
        self._run = run
        self._rules = rules
        self._questions: dict[str, int] = {}

    def forget(self) -> None:
        """Drop what is held in memory: the transaction that wrote it was undone."""
        self._questions.clear()

    def record(self, graded: Iterable[tuple[int, Sequence[Record | None]]]) -> None:
        """Keep a batch of results."""
        (last,) = self._connection.execute("SELECT coalesce(max(id), 0) FROM result").fetchone()
        (highest,) = self._connection.execute(_HIGHEST).fetchone()
        run, known = self._run, self._questions
        rows: list[tuple[Any, ...]] = []
        findings: list[tuple[Any, ...]] = []
        for submission, records in graded:
            for (exercise, rules), record in zip(self._rules, records, strict=True):
                if record is None:
                    continue
                outcome, score, outcomes, questions, answers, found, _, *more = record
                if len(questions) > MAX_QUESTIONS:  # an own course that asks for very much
                    questions, answers = UNREAD, UNANSWERED
                last += 1
                asked = known.get(questions) or self._interned(questions)
                rows.append(
                    (
                        last,
                        submission,
                        exercise,
                        rules,
                        run,
                        outcome,
                        score,
                        outcomes,
                        asked,
                        answers,
                        *more,
                    )
                )
                if found:
                    findings.extend([(last, *row) for row in found])
        older = [row[:3] for row in rows if row[1] <= highest]  # the others are graded first now
        self._connection.executemany(_SUPERSEDE, older)
        self._connection.executemany(_INSERT, rows)
        if findings:
            self._explain(findings)

    def _explain(self, findings: list[tuple[Any, ...]]) -> None:
        try:
            self._connection.executemany(_FINDING, findings)
        except UnicodeEncodeError:  # half a character out of a submission
            self._connection.execute("DELETE FROM finding WHERE result >= ?", (findings[0][0],))
            self._connection.executemany(_FINDING, [whole_row(row) for row in findings])

    def _interned(self, questions: str) -> int:
        if len(self._questions) >= _HELD:
            self._questions.clear()
        self._connection.execute("INSERT OR IGNORE INTO questions (text) VALUES (?)", (questions,))
        query = "SELECT id FROM questions WHERE text = ?"
        number = int(self._connection.execute(query, (questions,)).fetchone()[0])
        if len(questions) <= SHORT:
            self._questions[questions] = number
        return number
