"""A job asks for exercises by their own names, under the rules of here and now."""

from __future__ import annotations

import pytest

from verify import catalog
from verify.aiming import Misaimed
from verify.batch.jobs import canonical, infos_of, with_rules
from verify.batch.work import Job
from verify.catalog import UnknownExercise
from verify.gradebook.values import CheckInfo


def test_an_exercise_has_one_name_however_it_is_asked_for() -> None:
    assert canonical(["expert/4", "foundation/01", "expert/04"], "") == (
        "expert/04",
        "foundation/01",
    )
    with pytest.raises(UnknownExercise):
        canonical(["expert/99"], "")


def test_rules_are_the_same_for_the_same_job_and_others_for_any_other() -> None:
    job = Job(("foundation/01", "expert/04"), ())
    again = with_rules(job)
    others = {
        with_rules(changed).rules[0]
        for changed in (
            job._replace(strict=True),
            job._replace(issue="ISSUE-9"),
            job._replace(target="app"),
        )
    }

    assert again == with_rules(again)
    assert [len(digest) for digest in again.rules] == [64, 64]
    assert len({*again.rules, *others}) == 5


def test_the_gradebook_is_told_of_each_check_that_a_cohort_is_asked() -> None:
    (info,) = infos_of(with_rules(Job(("foundation/01",), ())))
    exercise = catalog.find("foundation", "01").for_cohort()
    first = exercise.checks[0]

    assert info[:3] == ("foundation/01", exercise.title, exercise.points)
    assert [check.code for check in info.checks] == [check.code for check in exercise.checks]
    assert info.checks[0] == CheckInfo(
        *(first.code, first.title, first.points, first.advisory),
        f"docs/foundation/tutorials/01-{exercise.slug}.md#{first.anchor}",
    )


def test_what_does_not_apply_to_an_exercise_is_refused() -> None:
    with pytest.raises(Misaimed):
        infos_of(with_rules(Job(("expert/01",), (), issue="ISSUE-7")))
