"""What the course ships is recognised in a submission, and what a lesson prints is no reason."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT
from pipeline.protocol.json_text import parse
from verify.batch.job import Job, mark_of, prepared, with_rules
from verify.course import catalog
from verify.course.own_course.loading import make_course
from verify.gradebook.copies import compared_in, digest_of
from verify.submissions.submission import open_folder

if TYPE_CHECKING:
    from pathlib import Path

    from verify.gradebook.copies import Compared

FIXTURES = os.path.join(ROOT, "fixtures", "submissions")
FOLDERS = {
    exercise.name: os.path.join(
        FIXTURES, exercise.level, f"{exercise.number:02}-{exercise.slug}", "solved"
    )
    for exercise in catalog.exercises()
}
REPORT = """
from verify.api import Exercise, TextFile, readable_text

FILE = TextFile("report.md")
CHECKS = (readable_text("B03.1", FILE),)
EXERCISE = Exercise(
    level="basics", number=3, slug="report", title="Report", artifacts=(FILE,), checks=CHECKS
)
"""
PACK = "practitioner/01"  # the exercise is to install what the course hands out


def submitted(folder: str, name: str, course: str = "") -> tuple[Compared, bytes]:
    """Return what is compared of an exercise, and the key of a submission to it."""
    job = with_rules(Job((name,), (), course))
    (asked,) = prepared(job)
    compared = compared_in(asked.exercise, course)
    with open_folder(folder) as submission:
        return compared, compared.key(mark_of(asked, submission).fingerprint)


@pytest.mark.parametrize("name", sorted({*FOLDERS} - {PACK}))
def test_each_solution_is_recognised_also_where_it_is_written_otherwise(
    name: str, tmp_path: Path
) -> None:
    shutil.copytree(FOLDERS[name], tmp_path / "copy")
    for path in tmp_path.rglob("*.json"):
        path.write_text(json.dumps(json.loads(path.read_text()), indent=7, sort_keys=True))
    compared, key = submitted(str(tmp_path / "copy"), name)

    assert compared.shipped[key] == "solution"


def test_the_pack_that_everybody_installs_is_not_compared() -> None:
    compared, key = submitted(FOLDERS[PACK], PACK)

    assert (compared.paths, compared.shipped, key) == ((), {}, b"")


def test_a_recorded_run_is_recognised_with_a_commit_of_the_learners_own(tmp_path: Path) -> None:
    folder = tmp_path / ".pipeline" / "ISSUE-202"
    shutil.copytree(FOLDERS["practitioner/04"] + "/.pipeline/ISSUE-202", folder)
    for name in ("plan.json", "worker-result.json"):
        shutil.copy(f"{ROOT}/fixtures/solutions/ISSUE-202/{name}", folder / name)
    compared, key = submitted(str(tmp_path), "practitioner/04")

    assert compared.shipped[key] == "recorded run"


def test_work_that_follows_what_a_lesson_prints_is_no_copy(tmp_path: Path) -> None:
    shutil.copytree(FOLDERS["foundation/04"], tmp_path / "ada")
    result = tmp_path / "ada/.pipeline/ISSUE-102/git-result.json"
    result.write_text(json.dumps({**json.loads(result.read_text()), "commit_sha": "1234567"}))
    compared, key = submitted(str(tmp_path / "ada"), "foundation/04")

    assert key not in compared.shipped
    assert not compared.says_something(key[: compared.width])


def test_the_example_of_a_lesson_says_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "sandbox/.pipeline/ISSUE-101"
    folder.mkdir(parents=True)
    with open(f"{ROOT}/docs/foundation/tutorials/01-plan.md", encoding="utf-8") as page:
        example = (
            page.read().partition("example foundation/01 -->\n```json\n")[2].partition("```")[0]
        )
    (folder / "plan.json").write_text(example)
    compared, key = submitted(str(tmp_path), "foundation/01")

    assert len(key) == 16
    assert not compared.says_something(key)


def test_an_own_course_is_compared_with_its_own_fixtures(tmp_path: Path) -> None:
    course = str(tmp_path / "course")
    make_course(course)
    for name, folder in (("basics/01", "01-plan"), ("basics/02", "02-retro")):
        compared, key = submitted(f"{course}/fixtures/basics/{folder}/solved", name, course)

        assert compared.shipped == {key: "solution"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Report\r\n\r\nIt  works.  \r\n", "solution"),
        ("# Report\n\nIt works well.\n", ""),
        ("# Report\n\nTo do\n", ""),
    ],
)
def test_a_text_of_an_own_course_is_compared_in_any_spacing(
    text: str, said: str, tmp_path: Path
) -> None:
    course, work = tmp_path / "course", tmp_path / "ada"
    fixtures = course / "fixtures/basics/03-report"
    make_course(str(course))
    (course / "exercises/basics/ex03_report.py").write_text(REPORT, encoding="utf-8")
    texts = {fixtures / "solved": "It works.", fixtures / "unsolved": "To do"}
    for folder in (*texts, work):
        file = folder / "report.md"
        folder.mkdir(parents=True)
        file.write_text(f"# Report\n\n{texts.get(folder, '')}\n", encoding="utf-8")
    (work / "report.md").write_bytes(text.encode())
    compared, key = submitted(str(work), "basics/03", str(course))

    assert (compared.paths, compared.shipped.get(key, "")) == (("report.md",), said)
    assert compared.says_something(key) == ("To do" not in text)


PLAN = '{"title": "Caf\u00e9", "steps": [{"order": 1, "file": "a"}, {"order": 2, "file": "b"}]}'


@pytest.mark.parametrize(
    "written",
    [
        json.dumps(json.loads(PLAN), indent=8),
        '{"steps": [{"file": "a", "order": 1}, {"file": "b", "order": 2}], "title": "Caf\u00e9"}',
        PLAN.replace("\u00e9", "\\u00e9"),
    ],
    ids=["indented", "another order of keys", "escaped"],
)
def test_the_same_value_written_otherwise_is_the_same(
    written: str,
) -> None:
    assert digest_of(parse(written.encode())) == digest_of(json.loads(PLAN))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1], [True]),
        ([1], ["1"]),
        ([0], [None]),
        (["a", "b"], ["b", "a"]),
        ({"a": ""}, {"a": None}),
        (["v1.0"], ["v1"]),
        (["caf\u00e9"], ["cafe"]),
    ],
)
def test_another_value_is_another(one: Any, other: Any) -> None:
    assert digest_of(one) != digest_of(other)


@pytest.mark.parametrize("value", ["\ud800", 10**300, -0.0, {"\ud800": [1e300]}, {}, None])
def test_every_value_of_json_has_a_digest(value: Any) -> None:
    assert len(digest_of(value)) == 16
