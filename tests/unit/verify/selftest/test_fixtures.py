"""A fixture is graded as the file beside it expects, and is what its name says."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from verify.checks.prerequisites import has_program
from verify.selftest.defects import FIXTURES, Defect
from verify.selftest.fixtures import NoExpectation, expectation, fixture_defects
from verify.verdicts import PASSED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.model import Check
    from verify.selftest.course import Course

    Toy = Callable[..., Course]

FOLDER = "fixtures/submissions/foundation/01-toy"
FILE = ".pipeline/ISSUE-7/worker-result.json"


def defects_of(course: Course) -> list[Defect]:
    return fixture_defects(course, course.exercises[0])


def test_sound_fixtures_have_no_defect(toy: Toy) -> None:
    assert defects_of(toy()) == []


def test_a_submission_that_is_graded_otherwise_is_reported_key_by_key(
    toy: Toy, tmp_path: Path
) -> None:
    course, path = toy(), tmp_path / FOLDER / "broken-status.expected.json"
    expected = json.loads(path.read_text())
    expected |= {"passed": True, "score": 3, "places": {"F01.2": ["elsewhere"]}}
    path.write_text(json.dumps(expected | {"outcomes": {"F01.1": "fail", "F01.2": "fail"}}))
    whats = [
        "passed: expected True, found False",
        "score: expected 3, found 2",
        "outcomes: F01.1 expected fail, found pass; F01.3 expected None, found pass",
        f"places: F01.2 expected ['elsewhere'], found ['{FILE}:2:13 $.status']",
    ]

    assert defects_of(course) == [
        Defect(
            FIXTURES,
            f"{FOLDER}/broken-status",
            what,
            "Mend the check, or the expectation beside it.",
        )
        for what in whats
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "no expectation stands beside the submission"),
        ("[" * 100_000, "the expectation is not JSON"),
        ("{", "the expectation is not JSON"),
        ("[]", "an expectation has the keys outcomes, passed, score, perhaps host and places"),
        ("{}", "an expectation has the keys outcomes, passed, score, perhaps host and places"),
        (
            '{"passed": true}',
            "an expectation has the keys outcomes, passed, score, perhaps host and places",
        ),
    ],
)
def test_a_fixture_that_expects_nothing_is_reported(
    toy: Toy, tmp_path: Path, text: str | None, sentence: str
) -> None:
    course, path = toy(), tmp_path / FOLDER / "solved"
    beside = path.with_name("solved.expected.json")
    beside.unlink()
    if text is not None:
        beside.write_text(text)

    with pytest.raises(NoExpectation, match=sentence):
        expectation(str(path))
    assert [(d.where, d.what) for d in defects_of(course)] == [
        (f"{FOLDER}/solved.expected.json", sentence)
    ]


def test_a_solution_that_fails_is_reported(toy: Toy, tmp_path: Path) -> None:
    course, file = toy(), tmp_path / FOLDER / "solved" / FILE
    file.write_text(file.read_text().replace("x-worker", "x-git"))

    assert defects_of(course)[-1] == Defect(
        FIXTURES,
        f"{FOLDER}/solved",
        "a solution does not pass F01.3",
        "Mend the solution, or the check that refuses it.",
    )


def test_an_exercise_that_gives_points_as_handed_out_is_reported(
    toy: Toy, another_check: Callable[..., tuple[Check, ...]]
) -> None:
    defects = defects_of(toy(another_check(lambda _: PASSED)))

    assert [d.what for d in defects if d.where.endswith("/unsolved")][-1] == (
        "an exercise that nobody has begun has 1 points"
    )


def test_a_broken_submission_that_passes_is_reported(toy: Toy, tmp_path: Path) -> None:
    course, folder = toy(), tmp_path / FOLDER
    (folder / "broken-marker" / FILE).write_bytes((folder / "solved" / FILE).read_bytes())

    assert "a broken submission passes, even strictly" in [d.what for d in defects_of(course)]


def test_a_check_that_no_submission_fails_is_reported(toy: Toy, tmp_path: Path) -> None:
    course, folder = toy(), tmp_path / FOLDER
    (folder / "broken-marker" / FILE).unlink()
    where = {d.where: d.what for d in defects_of(course)}

    assert where["F01.3"] == f"no submission in {FOLDER} fails this check"


def test_a_submission_is_graded_on_the_machine_that_it_names(
    toy: Toy, tmp_path: Path, another_check: Callable[..., tuple[Check, ...]]
) -> None:
    course, folder = toy(another_check(has_program("git", (2, 0)))), tmp_path / FOLDER
    for path in folder.glob("*.expected.json"):
        expected = json.loads(path.read_text())
        on_a_new_machine = path.name != "broken-status.expected.json"
        expected["outcomes"]["F01.4"] = "pass" if on_a_new_machine else "fail"
        expected["score"] += on_a_new_machine
        expected["host"] = {"git": [2, 40] if on_a_new_machine else [1, 9]}
        if not on_a_new_machine:
            expected["places"]["F01.4"] = [""]
        path.write_text(json.dumps(expected))
    (last,) = defects_of(course)

    assert last.what == "an exercise that nobody has begun has 1 points"


def test_an_exercise_without_fixtures_fails_nothing(toy: Toy) -> None:
    course = toy()
    other = replace(course.exercises[0], slug="other")

    assert [d.where for d in fixture_defects(course, other)] == ["F01.1", "F01.2", "F01.3"]
