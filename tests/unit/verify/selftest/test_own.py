"""The self-test of an own course finds what its exercises look at, and what nobody asks about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify.own_course.scaffold import make_course
from verify.selftest.own import own_course
from verify.selftest.proof import prove
from verify.selftest.subjects import Subject

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.selftest.proof import Proof

RETRO = "exercises/basics/ex02_retro.py"


@pytest.fixture
def proof(tmp_path: Path) -> Callable[..., Proof]:
    """Return a function that proves the course with a text of one of its files replaced."""

    def prove_it(file: str = "", old: str = "", new: str = "") -> Proof:
        root = tmp_path / "course"
        make_course(str(root))
        if file:
            text = (root / file).read_text(encoding="utf-8")
            assert old in text
            (root / file).write_text(text.replace(old, new), encoding="utf-8")
        return prove(own_course(str(root)))

    return prove_it


def defects(proof: Proof) -> list[tuple[str, str]]:
    return [(defect.area, defect.where) for defect in proof.defects]


def test_what_grading_looks_at_is_what_mutants_are_made_of(tmp_path: Path) -> None:
    make_course(str(tmp_path))

    assert own_course(str(tmp_path)).subjects == {
        "basics/01": (Subject(".pipeline/ISSUE-1/plan.json", "document", {}),),
        "basics/02": (Subject(".pipeline/ISSUE-1/retro.json", "document", {}),),
    }


def test_the_course_that_is_made_is_proven(proof: Callable[..., Proof]) -> None:
    proven = proof()

    assert proven.defects == ()
    assert [(row.exercise, row.checks, row.submissions) for row in proven.rows] == [
        ("basics/01", 4, 5),
        ("basics/02", 4, 5),
    ]
    assert all(row.mutants == row.killed + row.excused > 100 for row in proven.rows)
    assert [excuse.reason.partition(":")[0] for excuse, _ in proven.excused] == [
        "No check of basics/01 asks about them",
        "No check of basics/02 asks about them",
    ]


def test_a_check_that_refuses_nothing_is_a_defect(proof: Callable[..., Proof]) -> None:
    blind = proof(RETRO, "return artifact.failed_at(problems)", "return artifact.failed_at([])")

    assert defects(blind) == [
        ("fixtures", "fixtures/basics/02-retro/broken-owner"),
        ("fixtures", "fixtures/basics/02-retro/broken-owner"),
        ("fixtures", "fixtures/basics/02-retro/broken-owner"),
        ("fixtures", "fixtures/basics/02-retro/broken-owner"),
        ("fixtures", "B02.4"),
        ("mutants", "B02.4"),
    ]


def test_a_solution_that_fails_is_a_defect(proof: Callable[..., Proof]) -> None:
    solved = "fixtures/basics/02-retro/solved"
    found = proof(f"{solved}/.pipeline/ISSUE-1/retro.json", '"owner": "Ada"', '"owner": "Bob"')

    assert set(defects(found)) == {("fixtures", solved)}
    assert found.rows[1].mutants == 0


def test_a_check_that_crashes_on_a_mutant_is_a_defect(proof: Callable[..., Proof]) -> None:
    crashing = proof(RETRO, 'requires=("B02.3",)', "requires=()")

    assert any(
        area == "mutants" and "basics/02 solved" in where for area, where in defects(crashing)
    )


def test_a_page_without_an_anchor_and_a_stray_schema_are_defects(
    tmp_path: Path, proof: Callable[..., Proof]
) -> None:
    page = "docs/basics/tutorials/01-plan.md"
    proof(page, '<a id="b01-4"></a>', "")
    (tmp_path / "course/artifacts/other.schema.json").write_text("{}")

    found = prove(own_course(str(tmp_path / "course"))).defects

    assert [(each.area, each.where) for each in found] == [
        ("files", "artifacts/other.schema.json"),
        ("tutorials", page),
    ]


def test_a_part_of_the_course_is_proven(tmp_path: Path) -> None:
    make_course(str(tmp_path))

    proven = prove(own_course(str(tmp_path), [("basics", "2")]))

    assert [row.exercise for row in proven.rows] == ["basics/02"]
