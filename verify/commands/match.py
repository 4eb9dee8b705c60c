"""Shows who was matched by what, before anything is graded: `verify match`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipeline.display import visible
from pipeline.exit_codes import FAILED, PASSED
from pipeline.streams import deliver
from verify.batch.workers import limits_of
from verify.commands.batch_options import add_roster, layout_name
from verify.commands.enlisting import counts_line, digests, ledger_of, table, write_entries
from verify.commands.gradebooks import carried_out
from verify.intake.ledger import UNMATCHED, UNRESOLVED
from verify.intake.matching import UnusableDecisions
from verify.intake.roster import UnusableRoster, read_roster
from verify.request import UsageError

if TYPE_CHECKING:
    import argparse

    from pipeline.help import Arguments

_EPILOG = """\
examples:
  verify match submissions/ --roster students.csv
  verify match download.zip --roster students.csv --entries entries.csv
  verify match download.zip --roster students.csv --decisions entries.csv

Change the column `learner` of the file that --entries writes, and give it back with --decisions.

exit codes: 0 every entry has its learner, 1 some are unmatched or unresolved, 2 wrong usage
"""


def add_match(commands: argparse._SubParsersAction[Arguments]) -> None:
    """Add the command that shows whose each submission is."""
    parser = commands.add_parser(
        "match", help="show whose each submission is, and grade nothing", epilog=_EPILOG
    )
    parser.set_defaults(command=match)
    parser.add_argument(
        "sources", metavar="COLLECTION", nargs="+", help="as for verify batch: a folder, a zip, …"
    )
    add_roster(parser)


def match(**options: Any) -> int:
    """Match a collection's entries and return the exit code."""
    return carried_out(lambda: _matched(**options), "")


def _matched(
    sources: list[str], roster: str | None, layout: str, decisions: str | None, entries: str | None
) -> int:
    try:
        learners = read_roster(roster) if roster else None
        ledger = ledger_of(sources, learners, layout, decisions)
    except UnusableRoster as error:
        raise UsageError(f"--roster {error}") from None
    except UnusableDecisions as error:
        raise UsageError(f"--decisions {error}") from None
    for _ in ledger.submissions(digests(limits_of(2.0, 300), 1, lambda: False)):
        pass
    lines = [table(ledger), counts_line(ledger)]
    if entries:
        write_entries(ledger, entries)
        lines.append(f"written: {visible(entries, 300)}")
    deliver("\n".join(lines) + "\n")
    counts = ledger.counts()
    ledger.close()
    return FAILED if counts.get(UNMATCHED) or counts.get(UNRESOLVED) else PASSED


__all__ = ["add_match", "layout_name", "match"]
