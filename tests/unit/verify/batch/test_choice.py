"""Who grades, by the options and the size of the cohort."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.stubs import cohort
from verify.batch.executors import choice
from verify.batch.executors.pool import Pool

if TYPE_CHECKING:
    from verify.batch.executors.base import Executor


def chosen(total: int, jobs: int | None = None, scheduler: str | None = None) -> Executor:
    return choice.executor_for(cohort.grade_by_name, jobs=jobs, scheduler=scheduler, total=total)


def test_without_a_word_there_is_a_worker_a_usable_processor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(choice, "usable_processors", lambda: 12)
    executor = chosen(100_000)

    assert isinstance(executor, Pool)
    assert (executor.workers, executor.window) == (12, 36)


@pytest.mark.parametrize(("total", "workers"), [(1, 1), (8, 1), (30, 4), (1_000, 64)])
def test_a_small_cohort_gets_no_more_workers_than_it_can_use(total: int, workers: int) -> None:
    assert chosen(total, jobs=64).workers == workers
