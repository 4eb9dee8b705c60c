"""`pipeline status`: the state of every issue, or of one, from its files."""

from __future__ import annotations

import os
import sys
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from pipeline.bootstrap import called_as
from pipeline.terminal.display import json_document, listed, named, printed, visible, width_of
from pipeline.terminal.exit_codes import FAILED, PASSED
from pipeline.terminal.fault import unusable
from pipeline.terminal.streams import agreed, columns, deliver, tell

if TYPE_CHECKING:
    from pipeline.run.status import State
    from pipeline.terminal.arguments import Arguments

TARGETS = (".", "sandbox")  # the repository itself, and the project that the exercises work on
VERSION = 1  # of the document
SHOWN = 20  # blockers of an issue
_LARGEST = 256 << 20  # bytes of a page
_LABEL = len("worker-result.json") + 2
_HEAD = ("PROJECT", "ISSUE", "STATE", "WORKER", "BRANCH", "NEXT STEP")
_EPILOG = """\
examples:
  python3 -m pipeline status                      every issue, one per line
  python3 -m pipeline status ISSUE-7              one issue, with what is wrong and where
  python3 -m pipeline status --project sandbox --json
  python3 -m pipeline status ISSUE-7 --html page.html

exit codes: 0 nothing is stopped, 1 a run is stopped or an artifact is invalid,
2 wrong usage or no such issue
"""


def add_options(parser: Arguments) -> None:
    """Add the options of `pipeline status`."""
    parser.description = "Show the state of issues, based only on the artifacts in .pipeline/."
    parser.epilog = _EPILOG
    parser.add_argument("issue", metavar="ISSUE", nargs="?", help="one issue, such as ISSUE-7")
    project = "the target project (default: the current folder and its sandbox/)"
    parser.add_argument("--project", metavar="DIR", help=project)
    json = "print one JSON document (docs/reference/status.md)"
    parser.add_argument("--json", dest="as_json", action="store_true", help=json)
    page = "write one page of the issue's run, with its diff, tests and cost"
    parser.add_argument("--html", metavar="FILE", dest="page", help=page)
    parser.set_defaults(command=_status)


def _status(*, issue: str | None, project: str | None, as_json: bool, page: str | None) -> int:
    states = _states(issue, project)
    if page is not None:
        _write_page(states, page)
    if as_json:
        deliver(document(states))
    else:
        deliver(table(states) if issue is None else details(states))
    return FAILED if any(state.stopped for state in states) else PASSED


def _write_page(states: list[State], path: str) -> None:
    """Write the page of the only issue; another file in its place is replaced if the user says so.

    Raises:
        Fault: there are several issues, the file is not such a page, or it cannot be written.
    """
    from pipeline.files import MISSING, NOT_REGULAR, Unreadable, read_file, reason_of, write_whole

    try:
        from pipeline.run.page import MARK, page_of
    except ImportError as error:
        install = "which `python3 start.py headless` installs"
        raise unusable(f"--html needs {error.name}, {install}") from None
    if len(states) > 1:
        found = listed([f"{state.issue} in {visible(state.project)}" for state in states])
        raise unusable(f"--html writes one issue: name it, and its --project (found {found})")
    try:
        is_own = read_file(path, _LARGEST, follow=False).startswith(MARK)
    except Unreadable as error:
        if error.reason == NOT_REGULAR:
            raise unusable(f"--html {visible(path)}: {error}") from None
        is_own = error.reason == MISSING
    question = f"pipeline: {visible(path)} is not a page of this command. Replace it?"
    if not (is_own or agreed(question)):
        raise unusable(f"--html {visible(path)}: another file is there (choose another name)")
    try:
        write_whole(path, page_of(states[0]))
    except OSError as error:
        raise unusable(f"--html {visible(path)}: cannot be written: {reason_of(error)}") from None
    tell(f"wrote {visible(path)}")


