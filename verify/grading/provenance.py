"""How far a submission's artifacts can be traced to the agents that they name.

Level 1: git agrees with what they say. Level 2: the hooks of the agent's client noted in
`dispatch.jsonl` that it ran. Level 3: the runner signed a statement about them. No level changes a
result.
"""

from __future__ import annotations

import hashlib
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from typing_extensions import NotRequired, TypedDict

from pipeline.files import Unreadable
from pipeline.protocol.json_text import NotStrictJson, parse
from pipeline.protocol.layout import ARTIFACTS, artifact_folder
from pipeline.protocol.patterns import open_fields
from pipeline.terminal.display import named
from verify.grading.artifacts import ArtifactRef
from verify.grading.levels import Level, Provenance, Traced, WhyNot
from verify.grading.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from verify.grading.artifacts import Context
    from verify.grading.model import Result

RECORDS = "dispatch.jsonl"  # in the issue's folder
MAX_LINES = 2_000
_COMPLETED = "completed"
_UNMARKED = "the artifact has no produced_by"
_NOT_COMPARED = "no check of this exercise compares artifacts with git"


class _Marked(NamedTuple):
    """An artifact and its marker."""

    source: ArtifactRef
    path: str  #: in full
    issue: str  #: empty where the exercise has none
    marker: str  #: empty where it has none


def assess(
    context: Context, results: Iterable[Result], witness_key: str | None = None
) -> Provenance | None:
    """Return the levels of a context's artifacts, by the results of the exercise's checks.

    With a `witness_key` the records of agents' clients are read; unless it is empty, it is a public
    key in PEM, and the envelopes that it signed are read, too. None where there is nothing to add
    to the artifacts' own words: the exercise has no artifact that is to have a marker; or without a
    key, it has no evidence checks or no artifact has a marker.
    """
    marked = _marked(context)
    evidence = [result for result in results if result.check.compares_git]
    compared = bool(evidence) and any(claim.marker for claim in marked)
    if not marked or (witness_key is None and not compared):
        return None
    contradiction = _contradiction(evidence)
    agreement = contradiction or ("" if evidence else _NOT_COMPARED)
    reasons = {Level.CONSISTENT: [agreement] * len(marked)}
    if witness_key is not None:
        reasons[Level.CORROBORATED] = _unrecorded(context, marked)
    if witness_key:
        reasons[Level.WITNESSED] = _unwitnessed(context, marked, witness_key)
    found = zip(marked, *reasons.values(), strict=True)
    by_level = ((claim, dict(zip(reasons, why, strict=True))) for claim, *why in found)
    return Provenance(tuple(_traced(claim, why, contradiction) for claim, why in by_level))


def _traced(marked: _Marked, reasons: dict[Level, str], contradiction: str) -> Traced:
    """Return an artifact's level; one without a marker is declared at most.

    What git contradicts is shown beside any level: none makes up for it.
    """
    if not marked.marker:
        reasons = dict.fromkeys(reasons, _UNMARKED)
    has = max((level for level, reason in reasons.items() if not reason), default=Level.DECLARED)
    shown = [
        WhyNot(level, reason)
        for level, reason in reasons.items()
        if level > has or (reason and reason == contradiction)
    ]
    issue, name = marked.source.issue, marked.source.name
    return Traced(f"{issue}/{name}" if issue else name, marked.path, has, tuple(shown))


def _marked(context: Context) -> list[_Marked]:
    """Return the exercise's artifacts that should have a marker, by issue and stage."""
    exercise = context.exercise
    found = []
    for source in exercise.artifacts:
        if not isinstance(source, ArtifactRef) or source.schema or source.name not in ARTIFACTS:
            continue
        value = context.artifact(source).value
        marker = value.get("produced_by") if isinstance(value, dict) else ""
        path, issue = source.located(exercise), source.issue_in(exercise)
        found.append(_Marked(source, path, issue, marker if isinstance(marker, str) else ""))
    return sorted(found, key=lambda claim: (claim.issue, ARTIFACTS.index(claim.source.name)))


def _contradiction(evidence: Sequence[Result]) -> str:
    """Return which of the evidence git does not confirm, empty for none."""
    codes = {result.check.code for result in evidence}
    asked = [result for result in evidence if result.waits_for not in codes]
    failed = [r.check.code for r in asked if r.outcome not in (Outcome.PASS, Outcome.NOT_CHECKED)]
    unchecked = [r.check.code for r in asked if r.outcome is Outcome.NOT_CHECKED]
    if failed:
        return f"git does not confirm what the artifacts say ({', '.join(failed)})"
    return f"git does not show enough to decide {', '.join(unchecked)}" if unchecked else ""


