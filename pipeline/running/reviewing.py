"""The review between the work and its publication: approved, or back to the worker once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pipeline.running import agent_prompts
from pipeline.running.authoring import implemented
from pipeline.running.dispatching import Dispatch, Run, Stopped, cut, dispatch
from pipeline.running.verdict import APPROVED, CHANGES, first_finding, lines_of, verdict_of

if TYPE_CHECKING:
    from pipeline.drivers.base import Stage
    from pipeline.running import guard
    from pipeline.schema import Plan, WorkerResult

_FORM = "Begin your answer with a line that is `approved`, `changes needed` or `blocked`."
_STAGES: tuple[Stage, ...] = ("review", "publish")


def reviewed(
    run: Run, plan: Plan | None, result: WorkerResult
) -> tuple[WorkerResult, guard.Snapshot]:
    """Return the worker's result and what is there, once the tier's reviewer approves of it.

    Raises:
        Stopped: the reviewer asks for changes twice, cannot review, or gives no verdict.
    """
    started = time.monotonic()
    role = run.about.role("reviewer")
    for stage in _STAGES:  # an earlier run may have been cut in a turn of either
        cut(run, _asking(run, stage))
    reply, seen = _answer(run, role)
    if verdict_of(reply) == CHANGES:
        run.tell("again", "review", role, first_finding(reply))
        result = implemented(run, plan, review=reply)
        reply, seen = _answer(run, role)
    if verdict_of(reply) != APPROVED:
        raise Stopped(
            f"{role} does not approve of the work",
            *lines_of(reply),
            "The work and its artifacts are kept. Fix them, then run the same command again.",
        )
    run.tell("done", "review", role, APPROVED, seconds=time.monotonic() - started)
    return result, seen


def _asking(run: Run, stage: Stage) -> Dispatch:
    role = run.about.role("reviewer") if stage == "review" else "x-git"
    return Dispatch(stage=stage, role=role, artifact="", writes="nothing")


def _answer(run: Run, role: str) -> tuple[str, guard.Snapshot]:
    what = _asking(run, "review")
    order = agent_prompts.task("review", role, run.about)
    reply, seen = dispatch(run, what, order)
    if not verdict_of(reply.text):
        run.tell("again", "review", role, "the answer has no verdict")
        reply, seen = dispatch(run, what, f"{order}\n\n{_FORM}", seen)
    return reply.text, seen
