"""A task that crashes, hangs or takes too much is that task's failure, and no other task's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.deeds import DEEDS, carry_out
from verify.batch.job import Job, grade_submission, with_rules
from verify.child import workers
from verify.child.limits import CannotContinue, Failed, Limits, StopRun
from verify.child.workers import SERVED, Chunk, begin, run, run_few
from verify.gradebook.records import Pending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")

SHORT = Limits(cpu=0.5, megabytes=100, wall=30)
SOLVED = Path(ROOT, "fixtures/submissions/practitioner/04-trace/solved")


REASONS = {
    "killed": "crashed the grading process (signal 9, SIGKILL)",
    "segfault": "crashed the grading process (signal 11, SIGSEGV)",
    "regex": "took more than 0.5 s of CPU time",
    "hog": "needed more than 100 MB of memory",
    "leave": "crashed the grading process (exit code 7)",
    "done": "crashed the grading process (exit code 0)",
    "exit": "failed (SystemExit: 3)",
    "raise": "failed (KeyError: 'no grade')",
}


def carried_out(
    tasks: list[str], limits: Limits = SHORT, stopping: Callable[[], bool] = lambda: False
) -> list[tuple[str, str | Failed]]:
    """Return tasks and results in the order in which they come."""
    found = run(
        carry_out, iter(tasks), workers=2, limits=limits, expected=len(tasks), stopping=stopping
    )
    return [pair for chunk in found for pair in chunk]


def said(result: str | Failed) -> str:
    return result.reason if isinstance(result, Failed) else result


def test_each_harmful_task_fails_with_its_reason_and_its_neighbours_have_results() -> None:
    tasks = [name for deed in DEEDS for name in (*["fine"] * 5, deed, *["fine"] * 5)]
    done = carried_out(tasks)
    reasons = {task: said(result) for task, result in done if task != "fine"}

    assert Counter(task for task, _ in done) == Counter(tasks)
    assert {result for task, result in done if task == "fine"} == {"fine"}
    assert reasons == {deed: f"grading this submission {why}" for deed, why in REASONS.items()}


@pytest.mark.parametrize("deed", ["segfault", "hog", "leave", "exit", "raise"])
def test_a_single_task_has_the_same_limits_in_a_process_of_its_own(deed: str) -> None:
    assert said(*run_few(carry_out, [deed], SHORT)) == f"grading this submission {REASONS[deed]}"
    assert [*run_few(carry_out, ["fine"], SHORT)] == ["fine"]


def test_a_few_tasks_of_which_each_fails_are_no_reason_to_stop() -> None:
    found = [*run_few(carry_out, ["leave"] * 7, SHORT)]

    assert [said(result) for result in found] == [f"grading this submission {REASONS['leave']}"] * 7


def test_a_task_that_does_not_end_fails_and_its_neighbours_have_results() -> None:
    done = dict(carried_out(["fine", "sleep", "other"], Limits(wall=1)))

    assert said(done.pop("sleep")) == "grading this submission did not finish within 1 s"
    assert done == {"fine": "fine", "other": "other"}


def test_a_task_that_fails_alone_is_tried_once_more_in_another_way() -> None:
    assert [*run_few(carry_out, ["first"], SHORT)] == ["first, again"]
    assert dict(carried_out(["first", "fine"])) == {"first": "first, again", "fine": "fine"}


@pytest.mark.parametrize("start", [SERVED, "spawn"])
def test_a_child_that_is_not_forked_from_here_has_the_same_answers(start: str) -> None:
    chunks = Chunk(["fine", "done", "fine"]), Chunk(["fine", "raise"])
    done, raised = (begin(carry_out, SHORT, chunk, start)[1]() for chunk in chunks)

    assert (done.at, raised.results[0]) == (1, "fine")
    assert said(done.failed or "") == f"grading this submission {REASONS['done']}"


def test_v_a_child_is_forked_only_where_this_process_has_one_thread() -> None:
    code = """
import json, threading, warnings
from tests.stubs.deeds import carry_out
from verify.child import workers
from verify.child.limits import Limits

