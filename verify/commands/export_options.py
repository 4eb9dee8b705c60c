"""The options of `verify export`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verify.commands.batch_options import add_gradebook
from verify.exports.exporting import add_exports

if TYPE_CHECKING:
    import argparse

    from pipeline.terminal.arguments import Arguments

_EPILOG = """\
examples:
  python3 -m verify export --csv grades.csv
  python3 -m verify export --moodle filled.csv --moodle-from worksheet.csv --html report

exit codes: 0 written, 2 wrong usage or nothing to export, 3 written, but some of it could not be
graded, or was not graded yet
"""


def add_export(commands: argparse._SubParsersAction[Arguments]) -> None:
    """Add the command that exports a gradebook as it stands."""
    parser = commands.add_parser(
        "export", help="write grades and feedback from a gradebook, without grading", epilog=_EPILOG
    )
    parser.set_defaults(command=_export)
    add_gradebook(parser)
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    add_exports(parser)


def _export(**options: Any) -> int:
    from verify.commands.export import export

    return export(**options)
