"""The prover finds what is wrong with a course, and finds nothing wrong with a sound one."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.files import Unreadable
from tests.unit.verify.selftest.conftest import SOLVED, write
from verify.grading.model import PASSED, Finding, Verdict, failed
from verify.selftest.course import Defect, Excuse, matches
from verify.selftest.proof import Row, prove

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.grading.artifacts import Context
    from verify.grading.model import Check
    from verify.selftest.course import ProvenCourse

    Toy = Callable[..., ProvenCourse]
    Weakened = Callable[[int, Callable[..., Verdict]], tuple[Check, ...]]
    AnotherCheck = Callable[[Callable[..., Verdict]], tuple[Check, ...]]

TABLE = "verify/selftest/excuses.json"
RESULT = ".pipeline/ISSUE-7/worker-result.json"


def named(what: str) -> str:
    return f"foundation/01 solved: ISSUE-7/worker-result.json {what}"


def result_of(context: Context) -> dict[str, Any]:
    """Return the worker's result of a submission, parsed by the door that checks use."""
    value: dict[str, Any] = json.loads(context.submission.read(RESULT))
    return value


def mutant_defects(course: ProvenCourse) -> list[Defect]:
    return [defect for defect in prove(course).defects if defect.area == "mutants"]


def test_a_sound_course_is_proven(toy: Toy) -> None:
    course = toy()
    proof = prove(course)
    (row,) = proof.rows

    assert proof.defects == ()
    assert row._replace(mutants=0, killed=0, excused=0) == Row("foundation/01", 3, 4, 0, 0, 0, 0)
    assert row.mutants == row.killed + row.excused
    assert row.killed > 90
    assert [excuse for excuse, _ in proof.excused] == list(course.excuses)
    assert prove(course) == proof


def test_a_mutant_that_a_weak_check_lets_through_is_reported(toy: Toy, weakened: Weakened) -> None:
    def in_any_case(context: Context) -> Verdict:
        marker = result_of(context)["produced_by"].lower()
        return PASSED if marker == "x-worker" else failed(Finding("another agent"))

    assert mutant_defects(toy(weakened(3, in_any_case))) == [
        Defect(
            "mutants",
            named("$.produced_by: reworded: in a different case"),
            "every check passes",
            f"Make a check catch the fault, or explain in {TABLE} why it is acceptable.",
        )
    ]


def test_a_mutant_without_an_answer_survives_with_a_reason_only(toy: Toy) -> None:
    (defect,) = mutant_defects(toy(excuses=toy().excuses[:-1]))

    assert defect == Defect(
        "mutants",
        named("$.files_changed: one more"),
        "every check passes",
        f"Make a check catch the fault, or explain in {TABLE} why it is acceptable.",
    )


def test_a_check_that_no_mutant_shows_to_work_is_reported(
    toy: Toy, another_check: AnotherCheck
) -> None:
    assert mutant_defects(toy(another_check(lambda _: PASSED))) == [
        Defect(
            "mutants",
            "F01.4",
            "this check catches no mutant of a solution, and no broken-… submission fails it",
            "Add what it looks at to solved/, or a broken-… submission, or fix the check.",
        )
    ]


def test_a_check_with_a_bound_is_proven_by_its_broken_submission(
    toy: Toy, another_check: AnotherCheck, tmp_path: Path
) -> None:
    """Its solution has more than it asks for, so that no single fault makes it fail."""

    def more_than_two(context: Context) -> Verdict:
        files = result_of(context)["files_changed"]
        return failed(Finding("two")) if len(files) == len("ab") else PASSED

    *checks, last = another_check(more_than_two)
    course = toy((*checks, replace(last, requires=("F01.1",))), excuses=())
    fixtures = tmp_path / "fixtures/submissions/foundation/01-toy"
    for name, files in (("solved", "abcde"), ("broken-two", "ab")):
        changed = [f"{file}.js" for file in files]
        write(fixtures / name / RESULT, json.dumps(SOLVED | {"files_changed": changed}))
    defects = mutant_defects(course)
    shutil.rmtree(fixtures / "broken-two")

    assert (defects, [defect.where for defect in mutant_defects(course)]) == ([], ["F01.4"])


