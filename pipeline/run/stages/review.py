"""The third stage: a reviewer approves the work, or says what has to change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipeline.protocol.layout import REVIEW_RESULT
from pipeline.run import guard, history, prompts
from pipeline.run.answers import APPROVED, BLOCKED, CHANGES, findings_of, lines_of, verdict_of
from pipeline.run.artifacts import find, write_own
from pipeline.run.checkpoint import Checkpoint
from pipeline.run.dispatch import dispatch
from pipeline.run.engine import TRIES, facts_of
from pipeline.run.stage import AGAIN, Stage, of_this_work
from pipeline.terminal.display import counted
from pipeline.terminal.fault import Fault
from pipeline.tiers import agent_of

if TYPE_CHECKING:
    from pipeline.run.context import Work
    from pipeline.schema import ReviewResult

_FORM = "Begin your answer with a line that is `approved`, `changes needed` or `blocked`."
_MOST = 20_000  # characters of an answer that are kept


def _review(work: Work, stage: Stage) -> Any:
    """Return what the reviewer says of the work; a verdict is kept as long as the work is."""
    run, now = work.run, work.snapshot()
    found, path = find(run.about, REVIEW_RESULT), run.about.path(REVIEW_RESULT)
    is_verdict = found.is_valid and found.says("verdict") != BLOCKED
    if is_verdict and not stage.problems(facts_of(work, stage, None, now), found.value):
        run.tell("kept", stage, _said(found.value))
        work.reviewed = now
        return found.value
    reply, seen = _asked(work, stage)
    value = {
        "verdict": verdict_of(reply),
        "findings": findings_of(reply),
        "answer": reply[:_MOST],
        "snapshot": work.digest(seen),
        "produced_by": run.role(stage),
    }
    write_own(run.about, REVIEW_RESULT, value)
    written = {path: guard.mark(run.about.root, path)}
    work.seen = work.reviewed = seen._replace(files={**seen.files, **written})
    if value["verdict"] == APPROVED:
        run.tell("done", stage, _said(value), {"findings": len(findings_of(reply))})
    return value


def _said(value: Any) -> str:
    count = len(value["findings"])
    more = f", with {counted(count, 'finding')}" if count else ""
    return f"{value['verdict']}{more}"


def _why_not_done(value: ReviewResult) -> list[str]:
    return [] if value["verdict"] == APPROVED else lines_of(value.get("answer", value["verdict"]))


def _asked(work: Work, stage: Stage) -> tuple[str, guard.Snapshot]:
    """Return a reviewer's answer that has a verdict, asked for twice at most."""
    run = work.run
    asked = prompts.requested(history.rounds(run.about.folder_on_disk))
    order, why, lines = prompts.stage_task(stage, run.about), "", list[str]()
    order = f"{order}\n\n{asked}" if asked else order
    seen = work.snapshot()
    for _ in range(TRIES):
        if why:
            run.tell("again", stage, why)
            order = f"{order}\n\n{_FORM}"
        reply, seen = dispatch(run, stage, order, Checkpoint(stage.name, seen))
        if verdict_of(reply.text):
            return reply.text, seen
        lines = lines_of(reply.text)
        why = "the answer has no verdict" if lines else "the answer is empty"
    raise Fault(
        f"{run.role(stage)} was asked twice, but {why}",
        *lines,
        "The work and its artifacts are kept. To repeat the review, run the same command again.",
    )


REVIEW = Stage(
    name="review",
    state="reviewing",
    next_step="a reviewer approves the work, or says what has to change",
    artifact=REVIEW_RESULT,
    role=lambda tier: agent_of(tier, "x-reviewer"),
    task="""\
As {role}, review the work that `{plan}` and `{result}` describe.
{validate} {plan} {result}
Do not change any file. Begin your answer with `approved`, `changes needed` or `blocked`.""",
    problems=of_this_work,
    why_not_done=_why_not_done,
    stopped=lambda role, _: f"{role} does not approve the work",
    advice=f"The work and its artifacts are kept. Fix what the review reports, {AGAIN}.",
    back_to="implement",
    feedback=lambda review, path: (
        prompts.findings(review["answer"], path) if review["verdict"] == CHANGES else ""
    ),
    returns=lambda run: run.rounds,
    judges=True,
    obtain=_review,
)
