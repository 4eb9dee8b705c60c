"""A fixture is graded as the file beside it expects, and is what its name says."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from verify.course.checks.setup import has_program
from verify.course.own_course.loading import make_course
from verify.grading.model import PASSED, Finding, failed
from verify.selftest.course import Defect, own_course
from verify.selftest.fixtures import (
    fixture_defects,
    hint_defects,
    page_defects,
    tree_defects,
    updated,
)
from verify.selftest.mutants import files_below, targets_of
from verify.selftest.operators import Target
from verify.selftest.proof import prove

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.grading.artifacts import Context
    from verify.grading.model import Check, Verdict
    from verify.selftest.course import ProvenCourse
    from verify.selftest.proof import Proof

    Toy = Callable[..., ProvenCourse]
    AnotherCheck = Callable[[Callable[..., Verdict]], tuple[Check, ...]]
    Prove = Callable[..., Proof]


FOLDER = "fixtures/submissions/foundation/01-toy"
FILE = ".pipeline/ISSUE-7/worker-result.json"


def defects_of(course: ProvenCourse) -> list[Defect]:
    return list(fixture_defects(course, course.exercises[0]))


def differences(course: ProvenCourse) -> list[str]:
    return list(updated(course, course.exercises[0]))


def wants_work(context: Context) -> Verdict:
    names = context.submission.is_file(FILE)
    return PASSED if names else failed(Finding("nothing is there"))


def test_a_submission_that_is_graded_otherwise_is_reported_with_what_differs(
    toy: Toy, tmp_path: Path
) -> None:
    course, path = toy(), tmp_path / FOLDER / "broken-status.expected.json"
    path.write_text(path.read_text().replace(":2:13", ":2:14"))
    place = f'"{FILE}:2:{{}} $.status"'
    what = f"not graded as expected: - {place.format(14)}; + {place.format(13)}"
    to_do = "Fix the check, or run the self-test with --update to write the expectation."

    assert defects_of(course) == [Defect("fixtures", f"{FOLDER}/broken-status", what, to_do)]


@pytest.mark.parametrize("text", [None, "[" * 100_000, "[]", "7", "\xff"])
def test_a_fixture_that_expects_nothing_is_reported(
    toy: Toy, tmp_path: Path, text: str | None
) -> None:
    course, beside = toy(), tmp_path / FOLDER / "solved.expected.json"
    beside.unlink()
    if text is not None:
        beside.write_text(text, encoding="latin-1")
    (defect,) = defects_of(course)

    assert defect.where == f"{FOLDER}/solved"
    assert defect.what.endswith('; + "fails": {}; +}')


def test_a_submission_that_is_not_what_its_name_says_is_reported(
    toy: Toy, another_check: AnotherCheck, tmp_path: Path
) -> None:
    course, folder = toy(another_check(lambda _: PASSED)), tmp_path / FOLDER
    solved, broken = (folder / name / FILE for name in ("solved", "broken-marker"))
    sound, faulty = solved.read_bytes(), broken.read_bytes()
    broken.write_bytes(sound)
    solved.write_bytes(faulty)

    assert [(d.where, d.what) for d in defects_of(course) if "expected" not in d.what] == [
        (f"{FOLDER}/broken-marker", "a broken submission passes, even with --strict"),
        (f"{FOLDER}/solved", "a solution does not pass F01.3"),
        (f"{FOLDER}/unsolved", "an unsolved submission has a score of 1"),
        ("F01.4", f"no submission in {FOLDER} fails this check"),
    ]


def test_a_submission_is_graded_on_the_machine_that_it_names(
    toy: Toy, tmp_path: Path, another_check: AnotherCheck
) -> None:
    course, folder = toy(another_check(has_program("git", (2, 0)))), tmp_path / FOLDER
    path = folder / "broken-status.expected.json"
    expected = json.loads(path.read_text())
    path.write_text(json.dumps(expected | {"host": {"git": [1, 9]}}))
    (difference,) = differences(course)
    written = json.loads(path.read_text())

    assert difference.startswith(f"--- {FOLDER}/broken-status.expected.json\n+++ {FOLDER}/")
    assert '\n+    "F01.4": [\n' in difference
    assert written["host"] == {"git": [1, 9]}
    assert [d.what for d in defects_of(course)] == ["an unsolved submission has a score of 1"]


def test_an_update_writes_what_is_found_and_then_nothing_more(toy: Toy, tmp_path: Path) -> None:
    course, folder = toy(), tmp_path / FOLDER
    paths = sorted(folder.glob("*.expected.json"))
    before = [path.read_text() for path in paths]
    paths[0].unlink()
    paths[1].write_text("{")
    paths[2].write_text('{"fails": {"F01.9": []}}')

    assert len(differences(course)) == 3
    assert [path.read_text() for path in paths] == before
    assert (differences(course), defects_of(course)) == ([], [])


def test_a_new_check_that_passes_changes_no_expectation(
    toy: Toy, another_check: AnotherCheck, tmp_path: Path
) -> None:
    toy()
    folder = tmp_path / FOLDER
    before = {path: path.read_bytes() for path in folder.glob("*.expected.json")}
    course = toy(another_check(wants_work), rewritten=False)

    assert [d.where for d in defects_of(course)] == [f"{FOLDER}/unsolved"]
    assert [text.split("\n")[0] for text in differences(course)] == [
        f"--- {FOLDER}/unsolved.expected.json"
    ]
    assert [p for p in before if p.read_bytes() != before[p]] == [
        folder / "unsolved.expected.json"  # there, and only there, it does not pass
    ]
    assert defects_of(course) == []


def test_a_check_that_crashes_is_a_defect_and_never_expected(
    toy: Toy, another_check: AnotherCheck
) -> None:
    course = toy(another_check(lambda _: 1 // 0))  # type: ignore[arg-type, return-value]

    assert differences(course) == []
    assert {d.what for d in defects_of(course) if "crashed" in d.what} == {"F01.4 crashed"}
    assert {d.what for d in defects_of(course) if "/" in d.where} == {
        "F01.4 crashed",
        "a solution does not pass F01.4",
    }


RETRO = "exercises/basics/ex02_retro.py"


@pytest.fixture
def proof(tmp_path: Path) -> Prove:
    """Return a function that proves the course with a text of one of its files replaced."""

    def prove_it(file: str, old: str, new: str) -> Proof:
        make_course(str(tmp_path))
        text = (tmp_path / file).read_text(encoding="utf-8")
        assert old in text
        (tmp_path / file).write_text(text.replace(old, new), encoding="utf-8")
        return prove(own_course(str(tmp_path)))

    return prove_it


def defects(proof: Proof) -> list[tuple[str, str]]:
    return [(defect.area, defect.where) for defect in proof.defects]


def test_what_grading_looks_at_is_what_mutants_are_made_of(tmp_path: Path) -> None:
    make_course(str(tmp_path))
    course = own_course(str(tmp_path), [("basics", "2")])
    (exercise,) = course.selected
    files = files_below(str(tmp_path / "fixtures/basics/02-retro/solved"))

    assert targets_of(course, exercise, files) == [
        Target(".pipeline/ISSUE-1/retro.json", "document", files)
    ]
    assert targets_of(course, exercise, {}) is None


def test_a_check_that_refuses_nothing_is_a_defect_and_survivors_are_named(proof: Prove) -> None:
    blind = proof(RETRO, "return artifact.failed_at(problems)", "return artifact.failed_at([])")
    (_, (excuse, survivors)) = blind.excused

    assert defects(blind) == [
        *[("fixtures", "fixtures/basics/02-retro/broken-owner")] * 2,
        ("fixtures", "B02.4"),
        ("mutants", "B02.4"),
    ]
    assert excuse.reason.startswith("No check of basics/02 catches them: ISSUE-1/retro.json $")
    assert survivors == blind.rows[1].excused > 8


def test_a_page_without_an_anchor_and_a_stray_schema_are_defects(
    tmp_path: Path, proof: Prove
) -> None:
    page = "docs/basics/tutorials/01-plan.md"
    proof(page, '<a id="b01-4"></a>', "")
    (tmp_path / "artifacts/other.schema.json").write_text("{}")

    assert defects(prove(own_course(str(tmp_path)))) == [
        ("files", "artifacts/other.schema.json"),
        ("tutorials", page),
    ]


LEVEL = "fixtures/submissions/foundation"
PAGE = "docs/foundation/tutorials/01-toy.md"
ISSUE = "sandbox/issues/ISSUE-7.md"
ANCHOR = '<a id="f01-2"></a>'


def test_an_anchor_that_is_wrong_is_reported(toy: Toy, tmp_path: Path) -> None:
    course, page = toy(), tmp_path / PAGE
    wrong = ANCHOR.replace("2", "3") + '<a id="f02-1">'
    page.write_text(page.read_text().replace(ANCHOR, wrong))
    write = 'Write <a id="{}"></a> once, where the page explains the check.'
    other = "foundation/01 has no check for the anchor 'f02-1'"

    assert list(page_defects(course, course.exercises[0])) == [
        Defect("tutorials", PAGE, "F01.2 has no anchors on its page", write.format("f01-2")),
        Defect("tutorials", PAGE, "F01.3 has 2 anchors on its page", write.format("f01-3")),
        Defect(
            "tutorials", PAGE, other, "Remove the anchor, or change it to the anchor of a check."
        ),
    ]


@pytest.mark.parametrize(
    ("put", "what"),
    [
        (lambda _: None, "does not exist"),
        (os.mkfifo, "is a named pipe, not a regular file"),
        (lambda page: page.write_bytes(b"\xff"), "is not UTF-8"),
    ],
    ids=["missing", "pipe", "other encoding"],
)
def test_a_tutorial_that_cannot_be_read_is_reported(
    toy: Toy, tmp_path: Path, put: Callable[[Path], object], what: str
) -> None:
    course = toy()
    (tmp_path / PAGE).unlink()
    put(tmp_path / PAGE)
    what = f"the page of foundation/01 {what}"

    assert list(page_defects(course, course.exercises[0])) == [
        Defect("tutorials", PAGE, what, "Write the page in UTF-8.")
    ]


def test_a_hint_that_says_nothing_is_reported(toy: Toy) -> None:
    course = toy()
    (exercise,) = course.exercises
    first = replace(exercise.checks[0], look_at="", hint=" ")
    changed = replace(exercise, checks=(first, *exercise.checks[1:]))
    defects = [
        ("the check has no look_at", "Add `look_at` to its declaration."),
        ("the check has no hint", "Add `hint` to its declaration."),
    ]

    assert list(hint_defects(exercise)) == []
    assert list(hint_defects(changed)) == [Defect("hints", "F01.1", *d) for d in defects]


def tree(course: ProvenCourse) -> list[tuple[str, str]]:
    return sorted((defect.where, defect.what.partition(":")[0]) for defect in tree_defects(course))


def test_a_stray_file_and_a_submission_of_an_unusual_name_are_reported(
    toy: Toy, tmp_path: Path
) -> None:
    course, folder = toy(), tmp_path / FOLDER
    strays = {
        "fixtures/submissions/beginner/01-toy/a": "fixtures/submissions/beginner",
        "fixtures/submissions/notes.md": "",
        f"{LEVEL}/09-old/README.md": f"{LEVEL}/09-old",
        f"{FOLDER}/gone.expected.json": "",
        f"{FOLDER}/notes.txt": "",
        "docs/foundation/tutorials/01-old.md": "",
        "sandbox/issues/ISSUE-8.md": "",
    }
    for path in strays:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    for name in ("Broken-Case", "attempt", "solved2"):
        shutil.copytree(folder / "solved", folder / name)
        (folder / f"{name}.expected.json").write_text("{}")
        strays[f"{FOLDER}/{name}"] = ""

    assert tree(course) == sorted((place or path, "stray") for path, place in strays.items())


def test_what_is_missing_is_reported(toy: Toy, tmp_path: Path) -> None:
    course = toy()
    for name in ("solved", "unsolved"):
        shutil.rmtree(tmp_path / FOLDER / name)
        (tmp_path / FOLDER / f"{name}.expected.json").unlink()
    (tmp_path / ISSUE).unlink()
    some = tree(course)
    shutil.rmtree(tmp_path / FOLDER)
    (tmp_path / "fixtures/submissions/foundation/README.md").write_text("x")

    assert some == [
        *((f"{FOLDER}/{name}", "missing") for name in ("solved", "unsolved")),
        (ISSUE, "missing"),
    ]
    assert (FOLDER, "missing") in tree(course)


def test_what_a_selected_exercise_lacks_is_reported_and_nothing_of_the_others(
    toy: Toy, tmp_path: Path
) -> None:
    course = replace(toy(), only=frozenset({"foundation/01"}))
    shutil.rmtree(tmp_path / FOLDER / "solved")
    (tmp_path / FOLDER / "solved.expected.json").unlink()
    (tmp_path / ISSUE).unlink()

    assert tree(course) == [(f"{FOLDER}/solved", "missing")]


def test_what_may_be_there_is_no_defect(toy: Toy, tmp_path: Path) -> None:
    course = replace(toy(), practice_issues=frozenset({"ISSUE-8", "ISSUE-9"}))
    for path in (
        "docs/foundation/tutorials/README.md",
        "docs/foundation/tutorials/outputs/mine.json",
        "docs/foundation/tutorials/__pycache__/a.pyc",
        "docs/foundation/tutorials/.DS_Store",
        "sandbox/issues/ISSUE-8.md",
    ):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("x")

    assert tree(course) == []
