"""The sums of a cohort count what counts, and no error as a zero."""

from __future__ import annotations

from verify.gradebook.counting import ExerciseCount, Tally
from verify.gradebook.rules import RuleSet
from verify.gradebook.values import CheckInfo, ExerciseInfo, Override

CHECK = CheckInfo("E04.1", "One", 5, advisory=False, page="")
RULES = RuleSet(3, "d", ExerciseInfo("expert/04", "Evidence", 5, (CHECK,)), (), "p")
BY_HAND = Override(4.5, "ada", "2026-03-01", "oral")


def tally_of(**overrides: Override) -> Tally:
    by_hand = {(learner, "expert/04"): made for learner, made in overrides.items()}
    return Tally(RULES, 7, {**by_hand, ("abe", "expert/99"): BY_HAND})


def test_what_was_not_graded_under_the_runs_rules_is_an_error_unless_a_later_run_did() -> None:
    tally = tally_of()
    tally.add("abe", None, None, 0, 0)
    tally.add("bob", "pass", 5, 2, 6)
    tally.add("cyd", "pass", 5, 4, 8)

    assert tally.count() == ExerciseCount("expert/04", 1, 0, 0, 2, 0, 5.0)


def test_a_score_set_by_hand_counts_whatever_the_outcome() -> None:
    tally = tally_of(abe=BY_HAND, bob=BY_HAND._replace(score=0), cyd=BY_HAND, dan=BY_HAND)
    tally.add("abe", "fail", 0, 3, 7)
    tally.add("bob", "error", None, 3, 7)
    tally.add_missing("cyd")
    tally.add("dan", "unresolved", None, 3, 7)

    assert tally.count() == ExerciseCount("expert/04", 0, 1, 1, 1, 1, 3.375)
