"""What the runner saw of a turn, put into words that are signed; nothing where nobody asked."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from pipeline.files import Unreadable, read_file
from pipeline.protocol.layout import ARTIFACTS
from pipeline.running.dispatching import PLANNER, Stopped
from pipeline.tiers import selection
from pipeline.witness.attester import Misplaced
from pipeline.witness.checking import Expected
from pipeline.witness.statement import inputs_of, resource
from pipeline.witness.tree import tree_digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.running import guard
    from pipeline.running.dispatching import Run
    from pipeline.witness.statement import Predicate, Tool

_DISTRIBUTION = "issue-pipeline-course"
_MARK = re.compile(r"[0-7]+ ([0-9a-f]{64})")  # of a regular file, by its content


class Taken(NamedTuple):
    """A turn that was accepted: who was asked for which artifact, and what was there around it.

    `model` is the one that the client confirmed. `wrote` is the hand that wrote the artifact; where
    it is the runner's own, nobody may have been `prompted`.
    """

    stage: Literal["plan", "implement", "publish"]
    role: str
    artifact: str
    model: str
    before: guard.Snapshot
    after: guard.Snapshot
    wrote: Literal["agent", "runner"] = "agent"
    prompted: bool = True


def attest(run: Run, taken: Taken) -> dict[str, str]:
    """Sign what was seen of an artifact and return what is told of it; empty without a key.

    Raises:
        Stopped: the artifact is no more as it was when the turn ended.
        OSError: the envelope cannot be written.
    """
    if run.attester is None:
        return {}
    about, path = run.about, run.about.path(taken.artifact)
    sha256 = _digests(run, taken.after).get(taken.artifact, "")
    if not sha256 or sha256 != _digest_on_disk(about.on_disk(taken.artifact)):
        raise Stopped(f"{path} has changed since {taken.role} ended: it is not witnessed")
    predicate = _predicate(run, taken)
    try:
        name = run.attester.attest(about.folder_on_disk, path, sha256, predicate)
    except Misplaced:
        raise Stopped(f"{about.folder}/witness leads somewhere else: remove the link") from None
    return {"envelope": about.path(name)}


def note(run: Run, artifact: str, marker: str) -> str:
    """Return what is said of an artifact that is kept: that a run with this key did not see it."""
    if run.attester is None:
        return ""
    about = run.about
    expected = Expected(
        path=about.path(artifact),
        sha256=_digest_on_disk(about.on_disk(artifact)),
        issue=about.issue,
        role=marker,
        digest_of=lambda path: _digest_on_disk(about.on_disk(path.rpartition("/")[2])),
    )
    is_known = run.attester.has_attested(about.folder_on_disk, expected)
    return ", witnessed before" if is_known else ", not witnessed"


def _predicate(run: Run, taken: Taken) -> Predicate:
    about, attester = run.about, run.attester
    prompted = PLANNER if run.delegate else taken.role
    routed = selection(run.driver.client, prompted, about.tier).model
    digests = _digests(run, taken.after)
    return {
        "issue": about.issue,
        "target": about.target,
        "stage": taken.stage,
        "role": taken.role,
        "prompted": prompted if taken.prompted else "",
        "mode": "delegated" if run.delegate else "sequential",
        "wrote": taken.wrote,
        "driver": run.driver.name,
        "client": run.driver.client,
        "model": {
            "asked": attester.asked(prompted, routed) if attester and taken.prompted else "",
            "confirmed": taken.model,
        },
        "turn": attester.turns if attester and taken.prompted else 0,
        "tree": {
            "commit": taken.before.sha,
            "before": tree_digest(taken.before.sha, taken.before.files),
            "after": tree_digest(taken.after.sha, taken.after.files),
        },
        "inputs": [
            resource(about.path(name), digests[name]) for name in inputs_of(taken.artifact, digests)
        ],
        "tool": _tool(),
    }


def _digests(run: Run, seen: guard.Snapshot) -> Mapping[str, str]:
    """Return the digests of the issue's artifacts, as a snapshot has them."""
    marks = ((name, seen.files.get(run.about.path(name), "")) for name in ARTIFACTS)
    return {name: match[1] for name, mark in marks if (match := _MARK.fullmatch(mark))}


def _digest_on_disk(path: str) -> str:
    try:
        return hashlib.sha256(read_file(path)).hexdigest()
    except Unreadable:
        return ""


def _tool() -> Tool:
    from importlib import metadata

    try:
        version = metadata.version(_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        version = ""
    return {"name": _DISTRIBUTION, "version": version}
