"""The entries of a run: whose each is by the roster and the decisions, and how they are shown."""

from __future__ import annotations

import argparse
import csv
import json
import shlex
import sys
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from pipeline.bootstrap import called_as
from pipeline.terminal.display import (
    counted,
    did_you_mean,
    fitted,
    inert,
    listed,
    visible,
    width_of,
)
from pipeline.terminal.streams import columns, deliver
from verify.child.limits import Limits
from verify.child.workers import run
from verify.commands.gradebook_command import moved_line, note, now, user
from verify.exports.base import cell, text_file
from verify.gradebook.keeping import KEPT, decide, decided, identities_of_held, renamed
from verify.gradebook.reading import learners
from verify.gradebook.recording import RunRecorder
from verify.gradebook.store import copied, files_of
from verify.intake.collection import container_at, safe_name, table_name
from verify.intake.groups import groups_of, read_groups
from verify.intake.ledger import GRADED, IGNORED, NAMED, UNMATCHED, UNRESOLVED, Ledger
from verify.intake.matching import ALL, DECISION, GROUP, Matcher, is_pattern, read_decisions
from verify.intake.opening import collection_of, digest_of
from verify.intake.pattern import NamePattern, suggested
from verify.intake.platforms import PLATFORMS
from verify.intake.roster import Roster, read_roster, roster_in
from verify.intake.table import Unusable
from verify.intake.zip_collection import ZipCollection
from verify.learner.check import UsageError
from verify.reporters.table import grid
from verify.submissions.files import archive_suffix

if TYPE_CHECKING:
    import sqlite3
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from verify.gradebook.records import FoundSubmission
    from verify.intake.groups import Groups
    from verify.intake.ledger import MatchedEntry

_LAYOUTS = tuple(platform.name for platform in PLATFORMS)
_PREFIXED = [f"{platform.name}:" for platform in PLATFORMS if platform.has_prefix]
_EXAMPLE = "'{id}-{any} - {name}'"
_NAMES = f"{', '.join(_LAYOUTS)}, {ALL}, or {', '.join(f'{name}PREFIX' for name in _PREFIXED)}"
_LAYOUT = """
SELECT json_extract(options, '$.naming') FROM run WHERE kind = 'grade' AND EXISTS (
  SELECT 1 FROM json_each(sources) s JOIN json_each(?) p ON p.value = json_extract(s.value, '$[1]'))
ORDER BY id DESC LIMIT 1
"""
_SIGNS = {".pipeline", "sandbox"}  # folders of a submission
_LIMITS = Limits()
_SHOWN = 12  # entries of a collection that does not fit the roster
_HEADERS = ("entry", "learner", "matched by")
_WIDEST = 34  # characters of a name: two fit 80 columns
_REASON = 28  # characters that a reason gets at least on a terminal, with the space before it


def add_roster(parser: argparse._ActionsContainer) -> argparse._MutuallyExclusiveGroup:
    """Add the options that say whose each entry is; return the group of `--roster`."""
    platforms = f"how the entries are named: by a platform ({_NAMES}) or a pattern ({_EXAMPLE})"
    parser.add_argument("--layout", metavar="NAME", type=layout_name, help=platforms)
    decisions = "a table that assigns entries to learners (columns: entry, learner, why)"
    parser.add_argument("--decisions", metavar="CSV", help=decisions)
    groups = "who is in which group: a group's submission counts for each member"
    parser.add_argument("--groups", metavar="CSV", help=groups)
    parser.add_argument(
        "--entries", metavar="CSV", help="write a table of the entries and their learners"
    )
    roster = parser.add_mutually_exclusive_group()
    roster.add_argument("--roster", metavar="CSV", help="the learners in the class")
    key = "the column of --roster with the learners' keys"
    parser.add_argument("--key", metavar="COLUMN", default="", help=key)
    return roster


def layout_name(text: str) -> str:
    """Return the name of a platform, or a pattern; raises argparse's error for any other text."""
    if is_pattern(text):
        try:
            NamePattern(text)
        except ValueError as error:
            what = f"{visible(text, 300)} is not a pattern: {error}"
            raise argparse.ArgumentTypeError(what) from None
        return text
    name, colon, prefix = text.partition(":")
    if text in (*_LAYOUTS, ALL) or (f"{name}{colon}" in _PREFIXED and prefix):
        return text
    raise argparse.ArgumentTypeError(
        f"{visible(text)} is not a layout (expected one of {_NAMES}, or a pattern such as"
        f" {_EXAMPLE})"
    )


def inputs_of(request: Namespace) -> list[str]:
    """Return the instructor's own files, which must not be overwritten."""
    paths = [path for path in request.sources if "://" not in path]
    tables = filter(None, (request.roster, request.decisions, request.groups))
    return [*paths, *tables, *files_of(request.gradebook)]


