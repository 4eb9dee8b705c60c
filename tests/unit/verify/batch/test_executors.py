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

# a cluster is started once: all that needs it runs in one process of the tests
EXECUTORS = [
    "in_process",
    "pool",
    pytest.param("cluster", marks=pytest.mark.xdist_group("cluster")),
]
MOST_DEATHS = 5  # of a process that grades itself: by each of those that end it, and bad luck
_ENDS = "ends the process that grades it ({}): this is our fault"
HARM = {  # what is told of each
    "die": _ENDS.format("it died of signal 9, SIGKILL"),
    "raise": "failed (LookupError: no grade): this is our fault",
    "hang": "took more than 1 s",
    "hang-compiled": "took more than 1 s",
    "hog": "needed more than 100 MB of memory",
    "exit": "failed (SystemExit): this is our fault",
    "leave": _ENDS.format("it ended with exit code 7"),
    "segfault": _ENDS.format("it died of signal 11, SIGSEGV"),
    "recurse": "failed (RecursionError: maximum recursion depth exceeded): this is our fault",
    "close": _ENDS.format("it ended with exit code 1"),
}


class Setting(NamedTuple):
    """An executor's name, where a cluster's scheduler is, and a folder."""

    executor: str
    address: str
    folder: Path

    def graded(self, names: Sequence[str], container: str = "/cohort") -> Counter[int]:
        """Grade a cohort to its end, beginning again after a death; return how often each was kept.

        Of a process that grades itself nothing can be counted: its gradebook shows.
        """
        gradebook = str(self.folder / "gradebook.db")
        kept: Counter[int] = Counter()
        if self.executor == "in_process":
            command = [sys.executable, "-m", "tests.stubs.cohort", gradebook, *names]
            for _ in range(MOST_DEATHS):
                if subprocess.run(command, cwd=ROOT, check=False, timeout=60).returncode == 0:
                    break
            else:
                pytest.fail("it dies again and again")
            return Counter(range(1, len(names) + 1))

        def count(results: Sequence[Graded]) -> None:
            kept.update(each.id for each in results)

        cohort.grade_cohort(
            gradebook,
            names,
            lambda book: cohort.executor_named(self.executor, book, self.address),
            count,
            container,
        )
        return kept

    def outcomes(self) -> list[str]:
        """Return the outcome of each learner."""
        everybody = cohort.standings(str(self.folder / "gradebook.db"))
        return [standing.marks[0].outcome for standing in everybody]


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


@pytest.fixture(params=EXECUTORS)
def setting(request: pytest.FixtureRequest, tmp_path: Path) -> Setting:
    """Return each executor in turn."""
    address = request.getfixturevalue("cluster") if request.param == "cluster" else ""
    return Setting(request.param, address, tmp_path)


def test_results_are_those_of_any_other_executor(setting: Setting, tmp_path: Path) -> None:
    names = ["fail" if at % 7 == 3 else "pass" for at in range(95)]
    kept = setting.graded(names)
    cohort.main(str(tmp_path / "undisturbed.db"), *names)

    assert kept == Counter(range(1, 96))
    assert cohort.standings(str(tmp_path / "gradebook.db")) == cohort.standings(
        str(tmp_path / "undisturbed.db")
    )


def test_a_worker_killed_in_mid_batch_costs_nobody_anything(
    setting: Setting, tmp_path: Path
) -> None:
    names = ["fail" if at % 7 == 3 else "pass" for at in range(95)]
    cohort.main(str(tmp_path / "undisturbed.db"), *names)
    names[41] = f"once {tmp_path / 'killed'}"
    kept = setting.graded(names)
    disturbed = cohort.standings(str(tmp_path / "gradebook.db"))
    undisturbed = cohort.standings(str(tmp_path / "undisturbed.db"))

    assert os.path.exists(tmp_path / "killed")
    assert kept == Counter(range(1, 96))
    assert [s.marks[0].outcome for s in disturbed] == [s.marks[0].outcome for s in undisturbed]
    assert [s.marks[0].graded for s in disturbed] == [s.marks[0].graded for s in undisturbed]


