"""Grades a collection in this process, as `verify batch` does in its workers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from tests.stubs.downloads import EXERCISE
from verify.batch.job import Job, grade_submission, with_rules
from verify.commands.entries import ledger_of
from verify.gradebook.records import Pending
from verify.intake.opening import digest_of, stamp_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.gradebook.records import FoundSubmission
    from verify.intake.roster import Roster


class Result(NamedTuple):
    """What a learner has: findings are their messages with what was found."""

    outcome: str
    score: float | None
    findings: tuple[str, ...]
    late: bool
    submitted: str


class Seen(NamedTuple):
    """Results by learner, and the entries as (name, learner, disposition, reason)."""

    results: dict[str, Result]
    entries: tuple[tuple[str, str, str, str], ...]

    def dispositions(self) -> dict[str, str]:
        """Return the disposition of each entry by its name."""
        return {name: disposition for name, _, disposition, _ in self.entries}


def seen_in(collection: str, roster: Roster) -> Seen:
    """Match and grade a collection."""
    ledger = ledger_of([collection], roster, "", None)
    try:
        found = {}
        submissions = list(ledger.submissions(_digests))
        for number, one in enumerate(submissions):
            found[one.learner] = _graded(number, one)
        assert len(found) == len(submissions)
        ledger.unresolve(
            (one.learner, one.inner, found[one.learner].findings[0])
            for one in submissions
            if found[one.learner].outcome == "unresolved"
        )
        entries = tuple(
            (row.name, row.learner, row.disposition, row.reason) for row in ledger.rows()
        )
        return Seen(found, entries)
    finally:
        ledger.close()


@lru_cache
def _job() -> Job:
    return with_rules(Job((EXERCISE,), ()))


def _graded(number: int, one: FoundSubmission) -> Result:
    stamp = stamp_for(one.kind, one.container)
    pending = Pending(number, one.kind, one.container, one.inner, (), one.conflict)
    (mark,) = grade_submission(_job(), (pending, stamp), again=False).marks
    assert mark is not None
    findings = [finding for result in mark.results for finding in result.findings]
    messages = (mark.reason, *(f"{each.message} {each.found}".strip() for each in findings))
    return Result(mark.outcome, mark.graded, tuple(filter(None, messages)), one.late, one.submitted)


def _digests(submissions: Sequence[FoundSubmission]) -> list[str]:
    return [digest_of(one.kind, one.container, one.inner) for one in submissions]
