"""Tests of what the overview counts and says."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from tests.stubs.marks import FakeCohort
from tests.unit.verify.report.conftest import CHECKS, EXERCISE, FINDING, entry, mark
from verify.gradebook.copies import Copies
from verify.gradebook.values import CheckMark, Learner, Override, Standing
from verify.report import groups
from verify.report.entry import entry_of
from verify.report.groups import CopyGroup, CopyGroups, Failures, Group
from verify.report.overview_page import Bar, Survey, bars_of, overview
from verify.report.tally import CheckFigures, hardest_first
from verify.report.templates import Templates

if TYPE_CHECKING:
    import pytest

BY_HAND = Override(4, "me", "2026-01-01T00:00:00Z", "why")
LETTERS = ("ppp", "ppf", "fsp", "fpp", "epp", "m", "ppp")


def page(cohort: FakeCohort) -> str:
    """Return a cohort's overview."""
    survey = Survey(cohort)
    for number, standing in enumerate(cohort.standings()):
        survey.add(entry_of(number, standing, cohort.exercises))
    return overview(Templates(), survey).decode()


def said(cohort: FakeCohort) -> str:
    """Return the words of a cohort's overview, without tags and data."""
    text = re.sub(r"(?s)<script.*?</script>", "", page(cohort))
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", text).split())).replace("\u00a0", " ")


def toys(*marks: object, has_roster: bool = True) -> FakeCohort:
    """Return a cohort in the toy exercise, of these marks."""
    standings = [
        Standing(Learner(f"k{n}", rostered=has_roster), (each,))  # type: ignore[arg-type]
        for n, each in enumerate(marks)
    ]
    return FakeCohort((EXERCISE,), standings, has_roster)


def test_the_hardest_check_comes_first_and_the_ungraded_last() -> None:
    easy = CheckFigures(CHECKS[0], EXERCISE, 9, 1, 0, 0)
    hard = CheckFigures(CHECKS[1], EXERCISE, 1, 5, 4, 0)
    never = CheckFigures(CHECKS[2], EXERCISE, 0, 0, 0, 3)

    assert hardest_first([easy, never, hard]) == [hard, easy, never]
    assert [each.rate for each in (easy, hard, never)] == [0.9, 0.1, None]


def test_it_begins_with_how_many_passed_failed_are_missing_and_could_not_be_graded() -> None:
    text = said(toys(*map(mark, LETTERS), mark("u", late=True)))

    assert "1 ¿ unresolved a person has to look, 12 %" in text
    assert "1 learner is late." in text
    assert "3 of 8 learners passed toy/01, A toy." in text
    assert "3 ✓ passed all that counts, 38 %" in text
    assert "2 ✗ failed at least one check, 25 %" in text
    assert "1 – missing nothing submitted, 12 %" in text  # noqa: RUF001  # the sign of missing
    assert "1 ? not graded an error of the grader, 12 %" in text


def test_every_check_has_its_title_its_bar_and_its_numbers_the_hardest_first() -> None:
    cohort = toys(*map(mark, LETTERS))

    assert (
        "T01.1 it is there 60 % pass 3 passed , 2 failed , 1 not graded"
        " T01.2 it is <right> 83 % pass 5 passed , 1 skipped"
        " T01.3 it is nice (advisory) 83 % pass 5 passed , 1 failed"
    ) in said(cohort)
    assert re.findall(r'<rect class="(.*)" x="(.*)" width="(.*)" height', page(cohort)) == [
        *(("pass", "0.0", "50.0"), ("fail", "50.0", "33.33"), ("error", "83.33", "16.67")),
        *(("pass", "0.0", "83.33"), ("skip", "83.33", "16.67")),
        *(("pass", "0.0", "83.33"), ("fail", "83.33", "16.67")),
    ]
    assert "T01.1 it is there not graded 1 not graded" in said(toys(mark("epp")))


def test_several_exercises_have_a_bar_each() -> None:
    other = EXERCISE._replace(name="toy/02", title="Another")
    both = Standing(Learner("k0", rostered=True), (mark("fpp"), mark("m", exercise=other)))
    text = said(FakeCohort((EXERCISE, other), [both]))

    assert "toy/01 A toy 0 % pass 1 failed toy/02 Another not graded 1 missing" in text


def test_a_score_has_a_bar_as_long_as_it_is_frequent() -> None:
    assert bars_of({0: 1, 2: 4}, 2) == [Bar(0, 0, 1, 25), Bar(1, 1, 0, 0), Bar(2, 2, 4, 100)]
    assert bars_of({}, 1) == [Bar(0, 0, 0, 0), Bar(1, 1, 0, 0)]
    # set by hand: to the bar below, or to the outermost
    assert [bar.number for bar in bars_of({1.5: 1, -3: 1, 99: 1}, 2)] == [1, 1, 1]

    many = bars_of(dict.fromkeys(range(101), 1), 100)

    assert many[0] == Bar(0, 4, 5, 100)
    assert many[-1] == Bar(100, 100, 1, 20)
    assert (len(many), sum(bar.number for bar in many)) == (21, 101)


