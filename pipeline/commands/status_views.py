"""What `pipeline status` prints: a table, one issue's details, or a document for machines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.terminal.display import inert, inert_json, visible

if TYPE_CHECKING:
    from pipeline.state import Artifact, State

VERSION = 1
SHOWN = 20  # blockers of an issue
_LABEL = len("worker-result.json") + 2
_HEAD = ("PROJECT", "ISSUE", "STATE", "WORKER", "BRANCH", "NEXT STEP")
_NOTHING = "-"


class Row(NamedTuple):
    """The state of one issue, and the target project that it belongs to."""

    project: str
    state: State


def table(rows: list[Row], *, of_many: bool) -> str:
    """Return one line an issue, its columns as wide as needed.

    `of_many` tells that several projects were looked into: their column is then shown, unless all
    issues belong to the current folder.
    """
    lines = [_HEAD, *map(_cells, rows)]
    first = 0 if of_many and any(row.project != "." for row in rows) else 1
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "".join(f"{_aligned(line[first:], widths[first:])}\n" for line in lines)


def _cells(row: Row) -> tuple[str, ...]:
    state = row.state
    return (
        visible(row.project, 40),
        state.issue,
        _stage(state),
        visible(state.worker_status, 20) or _NOTHING,
        visible(state.branch, 40) or _NOTHING,
        state.next_step,
    )


def _aligned(cells: tuple[str, ...], widths: list[int]) -> str:
    *padded, last = zip(cells, widths, strict=True)
    # A project's name stands first, and may be anything.
    return inert("  ".join([cell.ljust(width) for cell, width in padded] + [last[0]]))


def _stage(state: State) -> str:
    if state.running:
        return f"{state.stage}, running"
    return f"{state.stage}, stopped" if state.stopped else state.stage


def details(rows: list[Row]) -> str:
    """Return all that is known of each issue, with the lines that say what is wrong and where."""
    return "\n".join("".join(f"{inert(line)}\n" for line in _lines(row)) for row in rows)


def _lines(row: Row) -> list[str]:
    state = row.state
    lines = [f"{state.issue} in {visible(row.project, 300)}", _field("state", _stage(state))]
    for artifact in state.artifacts:
        lines += _artifact_lines(artifact)
    lines += [
        _field(label, visible(value, 300))
        for label, value in (
            ("worker", state.worker_status),
            *(("blocker", blocker) for blocker in state.blockers[:SHOWN]),
            ("branch", state.branch),
            ("commit", state.commit_sha),
            ("pull request", state.pr_url),
        )
        if value
    ]
    if len(state.blockers) > SHOWN:
        lines.append(_field("", f"and {len(state.blockers) - SHOWN} more blockers"))
    lines += [_field("stopped", state.stopped)] * bool(state.stopped)
    lines += [_field("note", note) for note in state.notes]
    return [*lines, _field("next step", state.next_step)]


def _artifact_lines(artifact: Artifact) -> list[str]:
    by = f", by {visible(artifact.producer, 60)}" if artifact.producer else ""
    lines = [_field(artifact.name, f"{artifact.condition}{by}")]
    lines += [f"  {problem}" for problem in artifact.problems]
    return lines + ([f"  and {artifact.more} more problems"] if artifact.more else [])


def _field(label: str, value: str) -> str:
    return f"{label:<{_LABEL}}{value}"


def document(rows: list[Row]) -> str:
    """Return the document of version 1, in ASCII: its fields are those of the reference page."""
    issues = [_record(row) for row in rows]
    return inert_json(json.dumps({"version": VERSION, "issues": issues}, indent=2)) + "\n"


def _record(row: Row) -> dict[str, Any]:
    state = row.state
    return {
        "project": row.project,
        "issue": state.issue,
        "state": state.stage,
        "running": state.running,
        "stopped": state.stopped,
        "next_step": state.next_step,
        "artifacts": {each.name: _artifact_record(each) for each in state.artifacts},
        "worker_status": state.worker_status,
        "blockers": list(state.blockers),
        "branch": state.branch,
        "commit_sha": state.commit_sha,
        "pr_url": state.pr_url,
        "notes": list(state.notes),
    }


def _artifact_record(artifact: Artifact) -> dict[str, Any]:
    return {
        "condition": artifact.condition,
        "produced_by": artifact.producer,
        "problems": list(artifact.problems),
        "more": artifact.more,
    }