def test_whoever_does_harm_is_named_with_the_reason_and_nobody_else_is_touched(
    setting: Setting, tmp_path: Path
) -> None:
    deeds = [deed for deed in HARM if deed != "close" or setting.executor != "in_process"]
    names = [name for deed in deeds for name in ("pass", "fail", "pass", deed, "fail")]
    kept = setting.graded(names)
    cohort.main(str(tmp_path / "calm.db"), *(n if n in ("pass", "fail") else "x" for n in names))
    everybody = cohort.standings(str(tmp_path / "gradebook.db"))
    calm = cohort.standings(str(tmp_path / "calm.db"))
    harmed = {
        name: next(f.message for c in standing.marks[0].checks for f in c.findings)
        for name, standing in zip(names, everybody, strict=True)
        if standing.marks[0].outcome == "error"
    }

    assert kept == Counter(range(1, len(names) + 1))
    assert harmed == {deed: f"grading this submission {HARM[deed]}" for deed in deeds}
    assert [s for name, s in zip(names, everybody, strict=True) if name not in HARM] == [
        s for name, s in zip(names, calm, strict=True) if name not in HARM
    ]


def test_what_a_check_prints_reaches_nobody_from_a_worker(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    setting = Setting("pool", "", tmp_path)
    setting.graded(["flood", "pass"])

    assert setting.outcomes() == ["pass", "pass"]
    assert capfd.readouterr() == ("", "")


def test_a_source_that_is_gone_ends_the_run_in_one_line(setting: Setting) -> None:
    if setting.executor == "in_process":
        pytest.skip("the next test has it")
    with pytest.raises(Unfit) as raised:
        setting.graded(["pass"] * 95, container="/gone")

    assert str(raised.value) == "/gone cannot be read any more (no such file or directory)"


def test_a_source_that_is_gone_ends_a_run_without_workers_too(tmp_path: Path) -> None:
    with pytest.raises(Unfit, match="/gone cannot be read any more"):
        cohort.grade_cohort(
            str(tmp_path / "gradebook.db"),
            ["pass"] * 95,
            lambda book: cohort.executor_named("in_process", book),
            container="/gone",
        )


def test_a_worker_with_other_rules_ends_the_run_and_what_was_graded_is_kept(
    setting: Setting,
) -> None:
    if setting.executor == "in_process":
        pytest.skip("it has the rules that the job was made with")
    names = ["pass"] * 95
    names[90] = "rules"
    with pytest.raises(RulesDiffer, match="a worker has other checks"):
        setting.graded(names)

    assert setting.outcomes().count("pass") >= 40  # the window is of six batches


def test_workers_that_die_whatever_they_grade_end_the_run(tmp_path: Path) -> None:
    with pytest.raises(Unfit) as raised:
        Setting("pool", "", tmp_path).graded(["die"] * 260)

    assert str(raised.value) == (
        "nothing can be graded any more: 20 batches in a row failed, and none was graded; the last:"
        " grading this submission ends the process that grades it (it died of signal 9, SIGKILL):"
        " this is our fault (is there enough memory, and time?)"
    )


def test_one_submission_in_bad_company_is_not_condemned_by_one_death(tmp_path: Path) -> None:
    names = [f"once {tmp_path / str(at)}" for at in range(3)]
    setting = Setting("pool", "", tmp_path)
    kept = setting.graded([*names, *["pass"] * 7])

    assert kept == Counter(range(1, 11))
    assert setting.outcomes() == ["pass"] * 10


def test_workers_end_with_a_grader_that_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED_GRADER, str(tmp_path / "gradebook.db")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as grader:
        assert grader.stdout is not None
        workers = [int(word) for word in grader.stdout.readline().split()]
        grader.kill()
    until = time.monotonic() + 10
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

cohort.grade_cohort(
    sys.argv[1], ["slow"] * 2000, lambda book: cohort.executor_named("pool", book), tell
)
"""


def test_a_worker_that_is_killed_while_it_sends_its_results_is_noticed(tmp_path: Path) -> None:
    names = ["pass"] * 4
    names[1] = f"sending {tmp_path / 'killed'}"
    kept = Setting("pool", "", tmp_path).graded(names)

    assert os.path.exists(tmp_path / "killed")
    assert kept == Counter(range(1, 5))
