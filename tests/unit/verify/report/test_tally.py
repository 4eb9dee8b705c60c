"""Tests of what the report gathers: rows, figures, groups of failures and of copies."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tests.stubs.marks import FakeCohort, result_of
from tests.unit.verify.report.conftest import CHECKS, EXERCISE, FINDING, entry, mark
from verify.gradebook.copies import Copies
from verify.gradebook.records import Learner, Override, Standing
from verify.grading.model import CheckInfo
from verify.report import tally as tallying
from verify.report.tally import (
    SIGNS,
    Bar,
    CohortTally,
    CopyGroup,
    Failure,
    entry_of,
    gravest,
    letters_of,
    row_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest


def tally(*alike: Copies) -> CohortTally:
    """Return what is gathered of a cohort in the toy exercise, before anything is."""
    return CohortTally(FakeCohort((EXERCISE,), (), alike=alike))


def bars(scores: Mapping[float, int], points: int) -> list[Bar]:
    """Return the bars of scores out of points."""
    made = CohortTally(FakeCohort((EXERCISE._replace(points=points),), ()))
    made.scores = Counter(scores)
    return made.bars()


def test_a_score_adds_up_what_has_one_and_says_when_that_is_not_all() -> None:
    by_hand = Override(4.5, "grader", "2026-01-02T03:04:05Z", "late")
    part = entry(0, mark("pfp"), mark("m"), mark("epp"), attempt="2")
    whole = entry(0, mark("m", override=by_hand))

    assert (part.standing.known, len(part.scored)) == ((2, 5), 1)
    assert (whole.standing.known, len(whole.scored)) == ((4.5, 5), 1)


def test_each_check_has_a_letter_as_the_exercise_is_now() -> None:
    new = CheckInfo("T01.4", "it is new", 1, advisory=False, page="p#4")
    changed = EXERCISE._replace(checks=(CHECKS[1], new, CHECKS[0]))

    assert letters_of(mark("pff"), EXERCISE) == "pfn"
    assert letters_of(mark("pff"), changed) == "fep"
    assert letters_of(mark("m"), changed) == "mmm"
    assert len({sign.mark for sign in SIGNS.values()}) == len(SIGNS)


def test_the_gravest_outcome_of_several_exercises_counts() -> None:
    passed, missing, failed, error = map(mark, ["ppp", "m", "fpp", "epp"])

    assert gravest([passed, failed, missing, error]).label == "error"
    unresolved = mark("u")
    assert gravest([passed, failed, missing, unresolved]).label == "unresolved"
    assert gravest([passed, failed, missing]).label == "fail"
    assert gravest([passed, missing]).label == "missing"
    assert gravest([passed]).label == "pass"


def test_a_row_has_all_that_the_table_sorts_and_filters_by() -> None:
    override = Override(4.0, "me", "2026-01-01T00:00:00Z", "why")
    marks = (mark("pfs", override=override), mark("m"), mark("epf"))
    ada = entry_of(
        0,
        Standing(Learner("k1", "Ada", "ada@example.edu"), marks, "2"),
        [EXERCISE, EXERCISE, EXERCISE],
    )
    in_b = Learner("bob", ids={"Section": "B\u202e"})
    standing = Standing(in_b, (mark("ppp"),), late=True)
    bob = entry_of(1, standing, [EXERCISE])

    assert [row_of(ada, [3], has_roster=True), row_of(bob, [], has_roster=False)] == [
        [
            *(ada.file[:-5], "Ada", "k1", "ada@example.edu", "2", "e", "u"),
            *("fme", [4, None, None], "pfs mmm epn", [0], [3], (4, 5), ""),
        ],
        [bob.file[:-5], "bob", "", "", "", "p", "l", "p", [5], "ppp", [], [], (5, 5), "B\\u{202e}"],
    ]


def test_a_score_has_a_bar_as_long_as_it_is_frequent() -> None:
    assert bars({0: 1, 2: 4}, 2) == [Bar(0, 0, 1, 25), Bar(1, 1, 0, 0), Bar(2, 2, 4, 100)]
    assert bars({}, 1) == [Bar(0, 0, 0, 0), Bar(1, 1, 0, 0)]
    # set by hand: to the bar below, or to the outermost
    assert [bar.number for bar in bars({1.5: 1, -3: 1, 99: 1}, 2)] == [1, 1, 1]

    many = bars(dict.fromkeys(range(101), 1), 100)

    assert many[0] == Bar(0, 4, 5, 100)
    assert many[-1] == Bar(100, 100, 1, 20)
    assert (len(many), sum(bar.number for bar in many)) == (21, 101)


def test_the_same_fault_in_another_element_is_the_same_failure() -> None:
    twice = (FINDING, FINDING._replace(path="$.steps[17].order"))
    results = (result_of(CHECKS[0], "f", *twice),)
    found = tally()
    found.add_learner([entry(0, mark("fpp"))])
    found.add_learner([entry(1, mark("fpp", results=results))])

    assert found.failures(9) == [Failure(CHECKS[0], "wrong type", "$.steps[*].order", [0, 1])]


def test_the_largest_group_comes_first_and_what_costs_nothing_last() -> None:
    found = tally()
    for number, letters in enumerate(["fpf", "pff", "pff", "ppf"]):
        found.add_learner([entry(number, mark(letters))])

    assert [(group.check.code, group.rows) for group in found.failures(9)] == [
        ("T01.2", [1, 2]),
        ("T01.1", [0]),
        ("T01.3", [0, 1, 2, 3]),
    ]
    assert len(found.failures(1)) == 1


def test_submissions_that_provoke_ever_new_messages_do_not_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tallying, "_MOST_KINDS", 3)
    found = tally()
    for number in range(5):
        one = (FINDING._replace(message=f"m{number}"),)
        results = (result_of(CHECKS[0], "f", *one),)
        found.add_learner([entry(number, mark("fpp", results=results))])

    assert (len(found.failures(9)), found.left_out) == (3, 2)


def test_each_learner_is_in_the_groups_of_copies_that_name_the_attempt() -> None:
    alike = Copies("toy/01", ("plan.json",), "", (("k0", ""), ("k1", ""), ("k2", "")))
    shipped = Copies("toy/01", ("plan.json",), "solution", (("k1", ""), ("k3", "2")))
    found = tally(alike, shipped)
    for number in range(4):
        found.add_learner([entry(number)])

    assert [row[-3] for row in found.rows] == [[1], [0, 1], [1], []]
    assert found.copies == [CopyGroup(shipped, [1]), CopyGroup(alike, [0, 1, 2])]
    assert [group.label for group in found.copies] == ["the shipped solution", "2 others"]


def test_the_hardest_check_comes_first_and_what_was_not_graded_last() -> None:
    found = tally()
    for number, letters in enumerate(["pfe", "pse", "ppe"]):
        found.add_learner([entry(number, mark(letters))])

    assert [(breakdown.label, breakdown.rate) for breakdown in found.hardest_first()] == [
        *(("T01.2", 1 / 3), ("T01.1", 1.0), ("T01.3", None)),
    ]