class Intake:
    """Who is in the class and whose entries are whose: by the command line, else by the gradebook.

    `roster` is None if there is none; `moved` has new keys of learners, each with the old one.
    """

    def __init__(self, request: Namespace) -> None:
        self._request = request
        self.kept = copied(request.gradebook, (*KEPT, "run"))
        self._again = self._layout_of_last_run() if request.layout is None else ""
        request.layout = request.layout or self._again
        if request.key and not request.roster:
            raise UsageError("--key names a column of the roster: add --roster")
        self.roster: Roster | None = None
        if request.roster:
            self.roster = read_roster(request.roster, request.key)
        elif request.keep_roster:
            self.roster = roster_in(self.kept) or None
        path = request.decisions
        self._decisions = read_decisions(path, self.roster) if path else []
        self._groups = groups_of(learners(self.kept))
        if request.groups:
            if self.roster is None:
                raise UsageError("--groups needs the learners in the class: add --roster")
            self._groups = read_groups(request.groups, self.roster)
        before = identities_of_held(self.kept)
        self.moved = self.store(self.kept)
        self._renamed = renamed(before, identities_of_held(self.kept))

    def store(self, connection: sqlite3.Connection) -> list[tuple[str, str]]:
        """Keep the roster and the decisions of the command line in a gradebook."""
        recorder, roster = RunRecorder(connection, user()), self.roster
        moved: list[tuple[str, str]] = []
        if roster is None:
            recorder.enrol(())
        elif self._request.roster or self._request.groups:
            moved = recorder.enrol(self._groups.added_to(roster.rows()), roster.identities())
        decide(connection, self._decisions, user(), now())
        return moved

    def _layout_of_last_run(self) -> str:
        """Return how the last run that read one of these collections took the names."""
        places = [*map(container_at, self._request.sources)]
        found = self.kept.execute(_LAYOUT, (json.dumps(places),)).fetchone()
        return str(found[0] or "") if found else ""

    def tell(self, ledger: Ledger) -> None:
        """Say what of the gradebook is used, whose key has changed, and what groups lack."""
        place = visible(self._request.gradebook, 300)
        for line in self.roster.left_out if self.roster is not None else ():
            note(line)
        if self.roster is not None and not self._request.roster:
            what = f"the roster in {place} is used ({counted(len(self.roster), 'learner')})"
            note(f"{what}: --roster replaces it, --no-roster removes it")
        if self._again:
            what = f"the layout {visible(self._again, 300)} of the last run is used"
            note(f"{what}: --layout {ALL} uses those of all platforms")
        if self._groups:
            for line in self._groups.lines(ledger.learners_by(GROUP, DECISION)):
                note(line)
        if self.moved:
            note(moved_line(self.moved))
        if self._renamed:
            names = listed([f"{key} was {old}, is {new}" for key, old, new in self._renamed])
            kept = "what was decided about these keys stays: if they are other people now, use"
            ways = "verify override KEY --withdraw or verify match --forget ENTRY"
            note(f"other names than before: {names}; {kept} {ways}")

    def suggested_layout(self, ledger: Ledger) -> str:
        """Return a line with a pattern for the entries without a learner, empty for none."""
        roster, layout = self.roster, self._request.layout or ""
        if roster is None or is_pattern(layout):
            return ""
        rows = (row for row in ledger.rows((UNMATCHED, IGNORED)) if not row.learner)
        stems = (row.name.removesuffix(archive_suffix(row.name)) for row in rows)
        pattern, count = suggested(
            stems,
            lambda text: roster.by_key(text) is not None,
            lambda text: roster.by_name(text) is not None,
        )
        what = f"{count:,} entries without a learner have an id or a name of the roster"
        return f"{what}: try --layout {shlex.quote(pattern)}\n" if pattern else ""

    def ledger(self, *, likely: bool = False) -> Ledger:
        """Return the entries of the run's collections; raises `Unusable`, and `UsageError`."""
        request, entries = self._request, {row[1] for row in self._decisions}
        ledger = ledger_of(
            *(request.sources, self.roster, request.layout, self.kept),
            groups=self._groups,
            likely=likely,
        )
        if absent := sorted(entries - ledger.among(entries)):
            what = f"no collection has the entr{'ies' if absent[1:] else 'y'} {listed(absent)}"
            what += did_you_mean(absent[0], (row.name for row in ledger.rows()))
            raise UsageError(f"--decisions {visible(request.decisions, 300)}: {what}")
        return ledger


