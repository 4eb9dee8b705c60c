"""`verify match`: whose each entry of a collection is, before anything is graded."""

from __future__ import annotations

import argparse
import csv
import os
import re
import sys
from argparse import Namespace
from contextlib import closing
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from tabulate import tabulate

from pipeline.bootstrap import called_as
from pipeline.terminal.display import inert, listed, visible
from pipeline.terminal.exit_codes import FAILED, PASSED
from pipeline.terminal.streams import columns, deliver
from verify.batch.limits import Limits
from verify.batch.workers import run
from verify.check import UsageError
from verify.commands.export import check_exports
from verify.commands.gradebooks import (
    add_gradebook,
    gradebook_command,
    note,
    now,
    unknown_name,
    user,
)
from verify.exports.base import cell, text_file
from verify.gradebook.keeping import decide, decisions_in, forget, holders, known_learners
from verify.gradebook.reading import learners
from verify.gradebook.records import Decision, Learner
from verify.gradebook.store import files_of, reading, transaction, utf8, writing
from verify.intake.collection import ZipCollection, safe_name
from verify.intake.ledger import GRADED, IGNORED, NAMED, UNMATCHED, UNRESOLVED, Ledger
from verify.intake.matching import LIKELY, Matcher, by_entry, read_decisions
from verify.intake.opening import collection_of, digest_of
from verify.intake.platforms import PLATFORMS
from verify.intake.roster import Roster, read_roster
from verify.intake.table import Unusable

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

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
  python3 -m verify match class.zip --roster class.csv --accept-likely
  python3 -m verify match                       list the decisions in the gradebook
  python3 -m verify match --forget 'Wei Li'     remove the decision for an entry

Fill in the `learner` column of the file that --entries writes, and pass the file to verify batch
with --decisions. A row without a learner has no effect. The gradebook keeps the decisions.

exit codes: 0 every entry has a learner, 1 some entries are unmatched or unresolved, 2 wrong usage
"""


def add_options(parser: Arguments) -> None:
    """Add the options of `verify match`."""
    parser.epilog = _EPILOG
    parser.set_defaults(command=match)
    parser.add_argument(
        "sources",
        metavar="COLLECTION",
        nargs="*",
        help="a folder, a zip, a manifest or a URL, as for verify batch",
    )
    likely = "accept all entries that are to confirm, and keep these decisions in the gradebook"
    parser.add_argument("--accept-likely", dest="likely", action="store_true", help=likely)
    add_roster(parser)  # the group of --roster has only this option here
    add_gradebook(parser)
    parser.add_argument(
        "--forget",
        metavar="ENTRY",
        action="append",
        default=[],
        help="remove the decision for this entry from the gradebook; can be repeated",
    )


def add_roster(parser: argparse._ActionsContainer) -> argparse._MutuallyExclusiveGroup:
    """Add the options that say whose each entry is; return the group of `--roster`."""
    platforms = f"the platform that named the entries: {_NAMES}"
    parser.add_argument("--layout", metavar="NAME", type=layout_name, help=platforms)
    decisions = "a table that assigns entries to learners (columns: entry, learner, why)"
    parser.add_argument("--decisions", metavar="CSV", help=decisions)
    parser.add_argument(
        "--entries", metavar="CSV", help="write a table of the entries and their learners"
    )
    roster = parser.add_mutually_exclusive_group()
    roster.add_argument("--roster", metavar="CSV", help="the learners in the class")
    key = "the column of --roster with the learners' keys"
    parser.add_argument("--key", metavar="COLUMN", default="", help=key)
    return roster


def new_roster(request: Namespace) -> Roster | None:
    """Return the roster that the command line names, None for none; raises `UsageError`."""
    if request.key and not request.roster:
        raise UsageError("--key names a column of the roster: add --roster")
    return read_roster(request.roster, request.key) if request.roster else None


def layout_name(text: str) -> str:
    """Return the name of a platform; raises argparse's error for any other text."""
    if text in _LAYOUTS or re.match("classroom:.", text):
        return text
    raise argparse.ArgumentTypeError(f"{visible(text)} is not a layout (expected one of {_NAMES})")


