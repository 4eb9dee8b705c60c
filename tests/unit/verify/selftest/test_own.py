"""The self-test of an own course finds what its exercises look at, and what nobody asks about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify.own_course.scaffold import make_course
from verify.selftest.course import own_course
from verify.selftest.mutation import targets_of
from verify.selftest.operators import Target
from verify.selftest.overlay import files_below
from verify.selftest.proof import prove

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.selftest.proof import Proof

    Prove = Callable[..., Proof]

RETRO = "exercises/basics/ex02_retro.py"


@pytest.fixture
def proof(tmp_path: Path) -> Prove:
    """Return a function that proves the course with a text of one of its files replaced."""

    def prove_it(file: str, old: str, new: str) -> Proof:
        make_course(str(tmp_path))
        text = (tmp_path / file).read_text(encoding="utf-8")
        assert old in text
        (tmp_path / file).write_text(text.replace(old, new), encoding="utf-8")
        return prove(own_course(str(tmp_path)))

    return prove_it


def defects(proof: Proof) -> list[tuple[str, str]]:
    return [(defect.area, defect.where) for defect in proof.defects]


def test_what_grading_looks_at_is_what_mutants_are_made_of(tmp_path: Path) -> None:
    make_course(str(tmp_path))
    course = own_course(str(tmp_path), [("basics", "2")])
    (exercise,) = course.selected
    files = files_below(str(tmp_path / "fixtures/basics/02-retro/solved"))

    assert targets_of(course, exercise, files) == [
        Target(".pipeline/ISSUE-1/retro.json", "document")
    ]
    assert targets_of(course, exercise, {}) is None


def test_a_check_that_refuses_nothing_is_a_defect_and_survivors_are_named(proof: Prove) -> None:
    blind = proof(RETRO, "return artifact.failed_at(problems)", "return artifact.failed_at([])")
    (_, (excuse, survivors)) = blind.excused

    assert defects(blind) == [
        *[("fixtures", "fixtures/basics/02-retro/broken-owner")] * 4,
        ("fixtures", "B02.4"),
        ("mutants", "B02.4"),
    ]
    assert excuse.reason.startswith("No check of basics/02 asks about them: ISSUE-1/retro.json $")
    assert survivors == blind.rows[1].excused > 8


def test_a_page_without_an_anchor_and_a_stray_schema_are_defects(
    tmp_path: Path, proof: Prove
) -> None:
    page = "docs/basics/tutorials/01-plan.md"
    proof(page, '<a id="b01-4"></a>', "")
    (tmp_path / "artifacts/other.schema.json").write_text("{}")

    assert defects(prove(own_course(str(tmp_path)))) == [
        ("files", "artifacts/other.schema.json"),
        ("tutorials", page),
    ]
