"""A cluster that is of no use is told in one line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.stubs import cohort
from verify.batch.executors import cluster
from verify.batch.executors.base import Unfit
from verify.batch.executors.cluster import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.xdist_group("cluster")


@pytest.fixture
def scheduler() -> Iterator[str]:
    """Start a scheduler without workers and return its address."""
    import distributed

    with distributed.LocalCluster(  # type: ignore[no-untyped-call]  # the library has no types
        n_workers=0, dashboard_address=":0", silence_logs=60
    ) as local:
        yield local.scheduler_address


def entered(address: str) -> str:
    with (
        pytest.raises(Unfit) as raised,
        Cluster(cohort.grade_by_name, address),
    ):
        pytest.fail("there is no such cluster")
    return str(raised.value)


def test_an_address_where_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_CONNECTING", 0.5)

    assert entered("tcp://127.0.0.1:1") == (
        "no scheduler answers at tcp://127.0.0.1:1 (OSError): expected an address such as"
        " tcp://10.0.0.5:8786"
    )


def test_a_cluster_without_workers(scheduler: str) -> None:
    assert entered(scheduler) == (
        f"the cluster at {scheduler} has no workers: start some with: dask worker {scheduler}"
    )


def test_a_machine_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)

    assert entered("tcp://127.0.0.1:1") == (
        "--scheduler needs Dask, which is not installed: python3 start.py cluster, or pip install"
        " '.[cluster]'"
    )