@gradebook_command
def match(**options: Any) -> int:
    """Match a collection's entries, list or forget decisions, and return the exit code."""
    request = Namespace(**options)
    if request.forget:
        _forget(request.gradebook, request.forget)
    if not request.sources and (request.roster or request.decisions or request.entries):
        raise UsageError("there is no collection to match: add a folder, a zip or a manifest")
    if request.entries:
        inputs = [*request.sources, *filter(None, (request.roster, request.decisions))]
        inputs += files_of(request.gradebook)
        check_exports((), inputs=inputs, beside=[("entries", request.entries)])
    kept = Kept(None)
    if os.path.exists(request.gradebook):
        with reading(request.gradebook) as connection:
            kept = kept_in(connection)
    lines = [f"decision: {_decision_line(each)}" for each in kept.decisions]
    if not request.sources:
        deliver(inert("\n".join(lines or ["The gradebook has no decisions."])) + "\n")
        return PASSED
    return _matched(request, kept, lines)


def _matched(request: Namespace, kept: Kept, lines: Sequence[str]) -> int:
    roster = new_roster(request)
    kept = kept.with_roster(roster) if roster is not None else kept
    note_kept(request, kept)
    new = read_decisions(request.decisions, kept.roster) if request.decisions else []
    how = (kept.roster, request.layout or "", kept, new)
    with closing(ledger_of(request.sources, *how, likely=request.likely)) as ledger:
        refuse_absent(ledger, request.decisions or "", new)
        alone = partial(digests, limits=Limits(), jobs=1, stopping=lambda: False)
        for _ in ledger.submissions(alone):
            pass
        text = [table(ledger.rows()), counts_line(ledger, "to grade"), *map(inert, lines)]
        if request.entries:
            write_entries(ledger, request.entries)
            text.append(f"written: {visible(request.entries, 300)}")
        if request.likely and (made := list(_accepted(ledger))):
            with writing(request.gradebook) as connection:
                decide(connection, made)
            text.append(f"kept in {visible(request.gradebook, 300)}: {len(made):,} accepted")
        deliver("\n".join(text) + "\n")
        counts = ledger.counts()
    return FAILED if counts.get(UNMATCHED) or counts.get(UNRESOLVED) else PASSED


def _accepted(ledger: Ledger) -> Iterator[Decision]:
    """Yield a decision for each entry that is only likely to be a learner's."""
    containers = [container for _, container in ledger.stamps]
    for row in ledger.rows():
        if row.matched_by.startswith(LIKELY) and row.disposition != UNRESOLVED:
            at = (containers[row.collection], row.name, row.learner)
            yield Decision(*at, f"accepted: {row.matched_by}", user(), now())


def _forget(gradebook: str, entries: Sequence[str]) -> None:
    with writing(gradebook, existing=True) as connection, transaction(connection):
        found = decisions_in(connection)
        for entry in map(utf8, entries):
            if entry not in {decision.entry for decision in found}:
                raise unknown_name("decision for", entry, {decision.entry for decision in found})
            forget(connection, entry)
    gone = [each for each in found if each.entry in {*map(utf8, entries)}]
    deliver("".join(f"{inert(f'forgotten: {_decision_line(each)}')}\n" for each in gone))


def _decision_line(made: Decision) -> str:
    why = f", {visible(made.why, 200)}" if made.why else ""
    where = f" in {visible(made.collection, 200)}" if made.collection else ""
    return (
        f"{visible(made.entry, 100)}{where}: {visible(made.learner, 60)}"
        f" (by {visible(made.by, 60)}, {made.made}{why})"
    )


