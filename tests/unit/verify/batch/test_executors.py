"""What every executor keeps: nothing is lost, nothing is doubled, and only the culprit is named."""

from __future__ import annotations

import os
import subprocess
import sys
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
MOST_DEATHS = 5  # of a process that grades itself: in a batch, alone, alone, and bad luck


class Setting(NamedTuple):
    """An executor's name, where a cluster's scheduler is, and a folder."""

    executor: str
    address: str
    folder: Path

    def graded(self, names: Sequence[str], name: str = "gradebook.db") -> Counter[int]:
        """Grade a cohort to its end, beginning again after a death; return how often each was kept.

        Of a process that grades itself nothing can be counted: its gradebook shows.
        """
        gradebook = str(self.folder / name)
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
        )
        return kept

    def outcomes(self, name: str = "gradebook.db") -> list[str]:
        """Return the outcome of each learner."""
        everybody = cohort.standings(str(self.folder / name))
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


def test_a_submission_that_kills_whoever_grades_it_is_found_and_the_others_are_graded(
    setting: Setting,
) -> None:
    names = ["pass"] * 45
    names[17] = "die"
    kept = setting.graded(names)
    culprit = cohort.standings(str(setting.folder / "gradebook.db"))[17]
    findings = [f for check in culprit.marks[0].checks for f in check.findings]

    assert kept == Counter(range(1, 46))
    assert setting.outcomes() == ["pass"] * 17 + ["error"] + ["pass"] * 27
    assert culprit.marks[0].graded is None
    assert [finding.message for finding in findings] == [
        "grading this submission ends the process that grades it: this is our fault"
    ]


def test_a_submission_whose_grading_raises_is_found_and_the_others_are_graded(
    setting: Setting,
) -> None:
    names = ["fail"] * 25
    names[4] = "raise"
    kept = setting.graded(names)
    culprit = cohort.standings(str(setting.folder / "gradebook.db"))[4]
    findings = [f for check in culprit.marks[0].checks for f in check.findings]

    assert kept == Counter(range(1, 26))
    assert setting.outcomes() == ["fail"] * 4 + ["error"] + ["fail"] * 20
    assert [finding.message.partition(": this")[0] for finding in findings] == [
        "grading this submission failed (LookupError: no grade for raise of expert/04)"
    ]


def test_a_worker_with_other_rules_ends_the_run_and_what_was_graded_is_kept(
    setting: Setting,
) -> None:
    if setting.executor == "in_process":
        pytest.skip("it has the rules that the job was made with")
    names = ["pass"] * 95
    names[90] = "rules"
    with pytest.raises(RulesDiffer, match="a worker has other checks"):
        setting.graded(names)

    assert setting.outcomes()[:10] == ["pass"] * 10


def test_workers_that_die_whatever_they_grade_end_the_run(tmp_path: Path) -> None:
    kept: Counter[str] = Counter()

    def count(results: Sequence[Graded]) -> None:
        kept.update(record.outcome for each in results for record in each.records if record)

    with pytest.raises(Unfit, match="workers die whatever they grade: 20 submissions in a row"):
        cohort.grade_cohort(
            str(tmp_path / "gradebook.db"),
            ["die"] * 60,
            lambda book: cohort.executor_named("pool", book),
            count,
        )

    assert kept == {"error": 20}


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
        # the workers hold its stdout as well: it ends when the last of them has
        rest = grader.stdout.read()

    assert len(workers) == 2
    assert {int(word) for word in rest.split()} <= set(workers)


KILLED_GRADER = """
import multiprocessing, sys
from tests.stubs import cohort
from verify.batch.executors.base import Unfit
from verify.batch.rules import RulesDiffer

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