def _unrecorded(context: Context, marked: Sequence[_Marked]) -> list[str]:
    reasons: list[str] = []
    for issue, group in groupby(marked, key=lambda claim: claim.issue):
        markers = [claim.marker for claim in group]
        folder = artifact_folder(context.exercise.target or ".", issue)
        try:
            ran = dispatches_in(context.submission.read(f"{folder}/{RECORDS}"))
        except (Unreadable, NoRecords) as error:
            reasons += [f"{RECORDS} {error}"] * len(markers)
        else:
            reasons += unsupported(markers, ran)
    return reasons


def _unwitnessed(context: Context, marked: Sequence[_Marked], pem: str) -> list[str]:
    from pipeline.signing.envelope import Expected, why_not
    from pipeline.signing.keys import public_key
    from pipeline.signing.statement import envelope_name

    def reason(claim: _Marked) -> str:
        folder = claim.path.rpartition("/")[0]
        try:
            data = context.submission.read(f"{folder}/{envelope_name(claim.source.name)}")
        except Unreadable as error:
            return f"its envelope {error}"
        expected = Expected(
            path=claim.path,
            sha256=hashlib.sha256(context.artifact(claim.source).data).hexdigest(),
            issue=claim.issue,
            role=claim.marker,
            digest_of=partial(_digest, context),
            may_have=partial(_may_have, context),
        )
        return why_not(data, key, expected)

    key = public_key(pem.encode())
    return [reason(claim) for claim in marked]


def _may_have(context: Context, commit: str) -> bool:
    """Return whether a commit is in the history, or may be: missing, cut or unreadable."""
    try:
        history = context.submission.history()
        return history is None or bool(history.cut) or "commit" in history.find(commit).values()
    except Unreadable:
        return True


def _digest(context: Context, path: str) -> str:
    try:
        return hashlib.sha256(context.submission.read(path)).hexdigest()
    except Unreadable:
        return ""


@open_fields
class DispatchRecord(TypedDict):
    """One line, as the pack's hook writes it; a reader needs `event` and `agent` only.

    `time` is UTC, to the second; `model` is what the client calls it, `status` how the agent ended
    where the client says.
    """

    version: Literal[1]
    event: Literal["start", "stop"]
    client: Literal["cursor", "claude"]
    agent: str
    time: str
    id: NotRequired[str]
    model: NotRequired[str]
    status: NotRequired[str]


class NoRecords(Exception):
    """A file without such records; the message continues the file's name."""


class Dispatch(NamedTuple):
    """One agent that ran to its end."""

    agent: str
    began: int  #: the line on which it did, from 1
    ended: int  #: likewise


def dispatches_in(data: bytes) -> tuple[Dispatch, ...]:
    """Return the agents that ran to their end, in the order in which they ended.

    The order is that of the lines: clocks jump. An end without a beginning began where it ended.
    Raises `NoRecords`.
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
            fit = [b for b in begun if b[1] == agent and (not id_ or b[2] in ("", id_))]
            ended.append(Dispatch(agent, fit[-1][0] if fit else number, number))
            begun = [call for call in begun if call not in fit[-1:]]  # it belongs to this one only
    return tuple(ended)


def _fields(line: bytes, number: int) -> list[str]:
    try:
        value: Any = parse(line)
    except NotStrictJson:
        raise NoRecords(f"is not strict JSON on line {number}") from None
    record = value if isinstance(value, dict) else {}
    fields = [record.get(name, "") for name in ("event", "agent", "id", "status")]
    if not (all(isinstance(field, str) for field in fields) and all(fields[:2])):
        raise NoRecords(f"has no valid record on line {number}")
    return fields


def unsupported(markers: Sequence[str], dispatches: Sequence[Dispatch]) -> tuple[str, ...]:
    """Return for each marker why the records do not support it, empty where they do.

    The markers are those of one issue's artifacts, in the order of the stages.
    """
    reasons = []
    since = 0  # the line on which the stage before ended
    for marker in markers:
        ran = [dispatch for dispatch in dispatches if dispatch.agent == marker]
        fitting = next((dispatch for dispatch in ran if dispatch.began > since), None)
        if fitting is not None:
            since = fitting.ended
            reasons.append("")
        elif ran:
            reasons.append(f"{named(marker, 60)} did not run after the previous stage ended")
        else:
            reasons.append(f"{RECORDS} has no completed run of {named(marker, 60)}")
    return tuple(reasons)
