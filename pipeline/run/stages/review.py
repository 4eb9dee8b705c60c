"""The third stage: a reviewer approves the work, or says what has to change."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipeline.run import checkpoint, guard, prompts
from pipeline.run.answers import APPROVED, CHANGES, lines_of, verdict_of
from pipeline.run.checkpoint import Checkpoint
from pipeline.run.dispatch import dispatch
from pipeline.run.engine import TRIES
from pipeline.run.stage import Stage
from pipeline.terminal.fault import Fault
from pipeline.tiers import agent_of

if TYPE_CHECKING:
    from pipeline.run.engine import Work

_FORM = "Begin your answer with a line that is `approved`, `changes needed` or `blocked`."


class _Review(NamedTuple):
    verdict: str
    reply: str = ""


def _review(work: Work, stage: Stage) -> _Review:
    """Return the reviewer's verdict, and remember what it saw when it approved the work."""
    run = work.run
    last = checkpoint.read(run.about.folder_on_disk)
    if last and last.approved:  # by a run that was stopped before its commit
        now = run.snapshot()
        if not guard.work_changed(last.before, now):
            run.tell("kept", stage, APPROVED)
            work.reviewed = now
            return _Review(APPROVED)
    review, seen = _asked(work, stage)
    if review.verdict == APPROVED:
        last = checkpoint.read(run.about.folder_on_disk) or Checkpoint(stage.name, seen)
        done = last._replace(before=seen, settled=True, approved=True)
        checkpoint.write(run.about.folder_on_disk, done)
        run.tell("done", stage, APPROVED)
        work.reviewed = seen
    return review


def _asked(work: Work, stage: Stage) -> tuple[_Review, guard.Snapshot]:
    """Return a reviewer's answer that has a verdict, asked for twice at most."""
    run = work.run
    order, why, lines = prompts.stage_task(stage, run.about), "", list[str]()
    seen = work.snapshot()
    for _ in range(TRIES):
        if why:
            run.tell("again", stage, why)
            order = f"{order}\n\n{_FORM}"
        reply, seen = dispatch(run, stage, order, Checkpoint(stage.name, seen))
        if verdict := verdict_of(reply.text):
            return _Review(verdict, reply.text), seen
        lines = lines_of(reply.text)
        why = "the answer has no verdict" if lines else "the answer is empty"
    raise Fault(
        f"{run.role(stage)} was asked twice, but {why}",
        *lines,
        "The work and its artifacts are kept. To repeat the review, run the same command again.",
    )


REVIEW = Stage(
    name="review",
    state="",
    next_step="",
    artifact="",
    role=lambda tier: agent_of(tier, "x-reviewer"),
    task="""\
As {role}, review the work that `{plan}` and `{result}` describe.
{validate} {plan} {result}
Do not change any file. Begin your answer with `approved`, `changes needed` or `blocked`.""",
    why_not_done=lambda review: [] if review.verdict == APPROVED else lines_of(review.reply),
    stopped=lambda role, _: f"{role} does not approve the work",
    advice="The work and its artifacts are kept. Fix what the review reports, "
    "then run the same command again.",
    back_to="implement",
    feedback=lambda review, path: (
        prompts.findings(review.reply, path) if review.verdict == CHANGES else ""
    ),
    returns=lambda run: run.rounds,
    judges=True,
    obtain=_review,
)
