"""A course is made where there is room for one, and its maker is told what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Verify = Callable[..., tuple[int, str, str]]


def test_a_new_course_is_made_and_listed(verify: Verify, cohort: Path) -> None:
    code, told, _ = verify("new-course", "my course")

    assert code == 0
    assert told.splitlines()[1:] == [
        "Prove it:   verify self-test --course 'my course'",
        "List it:    verify list basics --course 'my course'",
    ]
    assert told.startswith("'my course' is a course now: ")
    assert (cohort / "my course" / "README.md").is_file()


def test_a_folder_with_something_in_it_stays_as_it_is(verify: Verify, cohort: Path) -> None:
    before = sorted(path.name for path in (cohort / "cohort").iterdir())

    assert verify("new-course", "cohort") == (
        2,
        "",
        "verify: cohort: is not empty (expected a new folder, or an empty one)\n",
    )
    assert sorted(path.name for path in (cohort / "cohort").iterdir()) == before
