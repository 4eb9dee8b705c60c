"""The prover finds what is wrong with a course, and finds nothing wrong with a sound one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verify.selftest.defects import FILES, MUTANTS, Defect
from verify.selftest.excuses import Excuse
from verify.selftest.proof import Row, prove
from verify.selftest.subjects import COMPLETED, MARKER
from verify.verdicts import PASSED, Finding, Verdict, failed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.attempt import Attempt
    from verify.model import Check
    from verify.selftest.course import Course

    Toy = Callable[..., Course]
    Weakened = Callable[[int, Callable[..., Verdict]], tuple[Check, ...]]
    AnotherCheck = Callable[[Callable[..., Verdict]], tuple[Check, ...]]

TABLE = "verify/selftest/concerns.py"
EXCUSES = "verify/selftest/excuses.py"
RESULT = ".pipeline/ISSUE-7/worker-result.json"


def named(what: str) -> str:
    return f"foundation/01 solved: ISSUE-7/worker-result.json {what}"


def result_of(attempt: Attempt) -> dict[str, Any]:
    """Return the worker's result of a submission, parsed by the door that checks use."""
    value: dict[str, Any] = json.loads(attempt.submission.read(RESULT))
    return value


def mutant_defects(course: Course) -> list[Defect]:
    return [defect for defect in prove(course).defects if defect.area == MUTANTS]


def test_a_sound_course_is_proven(toy: Toy) -> None:
    proof = prove(toy())
    (row,) = proof.rows

    assert proof.defects == ()
    assert row._replace(mutants=0, killed=0, excused=0) == Row("foundation/01", 3, 4, 0, 0, 0, 0)
    assert row.mutants == row.killed + row.excused
    assert row.killed > 90
    assert [excuse.pattern.partition("*")[2] for excuse, _ in proof.excused] == [
        *("files_changed: empty", "files_changed: one more"),
        *("files_changed.0: *another *", "files_changed.0: with a space*"),
    ]


def test_a_mutant_that_a_weak_check_lets_through_is_reported(toy: Toy, weakened: Weakened) -> None:
    def in_any_case(attempt: Attempt) -> Verdict:
        marker = result_of(attempt)["produced_by"].lower()
        return PASSED if marker == "x-worker" else failed(Finding("another agent"))

    defects = mutant_defects(toy(weakened(3, in_any_case)))

    assert defects == [
        Defect(
            MUTANTS,
            named(f"produced_by: says '{marker}'"),
            "the fault is about marker, which is F01.3's, and every check passes",
            f"Make F01.3 refuse it, or say in {EXCUSES} why it is right.",
        )
        for marker in ("X-WORKER", "X-worker")
    ]


def test_a_fault_for_which_no_check_is_named_is_reported_unless_excused(toy: Toy) -> None:
    defects = mutant_defects(toy(excuses=()))

    assert (
        Defect(
            MUTANTS,
            named("files_changed: empty"),
            "the fault is about plan and result agree, for which the exercise names no check, and "
            "every check passes",
            f"Add a check and name it in {TABLE}, or say in {EXCUSES} why it is right.",
        )
        in defects
    )
    assert {"files_changed" in defect.where for defect in defects} == {True}


def test_a_check_that_no_mutant_is_killed_by_is_reported(
    toy: Toy, another_check: AnotherCheck
) -> None:
    defects = mutant_defects(toy(another_check(lambda _: PASSED)))

    assert defects == [
        Defect(
            MUTANTS,
            "F01.4",
            "no mutant of a solution is killed by this check",
            f"Give it a concern in {TABLE}, and the concern an operator.",
        )
    ]


def test_a_mutant_that_another_check_refuses_is_reported(toy: Toy) -> None:
    defects = mutant_defects(toy(codes={**toy().subjects["foundation/01"][0].checks, MARKER: 2}))

    assert defects[0] == Defect(
        MUTANTS,
        named("produced_by: says 'x-planner'"),
        "refused by F01.3, but the fault is about marker and F01.2 does not fail",
        f"Mend the check that answers for it, or {TABLE}.",
    )
    assert {defect.where for defect in defects if "refused by" not in defect.what} == {"F01.3"}


def test_a_mutant_that_is_refused_though_no_check_is_named_is_reported(toy: Toy) -> None:
    codes = dict(toy().subjects["foundation/01"][0].checks)
    del codes[COMPLETED]
    defects = mutant_defects(toy(codes=codes))

    assert defects[0].what == (
        "refused by F01.2, but the fault is about completed and the exercise names no check"
    )


