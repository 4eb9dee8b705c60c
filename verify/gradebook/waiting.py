"""Reads what is to be graded: in pieces, so that the gradebook may be written meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verify.gradebook.records import Known, Pending
from verify.gradebook.stored import SHORT

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

_HELD = 10_000  # texts of questions in memory; there are a few, unless somebody makes many
_PIECE = 4_000  # submissions read at a time: no reader stays open while results are written

_COLUMNS = "s.id, s.kind, s.container, s.inner, s.conflict"
LAST = (
    " AND NOT EXISTS (SELECT 1 FROM submission t"
    " WHERE t.learner = s.learner AND t.attempt > s.attempt AND t.seen = s.seen)"
)


def pending(
    connection: sqlite3.Connection,
    run: int,
    rules: Sequence[tuple[str, int] | None],
    *,
    latest: bool,
) -> Iterator[Pending]:
    """Yield the submissions that a run met, by their ids.

    `rules` are the exercises, each with the id of the rules under which an earlier result may
    stand; None where there is no such result.
    """
    asked = [pair for pair in rules if pair is not None]
    query = _query(len(asked), latest=latest)
    values = [value for pair in asked for value in pair]
    texts = _Texts(connection)
    after = -1
    while piece := connection.execute(query, (*values, run, after, _PIECE)).fetchall():
        after = piece[-1][0]
        if not asked:
            for number, kind, container, inner, conflict in piece:
                yield Pending(number, kind, container, inner, (), conflict)
            continue
        for number, kind, container, inner, conflict, *found in piece:
            known = _known(rules, found, texts)
            yield Pending(number, kind, container, inner, known, conflict)


def expected(connection: sqlite3.Connection, run: int, *, latest: bool) -> int:
    """Return how many submissions `pending` yields."""
    what = "DISTINCT learner" if latest else "*"  # one of a learner's attempts is the last
    query = f"SELECT count({what}) FROM submission WHERE seen = ?"  # noqa: S608  # our own words
    return int(connection.execute(query, (run,)).fetchone()[0])


class _Texts(dict[int, str]):
    """The texts of questions by their ids, each read once: the same are asked of nearly all."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__()
        self._connection = connection

    def __missing__(self, number: int) -> str:
        if len(self) >= _HELD:
            self.clear()
        query = "SELECT text FROM questions WHERE id = ?"
        text: str = self._connection.execute(query, (number,)).fetchone()[0]
        if len(text) <= SHORT:
            self[number] = text
        return text


def _known(
    rules: Sequence[tuple[str, int] | None], found: list[Any], texts: _Texts
) -> tuple[Known | None, ...]:
    """Return what is known of each exercise; `found` has an id and a blob for each one asked."""
    if not any(found):
        return ()
    known: list[Known | None] = []
    pairs = iter(zip(found[::2], found[1::2], strict=True))
    for pair in rules:
        questions, answers = next(pairs) if pair is not None else (0, None)
        known.append(None if answers is None else Known(texts[questions], answers))
    return tuple(known)


def _query(exercises: int, *, latest: bool) -> str:
    joins = "".join(
        f" LEFT JOIN result r{n} ON r{n}.submission = s.id AND r{n}.exercise = ?"
        f" AND r{n}.superseded IS NULL AND r{n}.rules = ?"
        f" AND r{n}.outcome <> 'error'"
        for n in range(exercises)
    )
    columns = "".join(f", r{n}.questions, r{n}.answers" for n in range(exercises))
    return (
        f"SELECT {_COLUMNS}{columns} FROM submission s{joins}"  # noqa: S608  # numbers only
        f" WHERE s.seen = ? AND s.id > ?{LAST if latest else ''} ORDER BY s.id LIMIT ?"
    )