def test_it_groups_the_failures_with_the_learners_behind_them() -> None:
    text = said(toys(*map(mark, LETTERS)))

    assert "2 T01.1 wrong type $.steps[*].order it is there 2 learners" in text
    assert "k2 , k3" in text.replace("k2, k3", "k2 , k3")


def test_copies_are_a_reason_to_look_with_the_learners_behind_them() -> None:
    two, both = (("k0", ""), ("k1", "")), ("plan.json", "worker-result.json")
    alike = [Copies("toy/01", both, "", two), Copies("toy/01", both, "solution", two[:1])]
    cohort = toys(mark("ppp"), mark("ppp"))._replace(alike=alike)
    text = said(cohort)

    assert "A reason to look, not a verdict" in text
    assert (
        "1 learner agrees with the solution that the course ships in toy/01"
        " plan.json , worker-result.json 1 learner of copies, group 1 k0"
    ) in text
    assert (
        "2 learners agree with each other in toy/01"
        " plan.json , worker-result.json 2 learners of copies, group 2 k0 , k1"
    ) in text
    assert "<bdi>k0</bdi>" in page(cohort)
    assert '"copies":["the shipped solution","1 other"]' in page(cohort)
    assert "No learners submitted the same artifacts." in said(toys(mark("ppp")))


def test_it_tells_of_scores_set_by_hand_and_of_strangers() -> None:
    cohort = toys(mark("fpp", override=BY_HAND))
    stranger = [*cohort.made, Standing(Learner("zz"), (mark("ppp"),))]
    told = "1 learner has a score that was set by hand. 1 learner is not on the roster."

    assert told in said(cohort._replace(made=stranger))


def test_without_a_roster_nobody_is_missing_or_unknown() -> None:
    text = said(toys(mark("ppp"), has_roster=False))

    assert "nothing handed in" not in text
    assert "not on the roster." not in text


def test_several_attempts_of_one_learner_are_counted_as_attempts() -> None:
    standing = Standing(Learner("k0", rostered=True), (mark("ppp"),))

    assert "2 of 2 attempts passed" in said(FakeCohort((EXERCISE,), [standing, standing]))


def test_where_nothing_is_scored_or_failed_it_says_so() -> None:
    text = said(toys(mark("m")))

    assert "Nobody has a whole score." in text
    assert "No check failed." in text


def test_the_same_fault_in_another_element_is_the_same_failure() -> None:
    twice = (FINDING, FINDING._replace(path="$.steps[17].order"))
    checks = (CheckMark(CHECKS[0], "fail", 0, findings=twice),)
    found = Failures()
    found.add(entry(0, mark("fpp")))
    found.add(entry(1, mark("fpp", checks=checks)))

    assert found.commonest(9) == [Group(CHECKS[0], "wrong type", "$.steps[*].order", [0, 1])]


def test_the_largest_group_comes_first_and_what_costs_nothing_last() -> None:
    found = Failures()
    for number, letters in enumerate(["fpf", "pff", "pff", "ppf"]):
        found.add(entry(number, mark(letters)))

    assert [(group.check.code, group.rows) for group in found.commonest(9)] == [
        ("T01.2", [1, 2]),
        ("T01.1", [0]),
        ("T01.3", [0, 1, 2, 3]),
    ]
    assert len(found.commonest(1)) == 1


def test_submissions_that_provoke_ever_new_messages_do_not_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(groups, "_KINDS", 3)
    found = Failures()
    for number in range(5):
        one = (FINDING._replace(message=f"m{number}"),)
        checks = (CheckMark(CHECKS[0], "fail", 0, findings=one),)
        found.add(entry(number, mark("fpp", checks=checks)))

    assert (len(found.commonest(9)), found.left_out) == (3, 2)


def test_each_learner_is_in_the_groups_of_copies_that_name_the_attempt() -> None:
    alike = Copies("toy/01", ("plan.json",), "", (("k0", ""), ("k1", ""), ("k2", "")))
    shipped = Copies("toy/01", ("plan.json",), "solution", (("k1", ""), ("k3", "2")))
    found = CopyGroups([alike, shipped])
    numbers = [found.add(entry(number)) for number in range(4)]

    assert numbers == [[1], [0, 1], [1], []]
    assert found.groups == [CopyGroup(shipped, [1]), CopyGroup(alike, [0, 1, 2])]
    assert [group.label for group in found.groups] == ["the shipped solution", "2 others"]
