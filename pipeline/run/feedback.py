"""A further round after the pull request: what reviewers and checks ask for goes to the worker."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pipeline.protocol.layout import GIT_RESULT, WORKER_RESULT
from pipeline.run import checkpoint, history, prompts
from pipeline.run.artifacts import find
from pipeline.run.branch import read_branch_state
from pipeline.run.stages.publish import PUBLISH
from pipeline.terminal.display import named, visible
from pipeline.terminal.fault import unusable

if TYPE_CHECKING:
    from pipeline.run.context import Run


def take_up(run: Run) -> bool:
    """Begin a round with what is new in the pull request, and return whether there is something.

    The round is an entry of the history: a run that is given again after a kill continues it.

    Raises:
        Fault: there is no pull request, or it is not open.
    """
    folder = run.about.folder_on_disk
    git = find(run.about, GIT_RESULT)
    if not git.is_valid or checkpoint.read(folder):
        if history.rounds(folder):
            return True
        raise unusable(
            f"{run.about.issue} has no pull request yet: give the same command without --continue"
        )
    address = str(git.says("pr_url") or "")
    remarks = _new_remarks(run, address)
    if not remarks:
        text = f"nothing to do: no new comment and no new failure of a check: {address}"
        run.tell("kept", PUBLISH, text, {"pr_url": address})
        return False
    _switch(run)
    values = {name: find(run.about, name).value for name in (GIT_RESULT, WORKER_RESULT)}
    entry = {"at": history.CONTINUE, "since": run.repository.commit("HEAD"), "values": values}
    history.append(folder, {**entry, "remarks": remarks})
    history.redo(folder)
    for remark in remarks:
        place = f" ({remark['file']}:{remark['line']})" if remark["file"] else ""
        text = f"{remark['who']}{place}: {' '.join(remark['text'].split())}"
        run.tell("notice", text=text[:300])
    return True


def _new_remarks(run: Run, address: str) -> list[dict[str, Any]]:
    """Return what no round has taken up, as much of it as one round has a place for."""
    feedback = run.forge.feedback(run.repository, address)
    if feedback.state != "open":
        raise unusable(
            f"the pull request is {visible(feedback.state, 20)}: {visible(address, 300)} "
            "(--continue needs an open one)"
        )
    for note in feedback.notes:
        run.tell("notice", text=note)
    taken = history.remarks_taken_up(run.about.folder_on_disk)
    remarks = [remark for remark in feedback.remarks if (remark.id, remark.text) not in taken]
    new = [asdict(remark) for remark in remarks]
    fitting = new[: prompts.fitting(new)]
    if left := len(new) - len(fitting):
        text = f"for a further round with --continue: {left} of {len(new)} remarks"
        run.tell("notice", text=text)
    return fitting


def _switch(run: Run) -> None:
    """Check out the issue's branch, which the round continues."""
    state = read_branch_state(run)
    if not state.commit:
        raise unusable(f"the branch {named(state.name)} does not have the issue's commit any more")
    if not state.is_checked_out:
        run.repository.run("switch", "--quiet", "--no-guess", state.name)