def test_an_advisory_check_counts_as_every_other(toy: Toy, another_check: AnotherCheck) -> None:
    def changed_something(attempt: Attempt) -> Verdict:
        files = result_of(attempt)["files_changed"]
        return PASSED if files else failed(Finding("nothing changed"))

    *checks, last = another_check(changed_something)
    note = replace(last, advisory=True, points=0, requires=("F01.1",))
    defects = mutant_defects(toy((*checks, note), excuses=()))
    (what,) = (d.what for d in defects if d.where == named("files_changed: empty"))

    assert what == (
        "refused by F01.4, but the fault is about plan and result agree and the exercise names no "
        "check"
    )


def test_a_check_that_a_mutant_makes_crash_is_reported(toy: Toy, weakened: Weakened) -> None:
    def careless(attempt: Attempt) -> Verdict:
        status = {"completed": PASSED, "blocked": failed(Finding("blocked"))}
        return status[result_of(attempt)["status"]]

    defects = mutant_defects(toy(weakened(2, careless)))

    assert defects[0] == Defect(
        MUTANTS,
        named("status: 'failed'"),
        "F01.2 crashed",
        "Mend F01.2: a check may fail, never raise.",
    )


def test_an_excuse_that_covers_no_survivor_is_stale(toy: Toy) -> None:
    course = toy()
    stale = Excuse("foundation/01 *no such mutant*", "Once it was needed.")
    behind = Excuse("foundation/01 *files_changed: emp*", "An excuse before it covers its mutants.")

    assert mutant_defects(replace(course, excuses=(*course.excuses, stale, behind))) == [
        Defect(MUTANTS, each.pattern, "this excuse is stale: it covers no survivor", "Remove it.")
        for each in (stale, behind)
    ]


def test_an_excuse_that_covers_a_mutant_that_a_check_refuses_is_too_wide(toy: Toy) -> None:
    course = toy()
    wide = Excuse("foundation/01 *files_changed: *", "It covers survivors, and a few more.")
    one = Excuse("foundation/01 *: says 'x-git'", "It covers one mutant, and F01.3 refuses it.")
    to_do = "Narrow its pattern to the survivors, or write one for each."
    dropped, refused = named("files_changed: missing"), named("produced_by: says 'x-git'")

    assert mutant_defects(replace(course, excuses=(wide, *course.excuses[2:], one))) == [
        Defect(
            MUTANTS,
            wide.pattern,
            f"this excuse is too wide: a check refuses {dropped}, and 5 more that it covers",
            to_do,
        ),
        Defect(MUTANTS, one.pattern, f"this excuse is too wide: a check refuses {refused}", to_do),
        Defect(MUTANTS, one.pattern, "this excuse is stale: it covers no survivor", "Remove it."),
    ]


def test_mutants_are_made_of_solutions_that_pass(toy: Toy, weakened: Weakened) -> None:
    proof = prove(toy(weakened(2, lambda _: failed(Finding("never")))))

    assert (proof.rows[0].mutants, proof.excused) == (0, ())
    assert [defect for defect in proof.defects if defect.area == MUTANTS] == []
    assert "a solution does not pass F01.2" in [defect.what for defect in proof.defects]


def test_a_table_of_concerns_that_fits_no_solution_is_reported(toy: Toy) -> None:
    course = toy()
    (own,) = course.subjects["foundation/01"]
    odd = own._replace(path="other.json", kind="poem", checks={MARKER: 9})
    table = {"foundation/01": (own, odd)}
    where = ("foundation/01", "foundation/01", "foundation/01 solved")
    whats = ("no operators for the kind 'poem'", "the table names F01.9")

    assert mutant_defects(replace(course, subjects=table)) == [
        Defect(MUTANTS, place, what, f"Mend {TABLE}: it names parts of solutions, and checks.")
        for place, what in zip(where, (*whats, "the solution has no other.json"), strict=True)
    ]


def test_an_exercise_without_a_table_of_concerns_is_reported(toy: Toy) -> None:
    defects = mutant_defects(replace(toy(), subjects={}, excuses=()))

    assert [(d.where, d.what.partition(" of ")[0]) for d in defects] == [
        ("foundation/01", "the exercise has no table"),
        *((f"F01.{number}", "no mutant") for number in (1, 2, 3)),
    ]


def test_of_a_part_of_the_course_only_that_part_is_proven(toy: Toy, tmp_path: Path) -> None:
    course = toy(excuses=(*toy().excuses, Excuse("foundation/02 *", "Of another exercise.")))
    (tmp_path / "sandbox/issues/ISSUE-8.md").write_text("stray")
    part = prove(replace(course, only=frozenset({"foundation/01"})))
    whole = prove(course)

    assert part.defects == ()
    assert [defect.area for defect in whole.defects] == [FILES, MUTANTS]
    assert prove(replace(course, only=frozenset({"expert/01"}))).rows == ()