def ledger_of(
    collections: Sequence[str],
    roster: Roster | None,
    layout: str | None,
    kept: sqlite3.Connection | None = None,
    *,
    groups: Groups | None = None,
    likely: bool = False,
) -> Ledger:
    """Return the entries of collections, each matched on its own; raises `Unusable`.

    `kept` has the decisions of people.
    """
    found = [collection_of(text) for text in collections]
    places = [safe_name(collection.container) for collection in found]
    decisions = decided(kept, places) if kept else {}
    matcher = partial(
        Matcher,
        roster=roster,
        decisions=decisions,
        layout=layout or "",
        groups=groups,
        accepts_likely=likely,
    )
    ledger = Ledger()
    for text, collection in zip(collections, found, strict=True):
        whole = collection
        if isinstance(collection, ZipCollection) and matcher(collection).is_learners(
            collection.outer
        ):
            whole = ZipCollection(text, whole=True)
        ledger.read(whole, matcher(whole))
    if not ledger.counts().keys() - {IGNORED}:
        where = " and ".join(visible(text, 300) for text in collections)
        what = "there is no submission (expected a folder or an archive for each learner)"
        raise Unusable(f"{where}: {what}")
    return ledger


def refuse_wrong_roster(ledger: Ledger, roster: Roster | None) -> None:
    """Refuse a roster that fewer than half of the entries match; raises `UsageError`."""
    matched, of = ledger.accounts()
    if roster is None or 2 * matched >= of:
        return
    deliver(table(ledger.rows((UNMATCHED,)), _SHOWN))
    raise UsageError(
        f"only {matched:,} of {of:,} submissions match{'es' * (matched == 1)} a learner on the"
        " roster: check the roster, and that the collection has a folder or an archive for each"
        " learner; confirm likely entries with verify match --accept-likely, assign entries with"
        " --decisions, or use --no-roster instead of --roster"
    )


def digests(
    submissions: Sequence[FoundSubmission],
    *,
    limits: Limits = _LIMITS,
    jobs: int = 1,
    stopping: Callable[[], bool] = lambda: False,
) -> list[str]:
    """Return a digest of each submission's files, made in bounded processes; see `digest_of`."""
    count = len(submissions)
    chunks = run(
        _digest, submissions, workers=jobs, limits=limits, expected=count, stopping=stopping
    )
    found = {task: made for chunk in chunks for task, made in chunk if isinstance(made, str)}
    return [found.get(submission, "") for submission in submissions]


def _digest(submission: FoundSubmission, again: bool) -> str:  # noqa: ARG001, FBT001  # as a worker calls it
    return digest_of(submission.kind, submission.container, submission.inner)


def table(entries: Iterable[MatchedEntry], most: int = sys.maxsize - 1) -> str:
    """Return entries as a table, at most so many: whose each is, by what, or why not.

    On a terminal it is cut to the width: --entries has all of a reason.
    """
    width = columns(sys.stdout) if sys.stdout.isatty() else 0
    widest = min(_WIDEST, max(8, (width - _REASON) // 2)) if width else _WIDEST
    rows = [
        (_shortened(row.name, widest), _shortened(row.learner or "-", widest), _why(row))
        for row in islice(entries, most + 1)
    ]
    if len(rows) > most:
        rows[most] = ("…", "", "")
    if width:
        names = sum(max(width_of(row[at]) for row in (_HEADERS, *rows)) for at in (0, 1))
        left = max(width - 4 - names, 8)
        rows = [(name, who, _shortened(why, left)) for name, who, why in rows]
    return inert("\n".join(grid(_HEADERS, rows)) + "\n")


def _shortened(text: str, width: int) -> str:
    return fitted(visible(text, width), width)


def _why(entry: MatchedEntry) -> str:
    if entry.reason and entry.learner:
        return f"{entry.disposition}: {entry.reason}"
    named_by = "its own name" if entry.learner else entry.disposition
    return entry.matched_by or entry.reason or named_by


def entry_lines(ledger: Ledger, *, rostered: bool) -> Iterator[str]:
    """Yield a line for each entry that a person has to look at, or that is ignored."""
    signs = ledger.among(_SIGNS)
    if signs and not rostered:
        grading = f"{called_as('verify')} LEVEL/NN --project DIR"
        step = f"pass the folder that contains it, or grade it with {grading}"
        yield f"found {listed(sorted(signs))}: if this is a single submission, {step}"
    yield from open_lines(ledger, NAMED)


def open_lines(
    ledger: Ledger, dispositions: Sequence[str] = (UNMATCHED, UNRESOLVED)
) -> Iterator[str]:
    """Yield a line for each entry that has one of the dispositions."""
    for row in ledger.rows(dispositions):
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


def write_entries(ledgers: Sequence[Ledger], path: str) -> None:
    """Write all entries to a CSV file, which may be edited into a table of decisions."""
    with text_file(path) as file:
        writer = csv.writer(file)
        writer.writerow(("entry", "learner", "disposition", "reason", "matched by", "collection"))
        for ledger in ledgers:
            containers = [container for _, container in ledger.stamps]
            for row in ledger.rows():
                name, place = map(table_name, (row.name, containers[row.collection]))
                why = (row.disposition, row.reason, row.matched_by)
                writer.writerow(map(cell, (name, row.learner, *why, place)))
