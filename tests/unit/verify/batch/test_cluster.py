"""A cluster grades as this machine does; one that is of no use is refused in one line."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.stubs.deeds import carry_out
from tests.unit.verify.child.test_workers import REASONS, SHORT, said
from verify.batch import cluster
from verify.batch.cluster import Cluster
from verify.child.limits import CannotContinue, StopRun

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.xdist_group("cluster")


@contextmanager
def started(workers: int, *, daemon: bool = False) -> Iterator[str]:
    """Start a Dask cluster and return its scheduler's address."""
    import dask
    import distributed

    local: Any = distributed.LocalCluster  # the library has no types
    with (
        dask.config.set({"distributed.worker.daemon": daemon}),
        local(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=60,
        ) as running,
    ):
        yield running.scheduler_address


def refused(address: str) -> str:
    with pytest.raises(CannotContinue) as raised, Cluster(address):
        pytest.fail("there is no such cluster")
    return str(raised.value)


@pytest.mark.slow
def test_a_harmful_task_fails_with_its_reason_and_its_neighbours_have_results() -> None:
    harm = ["segfault", "hog"]
    tasks = [name for deed in harm for name in (*["fine"] * 20, deed, *["fine"] * 20)]
    with started(2) as address, Cluster(address) as used:
        chunks = used.run(
            carry_out, tasks, limits=SHORT, expected=len(tasks), stopping=lambda: False
        )
        done = [pair for chunk in chunks for pair in chunk]
        with pytest.raises(StopRun, match="the collection was replaced"):
            list(used.run(carry_out, ["stop"], limits=SHORT, expected=1, stopping=lambda: False))
    reasons = {task: said(result) for task, result in done if task != "fine"}

    assert Counter(task for task, _ in done) == Counter(tasks)
    assert {result for task, result in done if task == "fine"} == {"fine"}
    assert reasons == {deed: f"grading this submission {REASONS[deed]}" for deed in harm}


@pytest.mark.slow
def test_workers_that_may_start_no_process_are_refused() -> None:
    with started(1, daemon=True) as address:
        assert refused(address) == (
            "the cluster's workers cannot start processes: start the workers"
            " with DASK_DISTRIBUTED__WORKER__DAEMON=False in the environment, or with --no-nanny"
        )


def test_a_cluster_without_workers() -> None:
    with started(0) as address:
        assert refused(address) == (
            f"the cluster at {address} has no workers (start one with: dask worker {address}"
            " --no-nanny)"
        )


def test_an_address_where_nothing_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_CONNECTING", 0.5)

    assert refused("tcp://127.0.0.1:1") == (
        "no scheduler answers at tcp://127.0.0.1:1 (OSError): start one, or check the address"
    )


def test_a_machine_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)

    assert refused("tcp://127.0.0.1:1") == (
        "--scheduler needs Dask, which is not installed: run python3 start.py cluster, or pip"
        " install '.[cluster]'"
    )
