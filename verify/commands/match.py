"""`verify match`: whose each entry of a collection is, before anything is graded."""

from __future__ import annotations

import argparse
import csv
import re
import sys
from functools import partial
from typing import TYPE_CHECKING

from tabulate import tabulate

from pipeline.bootstrap import called_as
from pipeline.terminal.display import inert, listed, visible
from pipeline.terminal.exit_codes import FAILED, PASSED
from pipeline.terminal.streams import columns, deliver
from verify.batch.limits import Limits
from verify.batch.workers import run
from verify.check import UsageError
from verify.commands.export import check_exports
from verify.commands.gradebooks import gradebook_command
from verify.exports.base import cell, text_file
from verify.intake.collection import ZipCollection
from verify.intake.ledger import GRADED, IGNORED, NAMED, UNMATCHED, UNRESOLVED, Ledger
from verify.intake.matching import Matcher, read_decisions
from verify.intake.opening import collection_of, digest_of
from verify.intake.platforms import PLATFORMS
from verify.intake.roster import Roster, read_roster
from verify.intake.table import Unusable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pipeline.terminal.arguments import Arguments
    from verify.gradebook.records import Enlisted
    from verify.intake.ledger import Row

_LAYOUTS = tuple(platform.name for platform in PLATFORMS)
_NAMES = f"{', '.join(_LAYOUTS)}, or classroom:PREFIX"
_SIGNS = {".pipeline", "sandbox"}  # folders of a submission
_SHOWN = 12  # entries of a collection that does not fit the roster
_HEADERS = ("entry", "learner", "matched by")
_WIDEST = 34  # characters of a name: two fit 80 columns
_REASON = 28  # characters that a reason gets at least on a terminal, with the space before it
_EPILOG = """\
examples:
  python3 -m verify match submissions/ --roster students.csv
  python3 -m verify match class.zip --roster class.csv --entries entries.csv
  python3 -m verify match class.zip --roster class.csv --decisions entries.csv

Fill in the `learner` column of the file that --entries writes, and pass the file with
--decisions. A row without a learner has no effect.

exit codes: 0 every entry has a learner, 1 some entries are unmatched or unresolved, 2 wrong usage
"""


def add_options(parser: Arguments) -> None:
    """Add the options of `verify match`."""
    parser.epilog = _EPILOG
    parser.set_defaults(command=match)
    parser.add_argument(
        "sources",
        metavar="COLLECTION",
        nargs="+",
        help="a folder, a zip, a manifest or a URL, as for verify batch",
    )
    likely = "accept all entries that are to confirm: whose name is only like a learner's"
    parser.add_argument("--accept-likely", dest="likely", action="store_true", help=likely)
    add_roster(parser)  # the group of --roster has only this option here


def add_roster(parser: argparse._ActionsContainer) -> argparse._MutuallyExclusiveGroup:
    """Add the options that say whose each entry is; return the group of `--roster`."""
    platforms = f"the platform that named the entries: {_NAMES}"
    parser.add_argument("--layout", metavar="NAME", type=layout_name, help=platforms)
    decisions = "a table that assigns entries to learners (columns: entry, learner)"
    parser.add_argument("--decisions", metavar="CSV", help=decisions)
    parser.add_argument(
        "--entries", metavar="CSV", help="write a table of the entries and their learners"
    )
    roster = parser.add_mutually_exclusive_group()
    roster.add_argument("--roster", metavar="CSV", help="the learners in the class")
    return roster


def layout_name(text: str) -> str:
    """Return the name of a platform; raises argparse's error for any other text."""
    if text in _LAYOUTS or re.match("classroom:.", text):
        return text
    raise argparse.ArgumentTypeError(f"{visible(text)} is not a layout (expected one of {_NAMES})")


@gradebook_command
def match(
    *,
    sources: list[str],
    roster: str | None,
    layout: str | None,
    decisions: str | None,
    entries: str | None,
    likely: bool,
) -> int:
    """Match a collection's entries and return the exit code."""
    if entries:
        inputs = [*sources, *filter(None, (roster, decisions))]
        check_exports((), inputs=inputs, beside=[("entries", entries)])
    known = read_roster(roster) if roster else None
    ledger = ledger_of(sources, known, layout or "", decisions, accepts_likely=likely)
    for _ in ledger.submissions(partial(digests, limits=Limits(), jobs=1, stopping=lambda: False)):
        pass
    lines = [table(ledger.rows()), counts_line(ledger, "to grade")]
    if entries:
        write_entries(ledger, entries)
        lines.append(f"written: {visible(entries, 300)}")
    deliver("\n".join(lines) + "\n")
    counts = ledger.counts()
    ledger.close()
    return FAILED if counts.get(UNMATCHED) or counts.get(UNRESOLVED) else PASSED


