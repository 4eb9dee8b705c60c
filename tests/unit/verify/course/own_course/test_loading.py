"""A course is loaded from its folder in order; what is wrong with it is one line with its place."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from verify.course.own_course.loading import CourseFault, fault_at, load, make_course

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Build = Callable[..., Path]

FILE = "exercises/week-1/ex01_take_a_note.py"


def fault(root: Path) -> str:
    with pytest.raises(CourseFault) as refusal:
        load(str(root))
    return str(refusal.value).replace(f"{root}{os.sep}", "").replace(str(root), "")


def test_a_course_has_its_levels_and_exercises_in_order(
    course: Build, another_exercise: Callable[[str, int], str]
) -> None:
    others = {
        "exercises/week-10/ex04_take_a_note.py": another_exercise("week-10", 4),
        "exercises/week-2/ex03_take_a_note.py": another_exercise("week-2", 3),
        "exercises/week-2/ex02_take_a_note.py": another_exercise("week-2", 2),
        "exercises/extra/ex01_take_a_note.py": another_exercise("extra", 1),
    }

    path = list(sys.path)
    loaded = load(str(course(others)))

    assert sys.path == path
    assert [(level, [e.code for e in own]) for level, own in loaded.items()] == [
        ("extra", ["E01"]),
        ("week-1", ["W01"]),
        ("week-2", ["W02", "W03"]),
        ("week-10", ["W04"]),
    ]


def test_two_courses_with_the_same_names_are_both_loaded(course: Build, tmp_path: Path) -> None:
    first = course()
    second = tmp_path / "second"
    first.rename(second)
    (second / FILE).write_text((second / FILE).read_text().replace("Take a", "Keep a"))
    course()

    titles = [load(str(root))["week-1"][0].title for root in (first, second)]

    assert titles == ["Take a note", "Keep a note"]


def test_a_file_of_the_course_imports_another_and_nothing_is_left_in_the_folder(
    course: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    shared = "TITLE = 'Shared'\n"
    root = course(
        {"shared/words.py": shared, "exercises/week-1/__init__.py": "", "notes.txt": ""},
        ('title="Take a note"', "title=TITLE"),
    )
    (root / FILE).write_text("from ...shared.words import TITLE\n" + (root / FILE).read_text())

    loaded = load(str(root))

    assert loaded["week-1"][0].title == "Shared"
    assert not list(root.rglob("__pycache__"))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (('slug="', 'slugs="'), f"{FILE}:12: TypeError: Exercise.__init__() got an unexpected"),
        (
            ("Exercise(\n", "Exercise((\n"),
            f"{FILE}:12: this is not valid Python: '(' was never closed",
        ),
        (('"W01.2")', '"W01.9")'), f"{FILE}:12: ValueError: W01.3 requires W01.9, but there "),
        (("EXERCISE =", "OTHER ="), f"{FILE}: no exercise is declared (expected EXERCISE = "),
        (("number=1", "number=2"), f"{FILE}:12: ValueError: W01.1 does not begin with "),
        (("take-a-note", "note"), f'{FILE}: slug is "note" (expected "take-a-note", as in the '),
        (("week-1", "weak-1"), f'{FILE}: level is "weak-1" (expected "week-1", as in the '),
        (("NOTE = own", "raise KeyError\nNOTE = own"), f"{FILE}:5: KeyError"),
        (("NOTE = own", "raise SystemExit(0)\nNOTE = own"), f"{FILE}:5: SystemExit: 0"),
        (('hint="-"', "hint=5"), f"{FILE}: hint of W01.1 is 5 (expected a text)"),
        (("run=run", "run=run, points=0.5"), f"{FILE}:12: ValueError: W01.1 has the points 0.5 "),
        (('title="Take a note"', "title=None"), f"{FILE}: title of W01 is null (expected a text)"),
        (("note.json", "plan.json"), f"{FILE}:5: WrongArtifact: plan.json is an artifact of "),
    ],
)
def test_a_broken_exercise_is_reported_with_its_file_and_line(
    course: Build, changed: tuple[str, str], message: str
) -> None:
    output = fault(course(changed=changed))

    assert output.startswith(message)
    assert "\n" not in output


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {FILE: None},
            "exercises: no such file or directory (expected a folder with the levels of a course)",
        ),
        (
            {FILE: None, "exercises/week-1/notes.txt": ""},
            "exercises: there are no exercises (expected <level>/ex01_name.py)",
        ),
        (
            {"exercises/Week_2/ex01_a.py": ""},
            "exercises/Week_2: not a valid level name (expected lower-case letters, digits and -, ",
        ),
        (
            {"exercises/week-1/ex2_more.py": ""},
            (
                "exercises/week-1/ex2_more.py: not a valid name for an exercise file "
                "(expected ex01_name.py)"
            ),
        ),
        (
            {"exercises/week-1/ex00_more.py": ""},
            "exercises/week-1/ex00_more.py: not a valid name for an exercise file",
        ),
        (
            {"issues/ISSUE-7.md": None},
            "issues: there is no text for ISSUE-7, the issue of week-1/01 (expected ISSUE-7.md)",
        ),
        ({"issues/ISSUE-7.md": "-"}, "issues/ISSUE-7.md:1: expected a title line '# ISSUE-7: "),
        (
            {"artifacts/note.schema.json": '{"type": "strnig"}'},
            "artifacts/note.schema.json:1:10: $.type: this does not match its schema (expected",
        ),
    ],
)
def test_a_damaged_course_is_reported_in_one_line(
    course: Build, files: dict[str, str | None], message: str
) -> None:
    assert fault(course(files)).startswith(message)


def test_levels_with_one_initial_share_their_numbers(
    course: Build, another_exercise: Callable[[str, int], str]
) -> None:
    root = course({"exercises/warm-up/ex01_take_a_note.py": another_exercise("warm-up", 1)})

    assert fault(root) == (
        "exercises/week-1: the codes of week-1/01 and warm-up/01 both begin with W01: give one of "
        "them a different number, or a level with a different first letter"
    )


def test_a_fault_has_its_place_and_hostile_names_are_shown_as_data() -> None:
    assert str(fault_at("course/a.py", "is empty")) == "course/a.py: is empty"
    assert str(fault_at("course/a\n.py", "is empty", 7)) == "course/a\\n.py:7: is empty"


@pytest.mark.parametrize("name", [".", "new/course"])
def test_the_course_that_is_made_is_loaded(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    files = make_course(str(folder))

    assert files == sum(path.is_file() for path in folder.rglob("*"))
    assert [(e.name, e.title, e.points) for e in load(str(folder))["basics"]] == [
        ("basics/01", "Plan an issue", 5),
        ("basics/02", "Look back", 5),
    ]


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("full", "this folder is not empty (expected a new or empty folder)"),
        ("file/course", "cannot create a course here: not a directory"),
    ],
)
def test_a_place_that_is_taken_stays_as_it_is(tmp_path: Path, name: str, what: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")

    with pytest.raises(CourseFault) as refusal:
        make_course(str(tmp_path / name))

    assert str(refusal.value) == f"{tmp_path}{os.sep}{name}: {what}"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "full", "mine.txt"]
