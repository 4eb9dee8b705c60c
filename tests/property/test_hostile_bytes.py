"""Both ways of grading agree on a document of any bytes."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.files import MISSING, Unreadable
from pipeline.terminal.host import no_host
from tests.stubs.hostile.cases import PLAN
from tests.stubs.hostile.making import solved
from tests.stubs.hostile.seeds import mutated, seeds, structured
from tests.stubs.hostile.targets import SOUND, TARGETS
from verify import catalog
from verify.artifacts import Context
from verify.catalog import issue_of
from verify.runner import grade

if TYPE_CHECKING:
    from pipeline.protocol.issue import Issue
    from verify.model import Exercise

BYTES = st.binary(max_size=400)
SEEDS = st.integers(0, 2**32 - 1)
TABLES = ("roster", "manifest")


class OneFile:
    """A submission of one plan."""

    root = "learner"

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, path: str) -> bytes:
        if path != PLAN:
            raise Unreadable(MISSING, "does not exist")
        return self._data

    def is_file(self, path: str) -> bool:
        return path == PLAN

    def names(self, path: str) -> list[str]:
        raise Unreadable(MISSING, f"{path} does not exist")

    def history(self) -> None:
        return None

    def close(self) -> None:
        """Hold nothing."""


@cache
def exercise() -> tuple[Exercise, Issue | None]:
    found = catalog.find("foundation", "01").for_cohort()
    return found, issue_of(found, "")


@pytest.mark.parametrize("target", ["document", *TABLES])
def test_what_was_not_changed_is_sound(target: str) -> None:
    assert SOUND in [TARGETS[target](data) for data in seeds(target)]


@given(SEEDS)
def test_no_document_crashes_a_check(seed: int) -> None:
    random = Random(seed)  # noqa: S311  # a seed is the point
    data = structured("document", solved(), random) if seed % 3 else mutated(solved(), random)
    plan, issue = exercise()
    report = grade(Context(plan, OneFile(data), issue, no_host), strict=True)

    assert not report.crashed
