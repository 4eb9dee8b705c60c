"""The console script `pipeline`: takes issues to pull requests, and has related commands."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pipeline.terminal.arguments import Arguments, add_commands
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import UNUSABLE
from pipeline.terminal.fault import Fault
from pipeline.terminal.streams import guarded, printable_streams, tell

if TYPE_CHECKING:
    from collections.abc import Callable

_EPILOG = """\
examples:
  python3 -m pipeline run "work on issue ISSUE-202: page through the list of notes"
  python3 -m pipeline demo ISSUE-202               a recorded run, in a copy, without an agent
  python3 -m pipeline status                       the state of every issue, from its files
  python3 -m pipeline classify "fix a typo in the README"
  python3 -m pipeline agents export --ide claude --to .
  python3 -m pipeline doctor                       what is missing on this machine

exit codes: 0 done, 1 stopped or something is wrong, 2 wrong usage or nothing to work on,
3 the command itself failed, 130 interrupted

Once .venv is activated, pipeline is the same as python3 -m pipeline.
"""
COMMANDS = {  # each has its options and its work in pipeline/commands/, in a module of its name
    "run": "take one issue to a pull request",
    "demo": "play a recorded run in a copy, without an agent",
    "status": "show the state of every issue, from its files",
    "classify": "show the tier of a task, its agents, and why",
    "agents": "export the agents to a client's files, or lint such files",
    "witness": "create the keys that sign and verify a run",
    "doctor": "show what is missing on this machine",
}


def main(argv: list[str] | None = None) -> int:
    """Run the console script and return the exit code."""
    printable_streams()
    words = sys.argv[1:] if argv is None else argv
    options = vars(_parser(words[0] if words else "").parse_args(words))
    name = options.pop("name")
    command: Callable[..., int] = options.pop("command")

    def run_command() -> int:
        try:
            return command(**options)
        except Fault as fault:
            first, *more = fault.lines
            prefix = f"pipeline {name}: " if fault.code == UNUSABLE else ""
            for line in (prefix + first, *more):
                tell(visible(line, 2000))
            return fault.code

    return guarded(run_command, "pipeline")


def _parser(word: str) -> Arguments:
    parser = Arguments(
        prog="python3 -m pipeline",
        usage="python3 -m pipeline [-h] COMMAND ...",
        description="Run the issue pipeline: from an issue to a pull request.",
        epilog=_EPILOG,
    )
    add_commands(parser, COMMANDS, "pipeline.commands", word, dest="name", required=True)
    return parser
