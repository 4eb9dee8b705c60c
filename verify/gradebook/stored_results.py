"""Makes marks of the rows of results: how a query asks for them, and what their columns are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.terminal.display import visible
from verify.gradebook.columns import checks_of, exercise_of, letters_of
from verify.gradebook.records import Mark, Results
from verify.grading.model import ExerciseInfo, Outcome

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

_RESULT = ("id", "rules", "run", "outcome", "score", "outcomes", "digests", "provenance")
_WIDTH = len(_RESULT) + 1  # with the text of its reads
_FINDINGS = """
SELECT result, position, ordinal, message, expected, found, file, path, line, column, next_step,
  excerpt, waits_for
FROM finding WHERE result IN (SELECT value FROM json_each(?)) ORDER BY result, position, ordinal
"""


class Rules(NamedTuple):
    """An exercise as it was graded."""

    digest: str  #: of the rules
    exercise: ExerciseInfo


def with_results(columns: str, source: str, exercises: int) -> str:
    """Return a query for submissions `s` of a source, with columns of each exercise's result."""
    joins = ""
    for n in range(exercises):
        columns += "".join(f", r{n}.{name}" for name in _RESULT)
        columns += f", (SELECT text FROM reads WHERE id = r{n}.reads)"  # noqa: S608  # a number
        joins += (
            f" LEFT JOIN result r{n} ON r{n}.submission = s.id AND r{n}.exercise = ?"
            f" AND r{n}.superseded IS NULL"
        )
    return f"SELECT {columns} FROM {source}{joins}"  # noqa: S608  # our own words


class StoredResults:
    """Makes marks from rows of results; each set of rules is read once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._rules: dict[int, Rules] = {}
        self._clean: dict[tuple[int, str], Results] = {}  # of who has passed every check
        self._findings: dict[int, list[tuple[Any, ...]]] = {}

    def rules(self, number: int) -> Rules:
        """Return the rules of an id."""
        if number not in self._rules:
            query = "SELECT exercise, digest, title, points, checks FROM rules WHERE id = ?"
            (row,) = self._connection.execute(query, (number,))
            name, digest, title, points, checks = row
            about = exercise_of(name), visible(title, 1_000), points, checks_of(checks)
            self._rules[number] = Rules(digest, ExerciseInfo(*about))
        return self._rules[number]

    def marked(
        self, rows: Sequence[Sequence[Any]], exercises: int
    ) -> Iterator[tuple[Sequence[Any], list[tuple[Mark | None, int, int]]]]:
        """Yield of each row its own columns, and each exercise's mark, with its rules and run.

        The rows are of a query that `with_results` returned, and their findings are read at once.
        The mark is None without a result.
        """
        first = len(rows[0]) - _WIDTH * exercises
        places = range(first, len(rows[0]), _WIDTH)
        found = [(row[:first], [row[at : at + _WIDTH] for at in places]) for row in rows]
        self._read_findings(result for _, results in found for result in results)
        for columns, results in found:
            yield columns, [(self._mark(result), result[1], result[2]) for result in results]

    def _read_findings(self, results: Iterable[Sequence[Any]]) -> None:
        wanted = [
            number
            for number, rules, _, _, _, letters, *_ in results
            if number is not None and (rules, letters) not in self._clean
        ]
        self._findings = {}
        for number, *finding in self._connection.execute(_FINDINGS, (json.dumps(wanted),)):
            self._findings.setdefault(number, []).append(tuple(finding))

    def _mark(self, result: Sequence[Any]) -> Mark | None:
        number, rules, _, outcome, score, letters, digests, provenance, reads = result
        if number is None:
            return None
        about = (self.rules(rules).exercise, Outcome(outcome), score)
        if outcome == Outcome.UNRESOLVED:
            _, _, reason, *_, action, _, _ = self._findings.get(number, [("",) * 12])[0]
            return Mark(*about, (), reads, digests, reason, action, provenance)
        results = self._clean.get((rules, letters))
        if results is None:
            results = self._results(number, rules, letters)
        return Mark(*about, results, reads, digests, "", "", provenance)

    def _results(self, number: int, rules: int, letters: str) -> Results:
        checks = self.rules(rules).exercise.checks
        results = Results(
            checks, letters_of(letters, len(checks)), tuple(self._findings.get(number, ()))
        )
        says = checks[-1].asks_service and checks[-1].advisory  # tests: a pass says what they found
        if letters and not letters.strip("p") and not says:
            results = self._clean[rules, letters] = Results(checks, letters)
        return results
