"""`verify merge`: makes one gradebook of those of two assistants."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.terminal.display import counted, named, printed, visible
from pipeline.terminal.exit_codes import FAILED, PASSED
from pipeline.terminal.streams import deliver
from verify.commands.gradebook_command import gradebook_command, moved_line, now, user
from verify.gradebook.merging import merge
from verify.gradebook.store import reading
from verify.learner.check import UsageError

if TYPE_CHECKING:
    from pipeline.terminal.arguments import Arguments
    from verify.gradebook.merging import MergeConflict

_EPILOG = """\
examples:
  python3 -m verify merge ann.db bob.db --into class.db
  python3 -m verify merge ann.db bob.db --into class.db --prefer ann.db

exit codes: 0 merged, 1 merged, but they disagreed about what is listed, 2 nothing was written
"""
_COUNTED = ("run", "submission", "result", "override", "decision")
_DOUBT = (
    "to confirm: {} and {} may be one learner (both have {}): put the same username of theirs into"
    " both rosters, run verify batch with each, and merge again, or leave them apart"
)
_WHY = {  # what counts
    "result": "graded later",
    "attempt": "the later attempt",
    "override": "made later",
    "decision": "made later",
    "roster": "of the later run",
    "term": "of the later run",
}


def add_options(parser: Arguments) -> None:
    """Add the options of `verify merge`."""
    parser.epilog = _EPILOG
    parser.set_defaults(command=merge_gradebooks)
    gradebooks = "the two gradebooks, of one class; they stay as they are"
    parser.add_argument("gradebooks", metavar="GRADEBOOK", nargs=2, help=gradebooks)
    parser.add_argument("--into", metavar="FILE", required=True, help="the new gradebook to write")
    prefer = "the one that wins where they disagree (default: what was graded or decided later)"
    parser.add_argument("--prefer", metavar="GRADEBOOK", default="", help=prefer)


@gradebook_command
def merge_gradebooks(*, gradebooks: list[str], into: str, prefer: str) -> int:
    """Write one gradebook with all that two have; return 0, 1 or 2 as documented."""
    places = [os.path.realpath(path) for path in gradebooks]
    chosen = None
    if prefer:
        if os.path.realpath(prefer) not in places:
            raise UsageError(f"--prefer {visible(prefer, 300)} is not one of the two gradebooks")
        chosen = places.index(os.path.realpath(prefer))
    merged = merge(gradebooks, into, chosen, user(), now())
    lines = [_line(conflict, prefer) for conflict in merged.conflicts]
    lines += [_DOUBT.format(*map(visible, keys), named(value)) for *keys, value in merged.doubts]
    if merged.moved:
        lines.insert(0, moved_line(merged.moved))
    with reading(into) as connection:
        counts = [
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608  # our own words
            for table in _COUNTED
        ]
    words = map(counted, counts, _COUNTED)
    lines.append(f"{visible(into, 300)}: {', '.join(words)}")
    deliver(printed(lines))
    return FAILED if merged.conflicts or merged.doubts else PASSED


def _line(conflict: MergeConflict, prefer: str) -> str:
    why = "--prefer" if prefer and conflict.kind != "attempt" else _WHY[conflict.kind]
    kept, other = (visible(text, 300) or "none" for text in (conflict.kept, conflict.other))
    about = visible(conflict.about, 200)
    return f"{conflict.kind} {about}: {kept} counts ({why}), not {other}"
