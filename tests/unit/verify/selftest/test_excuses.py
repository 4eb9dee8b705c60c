"""An excuse covers the mutants whose whole name matches its pattern."""

from __future__ import annotations

import pytest

from verify.selftest.excuses import EXCUSES, Excuse


@pytest.mark.parametrize(
    ("pattern", "name", "covered"),
    [
        ("foundation/01 *: missing", "foundation/01 solved: plan.json pr_url: missing", True),
        ("foundation/01 *: missing", "foundation/01 solved: plan.json pr_url: missing too", False),
        ("foundation/01 *", "practitioner/01 solved: x", False),
        ("a.b", "axb", False),
        ("a [1]", "a [1]", True),
        ("says *", "says 'x\\n'", True),
    ],
)
def test_a_star_is_any_text_and_all_else_is_itself(
    pattern: str,
    name: str,
    covered: bool,  # noqa: FBT001  # an expectation
) -> None:
    assert Excuse(pattern, "-").covers(name) is covered


@pytest.mark.parametrize("excuse", EXCUSES, ids=lambda excuse: excuse.pattern)
def test_an_excuse_of_the_course_is_about_one_exercise_and_says_why(excuse: Excuse) -> None:
    exercise, _, rest = excuse.pattern.partition(" ")

    assert exercise.count("/") == 1
    assert "*" not in exercise
    assert rest.strip("* ") != ""
    assert excuse.reason.endswith((".", "either."))
