"""`pipeline agents`: exports the pack to a client's files, and lints such files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pipeline.agents.clients import CLIENTS
from pipeline.terminal.display import inert, json_document, visible
from pipeline.terminal.exit_codes import FAILED, PASSED, UNUSABLE
from pipeline.terminal.fault import Fault, unusable
from pipeline.terminal.streams import deliver

if TYPE_CHECKING:
    from pipeline.agents.export import Conflict, Plan
    from pipeline.agents.lint import Checked

_EXPORT = """\
examples:
  python3 -m pipeline agents export --ide claude --to .          the files for Claude Code
  python3 -m pipeline agents export --ide codex --to /tmp/tree   a copy to review first
  python3 -m pipeline agents export --ide cursor --to . --hooks  also hooks that record the agents

If a file exists with different content, the command writes nothing, unless you use --force. In
AGENTS.md, CLAUDE.md and GEMINI.md it changes only the pack's own section. It adds hooks to yours.

exit codes: 0 written or already up to date, 1 nothing written, 2 wrong usage
"""
_LINT = """\
examples:
  python3 -m pipeline agents lint                   every definition below this folder
  python3 -m pipeline agents lint ../shop --json    for a program

exit codes: 0 clean, 1 problems found, 2 no definitions found or wrong usage
"""


def add(commands: Any) -> None:
    """Add the command with its two own commands."""
    agents = commands.add_parser(
        "agents",
        # versions of Python would write it differently
        usage="python3 -m pipeline agents [-h] COMMAND ...",
        help="export the pack of agents to a client's files, or lint such files",
        description="Write the agents, rules and skills that a client needs, or lint such files.",
    )
    actions: Any = agents.add_subparsers(
        prog="python3 -m pipeline agents", metavar="COMMAND ...", required=True
    )
    _add_export(actions)
    _add_lint(actions)


def _add_export(actions: Any) -> None:
    export = actions.add_parser(
        "export",
        usage="python3 -m pipeline agents export [-h] --ide CLIENT --to DIR [--hooks] [--force]",
        help="write the files for one client",
        description="Write the pack's agents, rules and skills in the format of one client.",
        epilog=_EXPORT,
    )
    export.add_argument("--ide", required=True, choices=CLIENTS, help="the client")
    export.add_argument("--to", required=True, metavar="DIR", help="the project's folder")
    export.add_argument(
        "--hooks",
        action="store_true",
        help="cursor, claude: also write hooks that record in dispatch.jsonl which agents ran",
    )
    export.add_argument(
        "--force", action="store_true", help="overwrite files that have different content"
    )
    export.set_defaults(command=_export)


def _add_lint(actions: Any) -> None:
    lint = actions.add_parser(
        "lint",
        help="show the problems in definitions",
        description="Check each definition that a client would read against its format.",
        epilog=_LINT,
    )
    lint.add_argument(
        "folder", nargs="?", default=".", metavar="DIR", help="the project (default: this folder)"
    )
    lint.add_argument("--json", action="store_true", help="print one JSON document")
    lint.set_defaults(command=_lint)


def _export(ide: str, to: str, *, hooks: bool, force: bool) -> int:
    from pipeline.agents.export import NotWritten, carry_out, planned, tree
    from pipeline.agents.source import pack

    if os.path.lexists(to) and not os.path.isdir(to):
        raise unusable(f"{visible(to, 300)}: is not a folder (expected the project's folder)")
    client = CLIENTS[ide]
    if hooks and client.hooks is None:
        able = " or ".join(name for name, each in CLIENTS.items() if each.hooks)
        raise unusable(f"--hooks: is for --ide {able}, not {ide}")
    plan = planned(tree(client, pack(), hooks=hooks), to, force=force)
    if plan.conflicts:
        raise _refused(plan.conflicts)
    try:
        carry_out(plan)
    except NotWritten as error:
        raise Fault(f"{error}; nothing was changed") from None
    _report(plan, client.next_step)
    return PASSED


def _refused(conflicts: tuple[Conflict, ...]) -> Fault:
    advice = "move these files away"
    if all(each.forcible for each in conflicts):
        advice = (
            "use --force to overwrite them (in a shared file, only the pack's section), or move "
            "them away"
        )
    lines = [f"{each.path}: {each.reason}" for each in conflicts]
    return Fault(*lines, f"nothing was written: {advice}")


def _report(plan: Plan, next_step: str) -> None:
    lines = [f"wrote {each.path}" for each in plan.write]
    if plan.unchanged:
        lines.append(f"files already up to date: {len(plan.unchanged)}")
    deliver("\n".join([*lines, f"next: {next_step}", ""]))


def _lint(folder: str, *, json: bool) -> int:
    from pipeline.agents.lint import lint_trees

    name = visible(folder, 300)
    if not os.path.isdir(folder):
        raise unusable(f"{name}: is not a folder")
    checked = lint_trees(folder)
    if not checked and not json:
        raise unusable(f"{name}: has no definitions for a known client (.cursor/agents, …)")
    deliver(_json(checked) if json else _text(checked, folder))
    if not checked:
        return UNUSABLE
    return FAILED if any(each.problems for each in checked) else PASSED


def _text(checked: tuple[Checked, ...], folder: str) -> str:
    base = "" if folder == "." else folder.rstrip("/") + "/"
    lines = [
        inert(problem.line_for(base + each.path)) for each in checked for problem in each.problems
    ]
    wrong = sum(bool(each.problems) for each in checked)
    verdict = f"{wrong} with problems" if wrong else "all clean"
    count = f"{len(checked)} definition{'s' * (len(checked) != 1)}"
    return "\n".join([*lines, f"{count}, {verdict}", ""])


def _json(checked: tuple[Checked, ...]) -> str:
    files = [
        {
            "path": each.path,
            "format": each.format,
            "problems": [
                {**problem._asdict(), "path": list(problem.path)} for problem in each.problems
            ],
        }
        for each in checked
    ]
    clean = not any(each.problems for each in checked)
    return json_document({"version": 1, "clean": clean, "files": files})
