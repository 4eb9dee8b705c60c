"""Batches and their results as bytes: columns of plain values, which cost little to pickle.

A named tuple is pickled with its class, one by one: that costs a cohort more than its grading.
"""

from __future__ import annotations

import pickle
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

from verify.batch.work import Batch, Graded, Item
from verify.gradebook.records import Known, Record

if TYPE_CHECKING:
    from collections.abc import Sequence

_PROTOCOL = 5
# without a function of Python's for each: the grader unpacks what all its workers send
_as_record = partial(tuple.__new__, Record)
_as_graded = partial(tuple.__new__, Graded)


def packed_batch(batch: Batch) -> bytes:
    """Return a batch as bytes."""
    ids, payloads, known, conflicts = zip(*batch.items, strict=True)
    before = [[one and tuple(one) for one in each] for each in known] if any(known) else None
    columns = (batch.kind, batch.container, ids, payloads, before, conflicts)
    return pickle.dumps(columns, _PROTOCOL)


def unpacked_batch(data: bytes) -> Batch:
    """Return the batch that `packed_batch` made the bytes of: they are never anybody else's."""
    kind, container, ids, payloads, before, conflicts = pickle.loads(data)  # noqa: S301  # our own bytes
    if before is None:
        return Batch(kind, container, tuple(map(Item, ids, payloads, repeat(()), conflicts)))
    known = [tuple(one and Known._make(one) for one in each) for each in before]
    return Batch(kind, container, tuple(map(Item, ids, payloads, known, conflicts)))


def packed_results(results: Sequence[Graded]) -> bytes:
    """Return what came of a batch as bytes; each has as many records as the others."""
    texts: dict[str, str] = {}  # the same questions are asked of all: one object is sent once
    ids = [each.id for each in results]
    rows = [record and _row(record, texts) for each in results for record in each.records]
    return pickle.dumps((ids, len(rows) // max(len(ids), 1), rows), _PROTOCOL)


def _row(record: Record, texts: dict[str, str]) -> tuple[Any, ...]:
    outcome, score, outcomes, questions, answers, findings, crash, *more = record
    return (
        outcome,
        score,
        texts.setdefault(outcomes, outcomes),
        texts.setdefault(questions, questions),
        answers,
        findings,
        crash,
        *more,
    )


def unpacked_results(data: bytes) -> tuple[Graded, ...]:
    """Return the results that `packed_results` made the bytes of: they are never others'."""
    ids, width, rows = pickle.loads(data)  # noqa: S301  # our own bytes
    records = iter([row and _as_record(row) for row in rows])
    return tuple(map(_as_graded, zip(ids, zip(*[records] * width, strict=True), strict=True)))