warnings.simplefilter("error")
ways = [workers._way_to_start()]
chunks = workers.run(
    carry_out, ["fine"] * 20, workers=2, limits=Limits(), expected=20, stopping=lambda: False
)
forked = [result for chunk in chunks for _, result in chunk]
ways.append(workers._way_to_start())
ended = threading.Event()
threading.Thread(target=ended.wait).start()
ways.append(workers._way_to_start())
[served] = workers.run_few(carry_out, ["fine"], Limits())
ended.set()
print(json.dumps([ways, forked, served]))
"""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    fork = "fork" if sys.platform == "linux" else SERVED

    assert (done.stderr, done.returncode) == ("", 0)
    assert json.loads(done.stdout) == [[fork, fork, SERVED], ["fine"] * 20, "fine"]


def test_a_worker_that_is_killed_by_chance_costs_nothing(tmp_path: Path) -> None:
    tasks = ["fine"] * 40
    tasks[11] = f"once {tmp_path / 'killed'}"
    done = dict(carried_out(tasks))

    assert os.path.islink(tmp_path / "killed")
    assert set(done.values()) == {"fine", "once"}


def test_what_stops_a_run_reaches_the_caller() -> None:
    for stopped in (lambda: [*run_few(carry_out, ["stop"], SHORT)], lambda: carried_out(["stop"])):
        with pytest.raises(StopRun, match="the collection was replaced"):
            stopped()


def test_a_worker_is_silent_and_writes_no_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    done = dict(carried_out(["flood", f"write {tmp_path / 'file'}"]))

    assert said(done[f"write {tmp_path / 'file'}"]).startswith("grading this submission failed (OS")
    assert capfd.readouterr() == ("", "")


def test_a_run_in_which_nothing_can_be_graded_ends() -> None:
    with pytest.raises(CannotContinue) as raised:
        carried_out(["killed"] * 260)

    assert str(raised.value) == (
        "grading has stopped: 20 tries in a row failed, and no submission was graded; the last"
        " failure: grading this submission crashed the grading process (signal 9, SIGKILL) (is"
        " there enough memory and time?)"
    )


def test_harmful_neighbours_in_a_row_end_no_run_in_which_others_can_be_graded() -> None:
    done = carried_out(["fine"] * 5 + ["leave"] * 40)

    assert Counter(said(result)[:22] for _, result in done) == {
        "fine": 5,
        "grading this submissio": 40,
    }


def test_tasks_are_taken_as_they_are_needed_and_none_after_a_stop() -> None:
    taken: list[str] = []

    def tasks() -> Iterator[str]:
        for _ in range(100_000):
            taken.append("fine")
            yield "fine"

    done: list[tuple[str, str | Failed]] = []
    chunks = run(
        carry_out,
        tasks(),
        workers=2,
        limits=SHORT,
        expected=100_000,
        stopping=lambda: len(done) > 100,
    )
    for chunk in chunks:
        done.extend(chunk)

    assert 100 < len(done) == len(taken) < 30_000


def test_what_takes_too_long_is_left_when_the_run_is_to_stop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "_PATIENCE", 0.5)
    looks = iter([False, False])
    begun = time.monotonic()
    done = carried_out(["sleep"], Limits(wall=600), stopping=lambda: next(looks, True))

    assert done == []
    assert time.monotonic() - begun < 60


KILLED = """
import multiprocessing
from tests.stubs.deeds import carry_out
from verify.child.limits import Limits
from verify.child.workers import run

def stopping():
    children = multiprocessing.active_children()
    if len(children) == 2:
        print(*(child.pid for child in children), flush=True)
    return False

list(run(carry_out, ["sleep"] * 40, workers=2, limits=Limits(), expected=2, stopping=stopping))
"""


def test_workers_end_with_a_grader_that_is_killed() -> None:
    command = [sys.executable, "-c", KILLED]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as grader:
        assert grader.stdout is not None
        found = [int(word) for word in grader.stdout.readline().split()]
        grader.kill()
    until = time.monotonic() + 60
    while any(map(_runs, found)) and time.monotonic() < until:
        time.sleep(0.02)

    assert len(found) == 2
    assert not any(map(_runs, found))


def _runs(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as message:
            return message.read().rpartition(") ")[2][0] != "Z"  # ended, and not waited for
    except FileNotFoundError:
        return False


@pytest.mark.slow
def test_good_work_passes_beside_eight_processes_that_use_the_processor(tmp_path: Path) -> None:
    for number in range(200):
        shutil.copytree(SOLVED, tmp_path / f"{number:03}")
    job = with_rules(Job(("practitioner/04",), ()))
    tasks = [(Pending(n, "folder", str(tmp_path), f"{n:03}", ()), ()) for n in range(200)]
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8)]
    try:
        chunks = run(
            partial(grade_submission, job),
            tasks,
            workers=2,
            limits=Limits(),
            expected=200,
            stopping=lambda: False,
        )
        results = [result for chunk in chunks for _, result in chunk]
    finally:
        for process in spinning:
            process.kill()
            process.wait()
    outcomes = Counter(
        one.reason if isinstance(one, Failed) else one.marks[0] and one.marks[0].outcome
        for one in results
    )

    assert outcomes == {"pass": 200}
