"""A fixture is graded as the file beside it expects, and is what its name says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from verify.checks.setup import has_program
from verify.model import PASSED, Finding, failed
from verify.own_course.scaffold import make_course
from verify.selftest.course import FIXTURES, Defect, own_course
from verify.selftest.fixtures import fixture_defects, updated
from verify.selftest.mutation import targets_of
from verify.selftest.operators import Target
from verify.selftest.overlay import files_below
from verify.selftest.proof import prove

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.artifacts import Context
    from verify.model import Check, Verdict
    from verify.selftest.course import Course
    from verify.selftest.proof import Proof

    Toy = Callable[..., Course]
    AnotherCheck = Callable[[Callable[..., Verdict]], tuple[Check, ...]]
    Prove = Callable[..., Proof]

FOLDER = "fixtures/submissions/foundation/01-toy"
FILE = ".pipeline/ISSUE-7/worker-result.json"
KEYS = "an expectation has the keys lost, outcomes, perhaps host and places"
LISTS = "an expectation lists checks with the outcome fail, skip or unasked"


def defects_of(course: Course) -> list[Defect]:
    return fixture_defects(course, course.exercises[0])


def differences(course: Course) -> list[str]:
    return list(updated(course, course.exercises[0]))


def wants_work(context: Context) -> Verdict:
    names = context.submission.is_file(FILE)
    return PASSED if names else failed(Finding("nothing is there"))


def test_a_submission_that_is_graded_otherwise_is_reported_key_by_key(
    toy: Toy, tmp_path: Path
) -> None:
    course, path = toy(), tmp_path / FOLDER / "broken-status.expected.json"
    wrong = {"lost": 0, "outcomes": {"F01.1": "skip", "F09.9": "fail"}, "places": {"F09.9": ["x"]}}
    path.write_text(json.dumps(wrong))
    whats = [
        "lost: expected 0, found 1",
        (
            "outcomes: F01.1 expected skip, found not listed; "
            "F09.9 expected fail, found not listed; F01.2 expected not listed, found fail"
        ),
        (
            "places: F09.9 expected ['x'], found not listed; "
            f"F01.2 expected not listed, found ['{FILE}:2:13 $.status']"
        ),
    ]
    to_do = "Fix the check, or run this again with --update to write the expectation."

    assert defects_of(course) == [
        Defect(FIXTURES, f"{FOLDER}/broken-status", what, to_do) for what in whats
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "no expectation is beside the submission"),
        ("[" * 100_000, "the expectation is not JSON"),
        ("[]", KEYS),
        ('{"lost": 0}', KEYS),
        ('{"lost": 0, "outcomes": {"F01.1": "pass"}}', LISTS),
        ('{"lost": 0, "outcomes": {"F01.1": "error"}}', LISTS),
    ],
)
def test_a_fixture_that_expects_nothing_is_reported(
    toy: Toy, tmp_path: Path, text: str | None, sentence: str
) -> None:
    course, beside = toy(), tmp_path / FOLDER / "solved.expected.json"
    beside.unlink()
    if text is not None:
        beside.write_text(text)

    assert [(d.where, d.what) for d in defects_of(course)] == [
        (f"{FOLDER}/solved.expected.json", sentence)
    ]


def test_a_submission_that_is_not_what_its_name_says_is_reported(
    toy: Toy, another_check: AnotherCheck, tmp_path: Path
) -> None:
    course, folder = toy(another_check(lambda _: PASSED)), tmp_path / FOLDER
    solved, broken = (folder / name / FILE for name in ("solved", "broken-marker"))
    sound, faulty = solved.read_bytes(), broken.read_bytes()
    broken.write_bytes(sound)
    solved.write_bytes(faulty)

    assert [(d.where, d.what) for d in defects_of(course) if "expected" not in d.what] == [
        (f"{FOLDER}/broken-marker", "a broken submission passes, even strictly"),
        (f"{FOLDER}/solved", "a solution does not pass F01.3"),
        (f"{FOLDER}/unsolved", "an exercise that nobody has begun has 1 points"),
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
    assert '\n+    "F01.4": "fail"\n' in difference
    assert (written["lost"], written["host"]) == (2, {"git": [1, 9]})
    assert [d.what for d in defects_of(course)] == [
        "an exercise that nobody has begun has 1 points"
    ]


def test_an_update_writes_what_is_found_and_then_nothing_more(toy: Toy, tmp_path: Path) -> None:
    course, folder = toy(), tmp_path / FOLDER
    paths = sorted(folder.glob("*.expected.json"))
    before = [path.read_text() for path in paths]
    paths[0].unlink()
    paths[1].write_text("{")
    paths[2].write_text('{"lost": 7, "outcomes": {}}')

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

    assert [d.where for d in defects_of(course)] == [f"{FOLDER}/unsolved"] * 3
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
    assert [d.what for d in defects_of(course) if d.where.endswith("broken-status")] == [
        "lost: expected 1, found 2",
        "outcomes: F01.4 expected not listed, found error",
        "F01.4 crashed",
    ]


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
        Target(".pipeline/ISSUE-1/retro.json", "document")
    ]
    assert targets_of(course, exercise, {}) is None


def test_a_check_that_refuses_nothing_is_a_defect_and_survivors_are_named(proof: Prove) -> None:
    blind = proof(RETRO, "return artifact.failed_at(problems)", "return artifact.failed_at([])")
    (_, (excuse, survivors)) = blind.excused

    assert defects(blind) == [
        *[("fixtures", "fixtures/basics/02-retro/broken-owner")] * 4,
        ("fixtures", "B02.4"),
        ("mutants", "B02.4"),
    ]
    assert excuse.reason.startswith("No check of basics/02 asks about them: ISSUE-1/retro.json $")
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
