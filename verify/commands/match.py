"""Shows who was matched by what, before anything is graded: `verify match`."""

from __future__ import annotations

from typing import Any

from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import FAILED, PASSED
from pipeline.terminal.streams import deliver
from verify.batch.limits import Limits
from verify.check import UsageError
from verify.commands.enlisting import (
    counts_line,
    digests,
    ledger_of,
    names_given,
    table,
    write_entries,
)
from verify.commands.gradebooks import carried_out
from verify.exports.exporting import checked
from verify.intake.ledger import UNMATCHED, UNRESOLVED
from verify.intake.matching import UnusableDecisions
from verify.intake.roster import UnusableRoster, read_roster


def match(**options: Any) -> int:
    """Match a collection's entries and return the exit code."""
    return carried_out(lambda: _matched(**options), "")


def _matched(
    sources: list[str],
    roster: str | None,
    layout: str | None,
    decisions: str | None,
    entries: str | None,
) -> int:
    if entries:
        inputs = [*sources, *filter(None, (roster, decisions))]
        checked((), inputs=inputs, beside=[("entries", entries)])
    try:
        learners = read_roster(roster) if roster else None
        ledger = ledger_of(sources, learners, layout or "", decisions)
    except UnusableRoster as error:
        raise UsageError(f"--roster {error}") from None
    except UnusableDecisions as error:
        raise UsageError(f"--decisions {error}") from None
    for _ in ledger.submissions(digests(Limits(), 1, lambda: False)):
        pass
    lines = [table(ledger, given=names_given(ledger, Limits())), counts_line(ledger, "to grade")]
    if entries:
        write_entries(ledger, entries)
        lines.append(f"written: {visible(entries, 300)}")
    deliver("\n".join(lines) + "\n")
    counts = ledger.counts()
    ledger.close()
    return FAILED if counts.get(UNMATCHED) or counts.get(UNRESOLVED) else PASSED
