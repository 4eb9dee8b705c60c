"""Both ways of grading agree on a document of any bytes."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from pipeline.terminal.programs import no_version
from tests.stubs.hostile.cases import PLAN
from tests.stubs.hostile.making import solved
from tests.stubs.hostile.seeds import mutated, structured
from verify.course import catalog
from verify.course.catalog import issue_of
from verify.grading.artifacts import Context
from verify.grading.runner import grade
from verify.selftest.mutants import Overlay

if TYPE_CHECKING:
    from pipeline.protocol.issue import Issue
    from verify.grading.model import Exercise

SEEDS = st.integers(0, 2**32 - 1)


@cache
def exercise() -> tuple[Exercise, Issue | None]:
    found = catalog.find("foundation", "01").for_cohort()
    return found, issue_of(found, "")


@given(SEEDS)
def test_no_document_crashes_a_check(seed: int) -> None:
    random = Random(seed)  # noqa: S311  # a seed is the point
    data = structured("document", solved(), random) if seed % 3 else mutated(solved(), random)
    plan, issue = exercise()
    report = grade(Context(plan, Overlay("learner", {PLAN: data}), issue, no_version), strict=True)

    assert not report.crashed
