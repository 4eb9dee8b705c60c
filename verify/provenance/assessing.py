"""Puts the levels together: of each artifact of an exercise that says who produced it."""

from __future__ import annotations

import hashlib
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from pipeline.files import Unreadable
from pipeline.protocol.layout import ARTIFACTS, artifact_folder
from verify.artifacts import ArtifactRef
from verify.model import Level, Outcome, Provenance, Traced, WhyNot
from verify.provenance.look import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from verify.artifacts import Context
    from verify.model import Result
    from verify.provenance.look import Look

_UNMARKED = "it names nobody in produced_by"
_UNFAILED = (Outcome.PASS, Outcome.UNASKED)
_UNASKED = "the exercise compares nothing with git here"


class _Marked(NamedTuple):
    """An artifact and its marker, which is empty where it has none."""

    source: ArtifactRef
    path: str
    issue: str
    marker: str


def assess(context: Context, results: Iterable[Result], look: Look = NOTHING) -> Provenance | None:
    """Return the levels of a context's artifacts; they change no result.

    None where there is nothing to tell beyond the artifacts' own words: the exercise has no
    artifact that is to have a marker; or nothing is to be looked for, and it has no evidence checks
    or no artifact names anybody.

    Args:
        context: the submission; files are read only for what `look` asks for.
        results: those of the exercise's checks.
        look: what is to be looked for.

    Raises:
        NoSubmission: the submission cannot be opened (any more).
    """
    marked = _marked(context)
    evidence = [result for result in results if result.check.evidence]
    is_asked = look.records or look.key is not None
    if not marked or not (is_asked or (evidence and any(one.marker for one in marked))):
        return None
    missed: list[dict[Level, str]] = [{} for _ in marked]
    contradiction = _inconsistency(evidence)
    _note(missed, Level.CONSISTENT, [contradiction or ("" if evidence else _UNASKED)] * len(marked))
    if look.records:
        _note(missed, Level.CORROBORATED, _unrecorded(context, marked))
    if look.key is not None:
        _note(missed, Level.WITNESSED, [_unwitnessed(context, one, look) for one in marked])
    names = _names(marked)
    return Provenance(
        tuple(
            _traced(name, one, reasons, contradiction)
            for name, one, reasons in zip(names, marked, missed, strict=True)
        )
    )


def _note(missed: Sequence[dict[Level, str]], level: Level, reasons: Iterable[str]) -> None:
    for each, reason in zip(missed, reasons, strict=True):
        each[level] = reason


def _traced(name: str, one: _Marked, reasons: dict[Level, str], contradiction: str) -> Traced:
    """Return an artifact's level; what names nobody is traced to nobody.

    What git contradicts is told beside any level: none makes up for it.
    """
    if not one.marker:
        reasons = dict.fromkeys(reasons, _UNMARKED)
    level = max((level for level, reason in reasons.items() if not reason), default=Level.DECLARED)
    told = [
        WhyNot(each, reason)
        for each, reason in reasons.items()
        if each > level or (reason and reason == contradiction)
    ]
    return Traced(name, one.path, level, tuple(told))


def _marked(context: Context) -> list[_Marked]:
    """Return the exercise's artifacts that are to have a marker, by issue and stage."""
    exercise = context.exercise
    found = []
    for source in exercise.artifacts:
        if not isinstance(source, ArtifactRef) or source.own or source.name not in ARTIFACTS:
            continue
        value = context.artifact(source).value
        marker = value.get("produced_by") if isinstance(value, dict) else ""
        path, issue = source.located(exercise), source.issue_in(exercise)
        found.append(_Marked(source, path, issue, marker if isinstance(marker, str) else ""))
    return sorted(found, key=lambda one: (one.issue, ARTIFACTS.index(one.source.name)))


def _names(marked: Sequence[_Marked]) -> list[str]:
    several = len({one.issue for one in marked}) > 1
    return [f"{one.issue}/{one.source.name}" if several else one.source.name for one in marked]


def _inconsistency(evidence: Sequence[Result]) -> str:
    """Return which of the evidence git does not confirm, empty for none."""
    codes = {result.check.code for result in evidence}
    failed = [
        result.check.code
        for result in evidence
        if result.outcome not in _UNFAILED and result.waits_for not in codes
    ]
    unasked = [result.check.code for result in evidence if result.outcome is Outcome.UNASKED]
    if failed:
        return f"git does not confirm what the artifacts say ({', '.join(failed)})"
    return f"git cannot answer everything ({', '.join(unasked)})" if unasked else ""


def _unrecorded(context: Context, marked: Sequence[_Marked]) -> list[str]:
    from verify.provenance.dispatches import RECORDS, NoRecords, dispatches_in, unsupported

    reasons: list[str] = []
    for issue, group in groupby(marked, key=lambda one: one.issue):
        markers = [one.marker for one in group]
        folder = artifact_folder(context.exercise.target or ".", issue)
        try:
            ran = dispatches_in(context.submission.read(f"{folder}/{RECORDS}"))
        except (Unreadable, NoRecords) as error:
            reasons += [f"{RECORDS} {error}"] * len(markers)
        else:
            reasons += unsupported(markers, ran)
    return reasons


def _unwitnessed(context: Context, one: _Marked, look: Look) -> str:
    from pipeline.signing.envelope import Expected, why_not
    from pipeline.signing.statement import envelope_name

    if look.key is None:
        return ""
    folder = one.path.rpartition("/")[0]
    try:
        data = context.submission.read(f"{folder}/{envelope_name(one.source.name)}")
    except Unreadable as error:
        return f"its envelope {error}"
    sha256 = hashlib.sha256(context.artifact(one.source).data).hexdigest()
    expected = Expected(
        path=one.path,
        sha256=sha256,
        issue=one.issue,
        role=one.marker,
        digest_of=lambda path: _digest(context, path),
        may_have=lambda commit: _may_have(context, commit),
    )
    return why_not(data, look.key, expected)


def _may_have(context: Context, commit: str) -> bool:
    """Tell whether a commit is in the history; one that is not there, cut or unreadable may be."""
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
