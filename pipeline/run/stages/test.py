"""The project's own tests: the runner runs them before the work, and after each of its turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipeline.protocol.agreement import fails_anew, is_gone, new_failures
from pipeline.protocol.layout import PLAN, TEST_RESULT, WORKER_RESULT
from pipeline.run import checkpoint, guard, limits, prompts
from pipeline.run.artifacts import find, write_own
from pipeline.run.engine import facts_of
from pipeline.run.stage import AGAIN, Stage, of_this_work
from pipeline.run.suite import run_tests
from pipeline.run.turns import Stopwatch
from pipeline.terminal.display import listed
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from pipeline.run.context import Run, Work
    from pipeline.schema import TestResult

_ROLE = "runner"
_KNOWN = "They did not before the work."
_UNKNOWN = "Whether they did before the work is not known."
_GONE = "tests ran before the work, and the output shows none now"


def _before(work: Work) -> None:
    """Run the tests before the worker begins: what fails then is not the fault of the work."""
    run = work.run
    last = checkpoint.read(run.about.folder_on_disk)
    has_begun = work.committed or (last and (last.work or last.stage == "implement"))
    if has_begun or any(find(run.about, name).exists for name in (WORKER_RESULT, TEST_RESULT)):
        return
    result = _run_suite(run, work.values[PLAN]["affected_files"])
    if result["verdict"] == "failed":
        what = f"the tests fail before the work begins: {result['command']}"
        run.tell("notice", text=f"{what} ({listed(_evidence(result), 8)})")
    write_own(run.about, TEST_RESULT, result)


def _test(work: Work, stage: Stage) -> dict[str, Any]:
    """Return what the tests say of the work; only what they have passed is kept."""
    run = work.run
    found, now = find(run.about, TEST_RESULT), work.snapshot()
    digest, files = work.digest(now), work.values[WORKER_RESULT]["files_changed"]
    is_green = found.says("verdict") == "passed" and not fails_anew(found.value)
    if is_green and not stage.problems(facts_of(work, stage, None, now), found.value):
        run.tell("kept", stage, stage.said(found.value))
        return dict(found.value)
    run.tell("progress", stage, "runs the project's tests")
    result = _run_suite(run, files)
    after = run.snapshot()
    if work.digest(after) != digest:
        changed = [name for name in guard.changed(now, after) if name in work.paths()]
        raise Fault(
            f"the tests changed files of the work: {listed(changed, 8)}; nothing was undone",
            f"Make the tests leave them as they are, {AGAIN}.",
        )
    before = found.says("before") or (
        found.value if found.is_valid and "snapshot" not in found.value else None
    )
    if before:
        result["before"] = {name: value for name, value in before.items() if name != "produced_by"}
    if run.allow_failing and (result["verdict"] == "failed" or fails_anew(result)):
        result["allowed"] = True
    result["snapshot"] = digest
    write_own(run.about, TEST_RESULT, result)
    if not stage.why_not_done(result):
        run.tell("done", stage, stage.said(result), {"counts": result.get("counts", {})})
    work.seen = None  # its artifact was written since
    return result


def _run_suite(run: Run, files: list[str]) -> dict[str, Any]:
    watch = Stopwatch(run, TEST)
    result = run_tests(run, files)
    watch.end()
    if limits.left(run) <= 0:
        raise limits.out_of_time(run)
    return {**result, "produced_by": _ROLE}


def _why_not_done(result: TestResult) -> list[str]:
    is_of_the_work = "snapshot" in result
    if not is_of_the_work or result.get("allowed") is True or not fails_anew(result):
        return []
    ran_before = "before" in result and result["before"]["verdict"] != "not run"
    shown = [line for line in result["tail"].splitlines() if any(map(str.isalnum, line))]
    return [
        f"{result['command'] or result['before']['command']} fails: {listed(_evidence(result), 8)}",
        *([] if is_gone(result) else [_KNOWN if ran_before else _UNKNOWN]),
        *shown[-12:],
    ]


def _evidence(result: Any) -> list[str]:
    """Return what shows that tests fail: the new failures, all of them, or the exit code."""
    missing = [f"not installed: {name}" for name in result.get("missing", ())]
    code = f"exit code {result.get('exit_code')}"
    gone = [_GONE] * is_gone(result)
    return gone or [*missing, *new_failures(result)] or result.get("failures") or [code]


def said(result: TestResult) -> str:
    """Return a line about a result."""
    counts = result.get("counts")
    numbers = [f"{count} {word}" for word, count in counts.items() if count] if counts else []
    text = f"{result['command']}: {', '.join(numbers) or result['verdict']}"
    if is_gone(result):
        return f"{_GONE}, which you allow"
    if result["verdict"] == "not run":
        return f"not run: {result['tail']}"
    if result["verdict"] == "failed":
        text += ", which you allow" if fails_anew(result) else ", as before the work"
    return text


TEST = Stage(
    name="test",
    state="testing",
    next_step="the runner runs the project's tests",
    artifact=TEST_RESULT,
    role=lambda _: _ROLE,
    problems=of_this_work,
    why_not_done=_why_not_done,
    stopped=lambda _, path: f"the tests fail with the work: {path}",
    advice="The work is kept. Fix it, or ask the worker again (--retry), or publish it as it is "
    "(--allow-failing-tests), with the same command.",
    back_to="implement",
    feedback=prompts.failing,
    returns=lambda run: run.attempts - 1,
    judges=True,
    prepare=_before,
    obtain=_test,
    said=said,
)