def _states(issue: str | None, project: str | None) -> list[State]:
    from pipeline.files import Unreadable
    from pipeline.protocol.layout import in_target, is_issue_id
    from pipeline.run.status import issues_of, state_of

    if issue is not None and not is_issue_id(issue):
        form = "capital letters, a hyphen and digits, such as ISSUE-7"
        raise unusable(f"{named(issue)} is not an issue id (expected {form})")
    if project is not None and not os.path.isdir(project):
        raise unusable(f"{named(project)} is not a folder (--project must be the target project)")
    projects = TARGETS if project is None else (project,)
    try:
        there = [(folder, name) for folder in projects for name in issues_of(folder)]
    except Unreadable as error:
        raise unusable(str(error)) from None
    states = [state_of(folder, name) for folder, name in there if issue in (None, name)]
    if not states:
        places = (visible(in_target(folder, ".pipeline"), 300) for folder in projects)
        start = f'{called_as("pipeline")} run "work on issue {issue or "ISSUE-7"}: <task>"'
        found = listed([name for _, name in there])
        advice = f"choose a different project with --project DIR, or start with: {start}"
        raise unusable(
            f"no {issue or 'issue'} in {' or '.join(places)}"
            + (f" (found there: {found})" if there else f"; {advice}")
        )
    return states


def table(states: list[State]) -> str:
    """Return one line for each issue, with columns as wide as needed.

    On a terminal that is narrower, an issue is two lines.
    """
    lines = [_HEAD, *map(_cells, states)]
    widths = [max(map(width_of, column)) for column in zip(*lines, strict=True)]
    if sys.stdout.isatty() and sum(widths) + 2 * len(widths) > columns(sys.stdout):
        pairs = ((f"{cells[1]} in {cells[0]}: {cells[2]}", f"  {cells[-1]}") for cells in lines[1:])
        return printed(line for pair in pairs for line in pair)
    return printed("  ".join(map(_padded, line, widths)).rstrip() for line in lines)


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - width_of(cell))


def _cells(state: State) -> tuple[str, ...]:
    return (
        visible(state.project, 40),
        state.issue,
        _stage(state),
        visible(state.worker_status, 20) or "-",
        visible(state.branch, 40) or "-",
        state.next_step,
    )


def _stage(state: State) -> str:
    if state.running:
        return f"{state.state}, running"
    return f"{state.state}, stopped" if state.stopped else state.state


def details(states: list[State]) -> str:
    """Return all details of each issue, with a line for each problem and its place."""
    return "\n".join(printed(_lines(state)) for state in states)


def _lines(state: State) -> list[str]:
    from pipeline.run.turns import cost_line

    rows = (
        ("escalated", state.escalated),
        ("worker", state.worker_status),
        *(("blocker", blocker) for blocker in state.blockers[:SHOWN]),
        ("branch", state.branch),
        ("commit", state.commit_sha),
        ("pull request", state.pr_url),
        ("stopped", state.stopped),
        ("next step", state.next_step),
    )
    lines = [f"{state.issue} in {visible(state.project, 300)}", _row("state", _stage(state))]
    for artifact in state.artifacts:
        by = f", by {visible(artifact.producer, 60)}" if artifact.producer else ""
        lines.append(_row(artifact.name, f"{artifact.condition}{by}"))
        lines += [f"  {line}" for line in artifact.lines]
    lines += [_row(label, visible(value, 500)) for label, value in rows if value]
    if state.cost["stages"]:
        lines.append(_row("used", cost_line(state.cost)))
        for cost in state.cost["stages"]:
            stage, role = visible(cost["stage"], 9), visible(cost["role"], 16)
            lines.append(f"  {stage:<10}{role:<17}{cost_line(cost)}")
    return lines


def _row(label: str, value: str) -> str:
    return f"{label:<{_LABEL}}{value}"


def document(states: list[State]) -> str:
    """Return the document of version 1, in ASCII: its fields are those of the reference page."""
    issues = [_record(state) for state in states]
    return json_document({"version": VERSION, "issues": issues})


def _record(state: State) -> dict[str, Any]:
    record = {field.name: getattr(state, field.name) for field in fields(state)}
    record["artifacts"] = {
        artifact.name: {
            "condition": artifact.condition,
            "produced_by": artifact.producer,
            "problems": artifact.problems,
            "more": artifact.more,
        }
        for artifact in state.artifacts
    }
    return record
