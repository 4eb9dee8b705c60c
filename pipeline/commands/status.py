"""`pipeline status`: the state of every issue, or of one, from its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.bootstrap import called_as
from pipeline.terminal.display import inert, listed, named, visible
from pipeline.terminal.exit_codes import FAILED, PASSED, UNUSABLE
from pipeline.terminal.streams import deliver, tell

if TYPE_CHECKING:
    from pipeline.commands.status_views import Row

TARGETS = (".", "sandbox")  # the repository itself, and the project that the exercises work on

_EPILOG = """\
examples:
  python3 -m pipeline status                      every issue, one a line
  python3 -m pipeline status ISSUE-7              one issue, with what is wrong and where
  python3 -m pipeline status --project sandbox --json

exit codes: 0 nothing is stopped, 1 a run is stopped or an artifact is invalid,
2 wrong usage or no such issue
"""


class _Nothing(Exception):
    """There is nothing to tell; the message says where was looked, and what to do."""


class _Found(NamedTuple):
    """The issues of one project, and what else stands among them."""

    project: str
    issues: tuple[str, ...]
    others: tuple[str, ...]


def add(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "status",
        help="the state of every issue, from its files",
        description="Tell the state of issues from the artifacts in .pipeline/, and nothing else.",
        epilog=_EPILOG,
    )
    parser.add_argument("issue", metavar="ISSUE", nargs="?", help="one issue, such as ISSUE-7")
    parser.add_argument(
        "--project",
        metavar="DIR",
        help="the target project; without it, the repository and its sandbox/",
    )
    parser.add_argument(
        "--json", action="store_true", help="one document for machines (docs/reference/status.md)"
    )
    parser.set_defaults(command=_status)


def _status(*, issue: str | None, project: str | None, json: bool) -> int:
    from pipeline.commands import status_views as views

    try:
        projects = (project,) if project is not None else _projects()
        found = _found(projects, given=project is not None)
        rows = _rows(found, issue)
    except _Nothing as nothing:
        tell(inert(f"pipeline status: {nothing}"))
        return UNUSABLE
    for each in found:
        _tell_others(each)
    if json:
        deliver(views.document(rows))
    elif issue is not None:
        deliver(views.details(rows))
    else:
        deliver(views.table(rows, of_many=project is None))
    return FAILED if any(row.state.stopped for row in rows) else PASSED


def _projects() -> tuple[str, ...]:
    """Return the targets of the repository that the caller is in, as seen from here."""
    import os

    from pipeline.bootstrap import from_here

    try:
        folder = here = os.path.abspath(".")
    except OSError:  # the working directory is gone
        return TARGETS
    while not os.path.lexists(os.path.join(folder, ".git")):
        folder, below = os.path.dirname(folder), folder
        if folder == below:  # in no repository: what is here is all there is
            folder = here
            break
    return tuple(from_here(os.path.normpath(os.path.join(folder, each))) for each in TARGETS)


def _found(projects: tuple[str, ...], *, given: bool) -> list[_Found]:
    import os

    from pipeline.files import Unreadable
    from pipeline.state import survey

    found = []
    for project in projects:
        if given and not os.path.isdir(project):
            raise _Nothing(f"{named(project)} is not a folder; --project names the target project")
        try:
            here = survey(project)
        except Unreadable as error:
            raise _Nothing(f"{_place(project)} {error}") from None
        found.append(_Found(project, here.issues, here.others))
    return found


def _rows(found: list[_Found], issue: str | None) -> list[Row]:
    from pipeline.commands.status_views import Row
    from pipeline.protocol.layout import is_issue_id
    from pipeline.state import state_of

    if issue is not None and not is_issue_id(issue):
        raise _Nothing(f"{named(issue)} is no issue id (expected <PROJECT>-<NN>, such as ISSUE-7)")
    rows = [
        Row(each.project, state_of(each.project, name))
        for each in found
        for name in each.issues
        if issue in (None, name)
    ]
    if not rows:
        raise _Nothing(_nothing(found, issue))
    return rows


def _nothing(found: list[_Found], issue: str | None) -> str:
    where = " or ".join(_place(each.project) for each in found)
    there = [name for each in found for name in each.issues]
    if issue is not None and there:
        return f"no {issue} in {where} (there: {listed(there)})"
    return (
        f"no {issue or 'issue'} in {where}; name another project with --project DIR, or start"
        f' with: {called_as("pipeline")} run "work on issue {issue or "ISSUE-7"}: <task>"'
    )


def _place(project: str) -> str:
    from pipeline.protocol.layout import in_target

    return visible(in_target(project, ".pipeline"), 300)


def _tell_others(found: _Found) -> None:
    if found.others:
        tell(inert(f"{_place(found.project)}: not issue ids, left out: {listed(found.others)}"))