def test_an_advisory_check_counts_as_every_other(toy: Toy, another_check: AnotherCheck) -> None:
    def changed_one(context: Context) -> Verdict:
        files = result_of(context)["files_changed"]
        return PASSED if len(files) == 1 else failed(Finding("not one file changed"))

    *checks, last = another_check(changed_one)
    note = replace(last, points=0, requires=("F01.1",))

    assert mutant_defects(toy((*checks, note), excuses=toy().excuses[:-1])) == []


def test_a_check_that_a_mutant_makes_crash_is_reported(toy: Toy, weakened: Weakened) -> None:
    def careless(context: Context) -> Verdict:
        status = {"completed": PASSED, "blocked": failed(Finding("blocked"))}
        return status[result_of(context)["status"]]

    defects = mutant_defects(toy(weakened(2, careless)))

    assert defects[0] == Defect(
        "mutants",
        named("$.status: reworded: other words"),
        "F01.2 crashed",
        "Fix F01.2: a check may fail, but must not raise an exception.",
    )


def test_without_excuses_an_artifact_that_may_be_missing_or_no_json_is_a_defect(
    toy: Toy, weakened: Weakened
) -> None:
    def forgiving(context: Context) -> Verdict:
        try:
            result = result_of(context)
        except (ValueError, Unreadable):
            return PASSED
        return PASSED if result == SOLVED else failed(Finding("another"))

    defects = mutant_defects(toy(weakened(1, forgiving)[:1], excuses=()))

    assert {(d.what, d.to_do) for d in defects} == {
        ("every check passes", "Add a check that the artifact exists and is valid JSON.")
    }
    assert {d.where.removeprefix(named("")).partition(": ")[0] for d in defects} == {"file", "text"}


def test_an_excuse_that_covers_no_survivor_or_more_than_survivors_is_reported(toy: Toy) -> None:
    course = toy()
    stale = Excuse("foundation/01 *no such mutant*", "Once it was needed.")
    wide = Excuse("foundation/01 *summary: {missing,twice,says nothing: blank}", "It covers more.")
    name = named("$.summary: says nothing: blank")
    covers_none = "this excuse is stale: it covers no survivor"

    assert mutant_defects(replace(course, excuses=(*course.excuses, stale, wide))) == [
        Defect(
            "mutants",
            wide.pattern,
            f"this excuse is too broad: a check catches {name}, and 1 more that the excuse covers",
            "Narrow its pattern to the survivors, or write one pattern for each.",
        ),
        *(Defect("mutants", e.pattern, covers_none, "Remove it.") for e in (stale, wide)),
    ]


@pytest.mark.parametrize(
    ("pattern", "name", "matched"),
    [
        ("a *: missing", "a solved: plan.json pr_url: missing", True),
        ("a *: missing", "a solved: plan.json pr_url: missing too", False),
        ("a.b [1], c", "a.b [1], c", True),
        ("a.b", "axb", False),
        ("says *", "says 'x\n'", True),
        ("{a,b*}/{c,}: *", "bcd/: x", True),
        ("{a,b}", "a,b", False),
    ],
)
def test_in_a_pattern_a_star_is_any_text_and_braces_have_alternatives(
    pattern: str,
    name: str,
    matched: bool,  # noqa: FBT001  # an expectation
) -> None:
    assert matches(pattern, name) is matched


def test_of_a_part_of_the_course_only_that_part_is_proven(toy: Toy, tmp_path: Path) -> None:
    course = toy(excuses=(*toy().excuses, Excuse("foundation/02 *", "Of another exercise.")))
    (tmp_path / "sandbox/issues/ISSUE-8.md").write_text("stray")
    part = prove(replace(course, only=frozenset({"foundation/01"})))
    whole = prove(course)

    assert part.defects == ()
    assert [defect.area for defect in whole.defects] == ["files", "mutants"]
    assert prove(replace(course, only=frozenset({"expert/01"}))).rows == ()