def ledger_of(
    collections: Sequence[str],
    roster: Roster | None,
    layout: str,
    decisions: str | None,
    *,
    accepts_likely: bool = False,
) -> Ledger:
    """Return the entries of collections, each matched on its own.

    Raises `Unusable`, also without any submission, and `UsageError` for unknown decisions.
    """
    decided = read_decisions(decisions, roster) if decisions else {}
    ledger = Ledger()
    for text in collections:
        collection = collection_of(text)
        matcher = Matcher(collection, roster, decided, layout, accepts_likely=accepts_likely)
        if isinstance(collection, ZipCollection) and matcher.is_learners(collection.outer):
            collection = ZipCollection(text, whole=True)
            matcher = Matcher(collection, roster, decided, layout, accepts_likely=accepts_likely)
        ledger.read(collection, matcher)
    entries = {entry for _, entry in decided}
    absent = sorted(entries - ledger.among(entries))
    if absent:
        what = f"no collection has the entr{'ies' if len(absent) > 1 else 'y'} {listed(absent)}"
        raise UsageError(f"--decisions {visible(decisions or '', 300)}: {what}")
    if not ledger.counts().keys() - {IGNORED}:
        places = " and ".join(visible(text, 300) for text in collections)
        what = "there is no submission (expected a folder or an archive for each learner)"
        raise Unusable(f"{places}: {what}")
    return ledger


def refuse_wrong_roster(ledger: Ledger, roster: Roster | None) -> None:
    """Refuse a roster that fewer than half of the entries match; raises `UsageError`."""
    matched, of = ledger.accounts()
    if roster is None or 2 * matched >= of:
        return
    deliver(table(ledger.rows((UNMATCHED,)), _SHOWN))
    raise UsageError(
        f"only {matched:,} of {of:,} accounts match{'es' * (matched == 1)} a learner on the roster:"
        " check both, confirm likely entries with verify match --accept-likely, assign entries with"
        " --decisions, or use --no-roster instead of --roster"
    )


def digests(
    submissions: Sequence[Enlisted], *, limits: Limits, jobs: int, stopping: Callable[[], bool]
) -> list[str]:
    """Return a digest of each submission's files, made in bounded processes; see `digest_of`."""
    count = len(submissions)
    chunks = run(
        _digest, submissions, workers=jobs, limits=limits, expected=count, stopping=stopping
    )
    found = {one: made for chunk in chunks for one, made in chunk if isinstance(made, str)}
    return [found.get(one, "") for one in submissions]


def _digest(one: Enlisted, again: bool) -> str:  # noqa: ARG001, FBT001  # as a worker calls it
    return digest_of(one.kind, one.container, one.inner)


def table(entries: Iterable[Row], most: int | None = None) -> str:
    """Return entries as a table, at most so many: whose each is, by what, or why not.

    On a terminal it is cut to the width: --entries has all of a reason.
    """
    width = columns(sys.stdout) if sys.stdout.isatty() else 0
    widest = min(_WIDEST, max(8, (width - _REASON) // 2)) if width else _WIDEST
    rows: list[tuple[str, str, str]] = []
    for row in entries:
        if len(rows) == most:
            rows.append(("…", "", ""))
            break
        why = row.matched_by or row.reason or ("its own name" if row.learner else row.disposition)
        if row.reason and row.learner:
            why = f"{row.disposition}: {row.reason}"
        rows.append((visible(row.name, widest), visible(row.learner or "-", widest), why))
    if width:
        names = sum(max(len(row[at]) for row in (_HEADERS, *rows)) for at in (0, 1))
        left = max(width - 4 - names, 8)
        rows = [(name, who, visible(why, left)) for name, who, why in rows]
    grid = tabulate(rows, headers=_HEADERS, disable_numparse=True)
    return inert("\n".join(line.rstrip() for line in grid.splitlines()) + "\n")


def entry_lines(ledger: Ledger, *, rostered: bool) -> Iterator[str]:
    """Yield a line for each entry that a person has to look at, or that is ignored."""
    signs = ledger.among(_SIGNS)
    if signs and not rostered:
        grading = f"{called_as('verify')} LEVEL/NN --project DIR"
        step = f"pass the folder that contains it, or grade it with {grading}"
        yield f"found {listed(sorted(signs))}: if this is a single submission, {step}"
    for row in ledger.rows(NAMED):
        is_known = row.learner and row.disposition != UNMATCHED
        who = f" ({visible(row.learner, 60)})" if is_known else ""
        yield f"{visible(row.name, 100)}{who}: {row.disposition}: {visible(row.reason, 300)}"


def counts_line(ledger: Ledger, graded: str = GRADED) -> str:
    """Return how many entries have each disposition, `graded` the first; the numbers add up."""
    counts = ledger.counts()
    names = {GRADED: graded}
    text = ", ".join(f"{count:,} {names.get(name, name)}" for name, count in counts.items())
    total = sum(counts.values())
    return f"{total:,} entr{'y' if total == 1 else 'ies'}: {text}"


def write_entries(ledger: Ledger, path: str) -> None:
    """Write all entries to a CSV file, which may be edited into a table of decisions."""
    containers = [container for _, container in ledger.stamps]
    with text_file(path) as file:
        writer = csv.writer(file)
        writer.writerow(("entry", "learner", "disposition", "reason", "matched by", "collection"))
        for row in ledger.rows():
            who = (row.name, row.learner, row.disposition, row.reason, row.matched_by)
            writer.writerow(map(cell, (*who, containers[row.collection])))