class Kept(NamedTuple):
    """What a gradebook keeps for the next run: a roster, and decisions under its keys.

    `moved` has the new keys of learners of `former` rosters, by the old ones; `holders` have an
    override or a decision.
    """

    roster: Roster | None
    decisions: Sequence[Decision] = ()
    former: Roster | None = None
    holders: Sequence[Learner] = ()
    moved: Mapping[str, str] = MappingProxyType({})

    def with_roster(self, roster: Roster | None) -> Kept:
        """Return what is kept if a run has another roster, or none."""
        moved: dict[str, str] = {}
        if roster is not None and self.former is not None:
            for learner in self.holders:
                now = None if roster.has(learner.key) else roster.successor(learner, self.former)
                moved |= {learner.key: now} if now else {}
        decisions = [
            made._replace(learner=moved.get(made.learner, made.learner)) for made in self.decisions
        ]
        return self._replace(roster=roster, decisions=decisions, moved=moved)


def kept_in(connection: sqlite3.Connection) -> Kept:
    """Return what a gradebook keeps."""
    known = list(known_learners(connection)) if (keys := holders(connection)) else []
    by_key = {learner.key: learner for learner in known}
    found = [by_key.get(key, Learner(key)) for key in keys]
    former = _roster_of([*known, *(each for each in found if each.key not in by_key)])
    roster = _roster_of(learners(connection))
    return Kept(roster if len(roster) else None, decisions_in(connection), former, found)


def _roster_of(known: Iterable[Learner]) -> Roster:
    known = list(known)
    return Roster(enumerate(known), dict.fromkeys(name for one in known for name in one.ids))


def note_kept(request: Namespace, kept: Kept) -> None:
    """Say which roster and decisions of the gradebook are used, and whose key has changed."""
    place = visible(request.gradebook, 300)
    for line in kept.roster.left_out if kept.roster is not None else ():
        note(line)
    if kept.roster is not None and not request.roster:
        number = len(kept.roster)
        what = f"the roster in {place} is used ({number:,} learner{'s' * (number != 1)})"
        note(f"{what}: --roster replaces it, --no-roster removes it")
    if kept.decisions:
        number = len(kept.decisions)
        what = f"{number:,} decision{'s are' if number > 1 else ' is'} kept in {place}"
        note(f"{what}: verify match lists them, verify match --forget ENTRY removes one")
    for before, after in kept.moved.items():
        what = f"{visible(before, 60)} is now {visible(after, 60)}"
        note(f"{what}: the overrides and decisions follow")


def ledger_of(
    collections: Sequence[str],
    roster: Roster | None,
    layout: str,
    kept: Kept | None = None,
    decisions: Sequence[Decision] = (),
    *,
    likely: bool = False,
) -> Ledger:
    """Return the entries of collections, each matched on its own; raises `Unusable`."""
    found = [collection_of(text) for text in collections]
    places = [safe_name(collection.container) for collection in found]
    decided = by_entry(kept.decisions if kept else (), decisions, places)
    ledger = Ledger()
    for collection in found:
        matcher = Matcher(collection, roster, decided, layout, accepts_likely=likely)
        if isinstance(collection, ZipCollection) and matcher.is_learners(collection.outer):
            whole = ZipCollection(collection.container, whole=True)
            ledger.read(whole, Matcher(whole, roster, decided, layout, accepts_likely=likely))
        else:
            ledger.read(collection, matcher)
    if not ledger.counts().keys() - {IGNORED}:
        places = [visible(text, 300) for text in collections]
        what = "there is no submission (expected a folder or an archive for each learner)"
        raise Unusable(f"{' and '.join(places)}: {what}")
    return ledger


def refuse_absent(ledger: Ledger, path: str, decisions: Sequence[Decision]) -> None:
    """Refuse a table of decisions for entries that no collection has; raises `UsageError`."""
    entries = {decision.entry for decision in decisions}
    absent = sorted(entries - ledger.among(entries))
    if absent:
        what = f"no collection has the entr{'ies' if len(absent) > 1 else 'y'} {listed(absent)}"
        raise UsageError(f"--decisions {visible(path, 300)}: {what}")


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
