"""Level 2: what the hooks of an agent's client noted in `dispatch.jsonl`, held to the markers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from typing_extensions import NotRequired, TypedDict

from pipeline.protocol.json_text import NotStrictJson, parse
from pipeline.protocol.patterns import open_fields
from pipeline.terminal.display import named

if TYPE_CHECKING:
    from collections.abc import Sequence

RECORDS = "dispatch.jsonl"  # in the folder
MAX_LINES = 2_000
_COMPLETED = "completed"


@open_fields
class DispatchRecord(TypedDict):
    """One line, as the pack's hook writes it; a reader needs `event` and `agent` only.

    `time` is UTC, to the second; `model` is the one that the client told, `status` how the agent
    ended where the client says, `files` what the client says it changed.
    """

    version: Literal[1]
    event: Literal["start", "stop"]
    client: Literal["cursor", "claude"]
    agent: str
    time: str
    id: NotRequired[str]
    model: NotRequired[str]
    status: NotRequired[str]
    files: NotRequired[list[str]]


class NoRecords(Exception):
    """What is no file of such records; the message says why, after the file's name."""


class Dispatch(NamedTuple):
    """One agent that ran to its end: the lines on which it began and ended, from 1."""

    agent: str
    began: int
    ended: int


def dispatches_in(data: bytes) -> tuple[Dispatch, ...]:
    """Return the agents that ran to their end, in the order in which they ended.

    The order is that of the lines: clocks jump. An end without a beginning began where it ended.

    Raises:
        NoRecords: a line is no strict JSON object with `event` and `agent`, or there are too many.
    """
    lines = data.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    if len(lines) > MAX_LINES:
        raise NoRecords(f"has more than {MAX_LINES} lines")
    begun: list[tuple[int, str, str]] = []
    ended: list[Dispatch] = []
    for number, line in enumerate(lines, start=1):
        event, agent, id_, status = _fields(line, number)
        if event == "start":
            begun.append((number, agent, id_))
        elif event == "stop" and status in ("", _COMPLETED):
            ended.append(Dispatch(agent, _beginning(begun, agent, id_) or number, number))
    return tuple(ended)


def _fields(line: bytes, number: int) -> tuple[str, str, str, str]:
    try:
        value: Any = parse(line)
    except NotStrictJson:
        raise NoRecords(f"is not strict JSON on line {number}") from None
    if not isinstance(value, dict):
        raise NoRecords(f"has no object on line {number}")
    event, agent = value.get("event"), value.get("agent")
    if not isinstance(event, str) or not isinstance(agent, str) or not agent:
        raise NoRecords(f"names no event and agent on line {number}")
    id_, status = value.get("id", ""), value.get("status", "")
    if not isinstance(id_, str) or not isinstance(status, str):
        raise NoRecords(f"has an id or a status that is no text on line {number}")
    return event, agent, id_, status


def _beginning(begun: list[tuple[int, str, str]], agent: str, id_: str) -> int:
    """Return the line on which a dispatch began and take it away; 0 where none is left."""
    for position in range(len(begun) - 1, -1, -1):
        number, other, other_id = begun[position]
        if other == agent and (not id_ or not other_id or id_ == other_id):
            del begun[position]
            return number
    return 0


def unsupported(markers: Sequence[str], dispatches: Sequence[Dispatch]) -> tuple[str, ...]:
    """Return for each marker why the records do not support it, empty where they do.

    Args:
        markers: who the artifacts of one issue say to come from, in the order of the stages.
        dispatches: who ran to an end.
    """
    reasons = []
    since = 0  # the line on which the stage before ended
    for marker in markers:
        ran = [each for each in dispatches if each.agent == marker]
        fitting = next((each for each in ran if each.began > since), None)
        if fitting is not None:
            since = fitting.ended
            reasons.append("")
        elif ran:
            reasons.append(f"{named(marker, 60)} ran only before the stage before had ended")
        else:
            reasons.append(f"{RECORDS} has no {named(marker, 60)} that ran to its end")
    return tuple(reasons)
