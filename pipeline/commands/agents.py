"""`pipeline agents`: exports the pack to a client's files, and lints such files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.agents.clients import CLIENTS
from pipeline.terminal.arguments import subcommands
from pipeline.terminal.display import inert, visible
from pipeline.terminal.exit_codes import FAILED, PASSED
from pipeline.terminal.fault import unusable
from pipeline.terminal.streams import deliver

if TYPE_CHECKING:
    from pipeline.terminal.arguments import Arguments

_EXPORT = """\
examples:
  python3 -m pipeline agents export --ide claude --to .          the files for Claude Code
  python3 -m pipeline agents export --ide codex --to /tmp/tree   a copy to review first
  python3 -m pipeline agents export --ide cursor --to . --hooks  with hooks that record the agents

If a file exists with different content, the command writes nothing, unless you use --force. In
AGENTS.md, CLAUDE.md and GEMINI.md it changes only the pack's own section. --hooks adds hooks and
keeps yours.

exit codes: 0 written or already up to date, 1 not written, 2 wrong usage
"""
_LINT = """\
examples:
  python3 -m pipeline agents lint           every definition below this folder
  python3 -m pipeline agents lint ../shop   in a different folder

exit codes: 0 clean, 1 problems found, 2 no definitions found or wrong usage
"""


def add_options(parser: Arguments) -> None:
    """Add the two subcommands of `pipeline agents`."""
    actions = subcommands(parser)
    export = actions.add_parser(
        "export",
        usage="python3 -m pipeline agents export [-h] --ide CLIENT --to DIR [--hooks] [--force]",
        help="write the files for one client",
        description="Write the pack's agents, rules and skills in the format of one client.",
        epilog=_EXPORT,
    )
    export.add_argument("--ide", required=True, choices=CLIENTS, help="the client")
    export.add_argument("--to", required=True, metavar="DIR", help="the project's folder")
    hooks = "cursor, claude: also write hooks that record in dispatch.jsonl which agents ran"
    export.add_argument("--hooks", action="store_true", help=hooks)
    force = "overwrite files that have different content"
    export.add_argument("--force", action="store_true", help=force)
    export.set_defaults(command=_export)
    lint = actions.add_parser(
        "lint",
        help="show the problems in definitions",
        description="Check the format of each definition that a client would read.",
        epilog=_LINT,
    )
    folder = "the project (default: this folder)"
    lint.add_argument("folder", nargs="?", default=".", metavar="DIR", help=folder)
    lint.set_defaults(command=_lint)


def _export(ide: str, to: str, *, hooks: bool, force: bool) -> int:
    from pipeline.agents.export import export, tree
    from pipeline.agents.source import pack

    if os.path.lexists(to) and not os.path.isdir(to):
        raise unusable(f"{visible(to, 300)}: is not a folder (expected the project's folder)")
    client = CLIENTS[ide]
    if hooks and client.hooks is None:
        able = " or ".join(name for name, known in CLIENTS.items() if known.hooks)
        raise unusable(f"--hooks works only with --ide {able}, not {ide}")
    written, unchanged = export(tree(client, pack(), hooks=hooks), to, force=force)
    lines = [f"wrote {path}" for path in written]
    if unchanged:
        lines.append(f"files already up to date: {len(unchanged)}")
    deliver("\n".join([*lines, f"next: {client.next_step}", ""]))
    return PASSED


def _lint(folder: str) -> int:
    from pipeline.agents.lint import lint_trees

    name = visible(folder, 300)
    if not os.path.isdir(folder):
        raise unusable(f"{name}: is not a folder")
    checked = lint_trees(folder)
    if not checked:
        expected = "the folder of a project, with files such as .cursor/agents/x-planner.md"
        raise unusable(f"{name}: contains no definitions (expected {expected})")
    base = "" if folder == "." else folder.rstrip("/") + "/"
    lines = [
        inert(problem.line_for(base + definition.path))
        for definition in checked
        for problem in definition.problems
    ]
    wrong = sum(bool(definition.problems) for definition in checked)
    verdict = f"{wrong} with problems" if wrong else "no problems"
    count = f"{len(checked)} definition{'s' * (len(checked) != 1)}"
    deliver("\n".join([*lines, f"{count}, {verdict}", ""]))
    return FAILED if wrong else PASSED
