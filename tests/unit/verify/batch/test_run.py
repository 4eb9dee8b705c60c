"""A job asks for exercises by their own names, under the rules of here and now."""

from __future__ import annotations

import pytest

from verify.batch.kernel import Job
from verify.batch.run import canonical, infos_of, with_rules
from verify.catalog import UnknownExercise


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


def test_what_does_not_apply_to_an_exercise_is_refused() -> None:
    with pytest.raises(UnknownExercise):
        infos_of(with_rules(Job(("expert/01",), (), issue="ISSUE-7")))
