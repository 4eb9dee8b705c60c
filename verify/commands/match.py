"""Shows who was matched by what, before anything is graded: `verify match`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

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
from verify.commands.gradebooks import exit_code_of
from verify.exports.exporting import check_exports
from verify.intake.ledger import UNMATCHED, UNRESOLVED
from verify.intake.matching import UnusableDecisions
from verify.intake.platforms.base import LAYOUTS
from verify.intake.roster import UnusableRoster, read_roster

if TYPE_CHECKING:
    from pipeline.terminal.arguments import Arguments

_EPILOG = """\
examples:
  python3 -m verify match submissions/ --roster students.csv
  python3 -m verify match download.zip --roster students.csv --entries entries.csv
  python3 -m verify match download.zip --roster students.csv --decisions entries.csv

Fill in the column `learner` of the file that --entries writes, and name it with --decisions. A
row without a learner decides nothing.

exit codes: 0 every entry has its learner, 1 some are unmatched or unresolved, 2 wrong usage
"""


def add_options(parser: Arguments) -> None:
    """Add the options of `verify match`."""
    parser.epilog = _EPILOG
    parser.set_defaults(command=match)
    parser.add_argument(
        "sources", metavar="COLLECTION", nargs="+", help="as for verify batch: a folder, a zip, …"
    )
    add_roster(parser)  # the group of --roster has no other option here


def match(**options: Any) -> int:
    """Match a collection's entries and return the exit code."""
    return exit_code_of(lambda: _matched(**options), "")


def _matched(
    sources: list[str],
    roster: str | None,
    layout: str | None,
    decisions: str | None,
    entries: str | None,
) -> int:
    if entries:
        inputs = [*sources, *filter(None, (roster, decisions))]
        check_exports((), inputs=inputs, beside=[("entries", entries)])
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


def add_roster(parser: argparse._ActionsContainer) -> argparse._MutuallyExclusiveGroup:
    """Add the options that say whose each entry is; return the group of `--roster`."""
    parser.add_argument(
        "--layout",
        metavar="NAME",
        type=layout_name,
        help=f"read names as one platform writes them: {', '.join(LAYOUTS)}[:PREFIX]",
    )
    parser.add_argument(
        "--decisions", metavar="CSV", help="whose an entry is: columns entry and learner"
    )
    parser.add_argument(
        "--entries", metavar="CSV", help="write what becomes of each entry to this file"
    )
    roster = parser.add_mutually_exclusive_group()
    roster.add_argument("--roster", metavar="CSV", help="who is in the class")
    return roster


def layout_name(text: str) -> str:
    """Return the name of a platform; raises argparse's error for any other text."""
    name, colon, prefix = text.partition(":")
    if name in LAYOUTS and (not colon or (name == "classroom" and prefix)):
        return text
    expected = f"one of {', '.join(LAYOUTS)}, or classroom:PREFIX"
    raise argparse.ArgumentTypeError(f"{visible(text)} is not a layout (expected {expected})")
