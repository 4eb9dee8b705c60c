"""`verify match`: whose each entry of a collection is, before anything is graded."""

from __future__ import annotations

from argparse import Namespace
from contextlib import closing
from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import named, printed, visible
from pipeline.terminal.exit_codes import FAILED, PASSED
from pipeline.terminal.streams import deliver
from verify.commands import entries
from verify.commands import gradebook_command as common
from verify.commands.exporting import check_exports
from verify.gradebook.keeping import decide
from verify.gradebook.store import writing
from verify.intake.collection import entry_name, table_name
from verify.intake.ledger import UNMATCHED, UNRESOLVED
from verify.intake.matching import LIKELY

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from pipeline.terminal.arguments import Arguments
    from verify.intake.ledger import Ledger

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
    sources = "a folder, a zip, a manifest or a URL, as for verify batch"
    parser.add_argument("sources", metavar="COLLECTION", nargs="*", help=sources)
    likely = "accept all entries that are to confirm, and keep these decisions in the gradebook"
    parser.add_argument("--accept-likely", dest="likely", action="store_true", help=likely)
    entries.add_roster(parser)  # the group of --roster has only this option here
    common.add_gradebook(parser)
    forget = "remove the decision for this entry from the gradebook; can be repeated"
    parser.add_argument("--forget", metavar="ENTRY", action="append", default=[], help=forget)


@common.gradebook_command
def match(**options: Any) -> int:
    """Match a collection's entries, or list and forget decisions; return the exit code."""
    request = Namespace(keep_roster=True, **options)
    if request.entries:
        check_exports((), inputs=entries.inputs_of(request), beside=[("entries", request.entries)])
    for entry in request.forget:
        _forget(request.gradebook, entry)
    intake = entries.Intake(request)
    if request.sources:
        with closing(intake.ledger(likely=request.likely)) as ledger:
            return _matched(request, ledger, intake)
    deliver(_decisions(intake.kept) or "There are no decisions.\n")
    return PASSED


def _matched(request: Namespace, ledger: Ledger, intake: entries.Intake) -> int:
    intake.tell(ledger)
    for _ in ledger.submissions(entries.digests):
        pass
    text = f"{entries.table(ledger.rows())}\n{entries.counts_line(ledger, 'to grade')}\n"
    text += f"{intake.suggested_layout(ledger)}{_decisions(intake.kept)}"
    if request.entries:
        entries.write_entries([ledger], request.entries)
        text += f"written: {visible(request.entries, 300)}\n"
    if request.likely and (accepted := list(_accepted(ledger))):
        with writing(request.gradebook) as connection:
            decide(connection, accepted, common.user(), common.now())
        text += f"kept in {visible(request.gradebook, 300)}: {len(accepted):,} accepted\n"
    deliver(text)
    counts = ledger.counts()
    return FAILED if counts.get(UNMATCHED) or counts.get(UNRESOLVED) else PASSED


def _accepted(ledger: Ledger) -> Iterator[tuple[str, str, str, str]]:
    """Yield a decision for each entry that is only likely to be a learner's."""
    containers = [container for _, container in ledger.stamps]
    for row in ledger.rows():
        if row.matched_by.startswith(LIKELY) and row.disposition != UNRESOLVED:
            why = f"accepted: {row.matched_by}"
            yield containers[row.collection], row.name, row.learner, why


def _forget(gradebook: str, entry: str) -> None:
    with writing(gradebook, existing=True) as connection:
        known = "SELECT DISTINCT entry FROM decision"
        entry = common.known_name(connection, "decision for", known, entry_name(entry))
        connection.execute("DELETE FROM decision WHERE entry = ?", (entry,))
    common.note(f"forgotten: the decision for {named(entry)}")


def _decisions(connection: sqlite3.Connection) -> str:
    """Return a line for each decision of a gradebook."""
    query = "SELECT entry, collection, learner, by, made, why FROM decision ORDER BY 1, 2, 3"
    lines = []
    for entry, place, learner, *about in connection.execute(query):
        where = f" in {visible(place, 200)}" if place else ""
        details = ", ".join(visible(text, 200) for text in about if text)
        whose = f"{visible(learner, 60)} ({details})"
        lines.append(f"decision: {visible(table_name(entry), 100)}{where}: {whose}")
    return printed(lines)
