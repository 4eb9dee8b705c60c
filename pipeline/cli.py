"""The console script `pipeline`: takes issues to pull requests, and what that needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipeline.commands import agents, classify, demo, doctor, run, status, witness
from pipeline.crash import fenced
from pipeline.help import Arguments
from pipeline.streams import guarded, printable_streams

if TYPE_CHECKING:
    from collections.abc import Callable

_EPILOG = """\
examples:
  pipeline run "work on issue ISSUE-202: page through the list of notes"
  pipeline demo ISSUE-202               a recorded run, in a copy, without an agent
  pipeline status                       the state of every issue, from its files
  pipeline classify "fix a typo in the README"
  pipeline agents export --ide claude --to .
  pipeline doctor                       what is missing on this machine

exit codes: 0 done, 1 stopped or something is wrong, 2 wrong usage or nothing to work on,
3 the command itself failed, 130 interrupted
"""


def main(argv: list[str] | None = None) -> int:
    """Run the console script and return the exit code."""
    printable_streams()
    options = vars(_parser().parse_args(argv))
    command: Callable[..., int] = options.pop("command")
    return guarded(lambda: fenced(lambda: command(**options), "pipeline"))


def _parser() -> Arguments:
    parser = Arguments(
        prog="pipeline",
        usage="pipeline [-h] COMMAND ...",
        description="Run the issue pipeline: from an issue to a pull request.",
        epilog=_EPILOG,
    )
    commands: Any = parser.add_subparsers(prog="pipeline", metavar="COMMAND ...", required=True)
    for each in (run, demo, status, classify, agents, witness, doctor):
        each.add(commands)
    return parser
