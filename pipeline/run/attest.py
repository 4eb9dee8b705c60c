"""Signs what the runner saw of a turn, if the run has `--witness`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pipeline.protocol.layout import ARTIFACTS
from pipeline.run.assignment import PLANNER
from pipeline.run.dispatch import selected
from pipeline.run.guard import mark
from pipeline.run.stage import AGAIN
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from pipeline.run import guard
    from pipeline.run.context import Run
    from pipeline.run.stage import Stage
    from pipeline.signing.attester import Attester
    from pipeline.signing.statement import Seen

_MARK = re.compile(r"[0-7]+ ([0-9a-f]{64})")  # of a regular file, by its content


class AcceptedTurn(NamedTuple):
    """A turn that was accepted."""

    stage: Stage
    model: str  #: the one that the client confirmed
    before: guard.Snapshot  #: the repository, as it was
    after: guard.Snapshot  #: the repository, as the turn left it
    prompted: bool = True  #: an agent was, as is possible but not sure of git-result.json


def attest(run: Run, taken: AcceptedTurn) -> dict[str, str]:
    """Sign what was seen of an artifact and return where the envelope is; empty without a key."""
    if run.attester is None:
        return {}
    about, artifact = run.about, taken.stage.artifact
    path = about.path(artifact)
    marks = {name: taken.after.files.get(about.path(name), "") for name in ARTIFACTS}
    digests = {name: match[1] for name, text in marks.items() if (match := _MARK.fullmatch(text))}
    if artifact not in digests or mark(about.root, path) != marks[artifact]:
        what = f"{path} has changed since {run.role(taken.stage)} ended, so it is not witnessed"
        raise Fault(what, f"Delete it, {AGAIN}.")
    seen = _seen(run, run.attester, taken)
    name = run.attester.attest(about.folder_on_disk, path, digests, seen)
    return {"envelope": about.path(name)}


def note(run: Run, artifact: str, role: str) -> str:
    """Return the note on an artifact that is kept: whether a run with this key witnessed it."""
    if run.attester is None:
        return ""
    about = run.about
    folder, path = about.folder_on_disk, about.path(artifact)
    is_known = run.attester.has_attested(folder, path, about.issue, role)
    return ", witnessed before" if is_known else ", not witnessed"


def _seen(run: Run, attester: Attester, taken: AcceptedTurn) -> Seen:
    about, role = run.about, run.role(taken.stage)
    prompted = PLANNER if run.delegate else role
    return {
        "issue": about.issue,
        "target": about.target,
        "stage": taken.stage.name,  # type: ignore[typeddict-item]  # of those with an artifact
        "role": role,
        "prompted": prompted if taken.prompted else "",
        "mode": "delegated" if run.delegate and role != PLANNER else "sequential",
        "wrote": "runner" if taken.stage.writes == "nothing" else "agent",
        "driver": run.driver.name,
        "client": run.driver.client,
        "model": {
            "asked": selected(run, prompted).model if taken.prompted else "",
            "confirmed": taken.model,
        },
        "turn": attester.turns if taken.prompted else 0,
        "tree": {
            "commit": taken.before.sha,
            "before": attester.tree_digest(taken.before.sha, taken.before.files),
            "after": attester.tree_digest(taken.after.sha, taken.after.files),
        },
    }
