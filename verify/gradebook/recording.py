"""Keeps results, a batch at a time: one an exercise counts, earlier ones stay behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verify.gradebook.stored import DIGEST, MAX_READS, SHORT
from verify.gradebook.texts import whole_row
from verify.model import Finding, Outcome

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from verify.gradebook.records import Mark

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

    def record(self, graded: Iterable[tuple[int, Sequence[Mark | None]]]) -> None:
        """Keep a batch of results."""
        (last,) = self._connection.execute("SELECT coalesce(max(id), 0) FROM result").fetchone()
        (highest,) = self._connection.execute(_HIGHEST).fetchone()
        run, known = self._run, self._questions
        rows: list[tuple[Any, ...]] = []
        findings: list[tuple[Any, ...]] = []
        for submission, marks in graded:
            for (exercise, rules), mark in zip(self._rules, marks, strict=True):
                if mark is None:
                    continue
                reads, digests = mark.reads, mark.digests
                if len(reads) > MAX_READS:  # an own course that reads very much
                    reads, digests = UNREAD, UNANSWERED
                last += 1
                rows.append(
                    (
                        last,
                        submission,
                        exercise,
                        rules,
                        run,
                        mark.outcome.value,
                        mark.graded,
                        mark.letters,
                        known.get(reads) or self._interned(reads),
                        digests,
                        mark.provenance,
                        mark.fingerprint,
                    )
                )
                if mark.letters.strip("p") or not mark.results:
                    findings.extend([(last, *row) for row in _finding_rows(mark)])
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


def _finding_rows(mark: Mark) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a mark's findings; a skipped check has one that says what it waits for."""
    if mark.outcome is Outcome.UNRESOLVED:
        yield 0, 0, *Finding(mark.reason, action=mark.action), ""
    for position, result in enumerate(mark.results):
        if result.waits_for:
            yield position, 0, *Finding(""), result.waits_for
        for ordinal, finding in enumerate(result.findings):
            yield position, ordinal, *finding, ""
