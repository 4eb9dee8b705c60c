"""What every executor keeps: nothing is lost, nothing is doubled, and only the culprit is named."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs import cohort
from verify.batch.executors.base import Unfit
from verify.batch.rules import RulesDiffer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from verify.batch.work import Graded
    from verify.gradebook.values import Standing

# a cluster is started once: all that needs it runs in one process of the tests
CLUSTER = pytest.param("cluster", marks=pytest.mark.xdist_group("cluster"))
THOROUGH = pytest.param("cluster", marks=[pytest.mark.xdist_group("cluster"), pytest.mark.slow])
_ENDS = "ends the process that grades it ({}): this is our fault"
RAISES = {  # what is told of each
    "raise": "failed (LookupError: no grade): this is our fault",
    "hang": "took more than 2 s",
    "hang-compiled": "took more than 2 s",
    "exit": "failed (SystemExit): this is our fault",
    "recurse": "failed (RecursionError: maximum recursion depth exceeded): this is our fault",
}
KILLS = {  # these end a worker, and a command without workers
    "die": _ENDS.format("it died of signal 9, SIGKILL"),
    "leave": _ENDS.format("it ended with exit code 7"),
    "segfault": _ENDS.format("it died of signal 11, SIGSEGV"),
    "close": _ENDS.format("it ended with exit code 1"),
    "hog": "needed more than 100 MB of memory",
}
MIXED = ["fail" if at % 7 == 3 else "pass" for at in range(95)]


class Setting(NamedTuple):
    """An executor's name, where a cluster's scheduler is, and a folder."""

    executor: str
    address: str
    folder: Path

    def graded(self, names: Sequence[str], container: str = "/cohort") -> Counter[int]:
        """Grade a cohort to its end; return how often each submission was kept."""
        kept: Counter[int] = Counter()

        def count(results: Sequence[Graded]) -> None:
            kept.update(each.id for each in results)

        executor = cohort.executor_named(self.executor, self.address)
        path = str(self.folder / "gradebook.db")
        cohort.grade_cohort(path, names, executor, count, container)
        return kept

    def standings(self) -> list[Standing]:
        """Return how everybody stands."""
        return cohort.standings(str(self.folder / "gradebook.db"))


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """Start a Dask cluster of two workers and return its scheduler's address."""
    import dask
    import distributed

    local_cluster: Any = distributed.LocalCluster  # the library has no types
    quick = {"distributed.scheduler.allowed-failures": 0, "distributed.admin.log-length": 0}
    with (
        dask.config.set(quick),
        local_cluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=60,
        ) as local,
    ):
        yield local.scheduler_address


@pytest.fixture(params=["in_process", "pool", THOROUGH])
def setting(request: pytest.FixtureRequest, tmp_path: Path) -> Setting:
    """Return each executor in turn."""
    address = request.getfixturevalue("cluster") if request.param == "cluster" else ""
    return Setting(request.param, address, tmp_path)


@pytest.fixture
def calm(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    """Return the executor that others are compared with."""
    return Setting("in_process", "", tmp_path_factory.mktemp("calm"))


def test_whoever_does_harm_is_named_with_the_reason_and_nobody_else_is_touched(
    setting: Setting, calm: Setting
) -> None:
    harm = RAISES if setting.executor == "in_process" else RAISES | KILLS
    names = [*MIXED, *(name for deed in harm for name in ("pass", "fail", deed, "fail"))]
    kept = setting.graded(names)
    calm.graded([name if name in ("pass", "fail") else "raise" for name in names])
    everybody = list(zip(names, setting.standings(), calm.standings(), strict=True))
    told = {
        name: next(f.message for c in standing.marks[0].checks for f in c.findings)
        for name, standing, _ in everybody
        if standing.marks[0].outcome == "error"
    }

    assert kept == Counter(range(1, len(names) + 1))
    assert told == {deed: f"grading this submission {harm[deed]}" for deed in harm}
    assert all(one == other for name, one, other in everybody if name not in harm)


@pytest.mark.parametrize("setting", ["pool", CLUSTER], indirect=True)
def test_a_worker_killed_in_mid_batch_costs_nobody_anything(
    setting: Setting, tmp_path: Path
) -> None:
    names = list(MIXED)
    names[41] = f"once {tmp_path / 'killed'}"
    names[70] = f"once {tmp_path / 'killed as well'}"
    kept = setting.graded(names)

    assert os.path.exists(tmp_path / "killed as well")
    assert kept == Counter(range(1, 96))
    assert [s.marks[0].outcome for s in setting.standings()] == MIXED


def test_a_worker_that_is_killed_while_it_sends_its_results_is_noticed(tmp_path: Path) -> None:
    names = ["pass"] * 4
    names[1] = f"sending {tmp_path / 'killed'}"
    kept = Setting("pool", "", tmp_path).graded(names)

    assert os.path.exists(tmp_path / "killed")
    assert kept == Counter(range(1, 5))


def test_a_source_that_is_gone_ends_the_run_in_one_line(setting: Setting) -> None:
    with pytest.raises(Unfit) as raised:
        setting.graded(["pass"] * 95, container="/gone")

    assert str(raised.value) == "/gone cannot be read any more (no such file or directory)"


def test_a_worker_with_other_rules_ends_the_run_and_what_was_graded_is_kept(
    setting: Setting,
) -> None:
    names = ["pass"] * 95
    names[90] = "rules"
    with pytest.raises(RulesDiffer, match="a worker has other checks"):
        setting.graded(names)

    graded = [standing.marks[0].outcome for standing in setting.standings()]
    assert graded.count("pass") >= 40  # the window is of six batches


def test_workers_that_die_whatever_they_grade_end_the_run(tmp_path: Path) -> None:
    with pytest.raises(Unfit) as raised:
        Setting("pool", "", tmp_path).graded(["die"] * 260)

    assert str(raised.value) == (
        "nothing can be graded any more: 20 batches in a row failed, and none was graded; the last:"
        " grading this submission ends the process that grades it (it died of signal 9, SIGKILL):"
        " this is our fault (is there enough memory, and time?)"
    )


def test_what_a_check_prints_reaches_nobody_from_a_worker(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kept = Setting("pool", "", tmp_path).graded(["flood", "pass"])

    assert (kept, capfd.readouterr()) == (Counter([1, 2]), ("", ""))


def test_workers_end_with_a_grader_that_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED_GRADER, str(tmp_path / "gradebook.db")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as grader:
        assert grader.stdout is not None
        workers = [int(word) for word in grader.stdout.readline().split()]
        grader.kill()
    until = time.monotonic() + 60
    while any(map(_runs, workers)) and time.monotonic() < until:
        time.sleep(0.02)

    assert len(workers) == 2
    assert not any(map(_runs, workers))


def _runs(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as told:
            return told.read().rpartition(") ")[2][0] != "Z"  # ended, and nobody has asked
    except FileNotFoundError:
        return False


KILLED_GRADER = """
import multiprocessing, sys
from tests.stubs import cohort

def tell(results):
    print(*(child.pid for child in multiprocessing.active_children()), flush=True)

cohort.grade_cohort(sys.argv[1], ["slow"] * 2000, cohort.executor_named("pool"), tell)
"""
