"""Reads what is to be graded: in pieces, so that the gradebook may be written meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verify.gradebook.records import Known, Pending

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

_PIECE = 4_000  # submissions read at a time: no reader stays open while results are written

_COLUMNS = "s.id, s.kind, s.container, s.inner"
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
    after = -1
    while piece := connection.execute(query, (*values, run, after, _PIECE)).fetchall():
        after = piece[-1][0]
        if not asked:
            for number, kind, container, inner in piece:
                yield Pending(number, kind, container, inner, ())
            continue
        for number, kind, container, inner, *found in piece:
            yield Pending(number, kind, container, inner, _known(rules, found))


def expected(connection: sqlite3.Connection, run: int, *, latest: bool) -> int:
    """Return how many submissions `pending` yields."""
    what = "DISTINCT learner" if latest else "*"  # one of a learner's attempts is the last
    query = f"SELECT count({what}) FROM submission WHERE seen = ?"  # noqa: S608  # our own words
    return int(connection.execute(query, (run,)).fetchone()[0])


def _known(rules: Sequence[tuple[str, int] | None], found: list[Any]) -> tuple[Known | None, ...]:
    """Return what is known of each exercise; `found` has a text and a blob for each one asked."""
    pairs = iter(zip(found[::2], found[1::2], strict=True))
    known = [None if pair is None else Known(*next(pairs)) for pair in rules]
    if not any(found):
        return ()
    return tuple(one if one and one.answers is not None else None for one in known)


def _query(exercises: int, *, latest: bool) -> str:
    joins = "".join(
        f" LEFT JOIN result r{n} ON r{n}.submission = s.id AND r{n}.exercise = ?"
        f" AND r{n}.superseded IS NULL AND r{n}.rules = ?"
        f" AND r{n}.outcome <> 'error' LEFT JOIN questions q{n} ON q{n}.id = r{n}.questions"
        for n in range(exercises)
    )
    columns = "".join(f", q{n}.text, r{n}.answers" for n in range(exercises))
    return (
        f"SELECT {_COLUMNS}{columns} FROM submission s{joins}"  # noqa: S608  # numbers only
        f" WHERE s.seen = ? AND s.id > ?{LAST if latest else ''} ORDER BY s.id LIMIT ?"
    )
