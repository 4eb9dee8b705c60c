"""The options of `verify pack`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verify.request import add_project

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from pipeline.terminal.arguments import Arguments

_EPILOG = """\
examples:
  python3 -m verify pack                 all exercises that you have begun
  python3 -m verify pack expert/04       only this one
  python3 -m verify pack --name "Ada Okafor" --output ada.zip

The zip has the files that the exercises look at, and all commits of your branches
where they ask git. It leaves out .env files, keys, hooks and .git.

exit codes: 0 all that is packed passes, 1 something does not (the zip is written),
2 wrong usage or nothing to pack
"""


def add_pack(
    commands: argparse._SubParsersAction[Arguments], exercise: Callable[[str], tuple[str, str]]
) -> None:
    """Add the command that writes what a learner submits; `exercise` reads one from its name."""
    parser = commands.add_parser(
        "pack", help="write one zip to submit, and grade it", epilog=_EPILOG
    )
    parser.set_defaults(command=_pack)
    parser.add_argument(
        "exercises",
        metavar="LEVEL/NN",
        nargs="*",
        type=exercise,
        help="an exercise to pack (default: all that are begun)",
    )
    parser.add_argument(
        "--name", metavar="NAME", help="shown to the instructor (default: git's user.name)"
    )
    parser.add_argument(
        "--output",
        metavar="FILE",
        default="submission.zip",
        help="where to write it (default: submission.zip)",
    )
    parser.add_argument(
        "--force", action="store_true", help="replace a file that is there without asking"
    )
    add_project(parser)


def _pack(**options: Any) -> int:
    from verify.commands.pack import pack

    return pack(**options)
