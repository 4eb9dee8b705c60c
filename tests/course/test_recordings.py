"""Every issue of the sandbox has a recorded run that is whole, true to its patch, and in order."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT
from pipeline.protocol.layout import PLAN, WORKER_RESULT
from pipeline.protocol.patterns import COMMIT_MESSAGE
from pipeline.protocol.validate import kind_of, validate
from pipeline.schema import KINDS
from tests.stubs.repositories import git
from tools import troubled
from tools.shipped import ARCHIVE
from verify.course import catalog
from verify.course.catalog import ISSUES

if TYPE_CHECKING:
    from collections.abc import Callable

RECORDINGS = Path(ROOT, "fixtures", "solutions")
PATCH, WORDS = "changes.patch", "recording.json"

RECORDED = sorted(path.stem for path in Path(ISSUES).glob("*.md"))
TRIVIAL = ("ISSUE-301", "ISSUE-306")  # a spelling mistake and a rename
EACH = pytest.mark.parametrize("issue", RECORDED)

WIDTH = 72  # of a line of a commit message
FOOTER = re.compile(r"^(?:BREAKING[ -]CHANGE|[A-Za-z][A-Za-z-]*)(?:: | #)", re.MULTILINE)
REMARK = re.compile(r"(?P<path>[^:]+):(?P<line>[1-9][0-9]*): [^;]+; [^;]+")


def read(issue: str, name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((RECORDINGS / issue / name).read_text(encoding="utf-8"))
    return value


def project_of(issue: str) -> str:
    project: str = read(issue, WORDS)["project"]
    return project


def patched(issue: str) -> list[str]:
    """Return the files that a recording's patch changes."""
    text = (RECORDINGS / issue / PATCH).read_text(encoding="utf-8")
    return sorted(re.findall(r"^diff --git a/(?:.+) b/(.+)$", text, re.MULTILINE))


@pytest.fixture
def solved(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that applies an issue's patch to a copy, and returns its project."""

    def apply(issue: str) -> Path:
        git(tmp_path, "clone", "-q", "--branch=main", os.path.join(ROOT, ARCHIVE), "copy")
        patch = str(RECORDINGS / issue / PATCH)
        inside = () if project_of(issue) == "." else (f"--directory={project_of(issue)}",)
        git(tmp_path / "copy", "apply", "--whitespace=error", *inside, patch)
        return tmp_path / "copy" / project_of(issue)

    return apply


@EACH
def test_a_recording_names_the_exercises_about_its_issue(issue: str) -> None:
    asked = [
        exercise
        for exercise in catalog.exercises()
        if any(f"/{issue}/" in path for path in exercise.paths)
    ]

    assert read(issue, WORDS)["exercises"] == [f"{e.level}/{e.number:02}" for e in asked]
    assert {read(issue, WORDS)["project"]} >= {e.target for e in asked}


def test_every_issue_of_the_sandbox_has_a_recording_and_nothing_else_has() -> None:
    assert RECORDED != []
    assert sorted(path.name for path in RECORDINGS.iterdir()) == [*RECORDED, "README.md"]


@pytest.mark.parametrize("name", [PLAN, WORKER_RESULT])
@EACH
def test_a_recorded_artifact_is_valid_for_an_exercise(issue: str, name: str) -> None:
    kind = kind_of(name, KINDS)
    assert kind is not None
    found = validate((RECORDINGS / issue / name).read_bytes(), kind, "exercise")

    assert found.problems == ()


@EACH
def test_patch_result_and_plan_name_the_same_files(issue: str) -> None:
    result, plan = read(issue, WORKER_RESULT), read(issue, PLAN)

    assert patched(issue) != []
    assert sorted(result["files_changed"]) == sorted(plan["affected_files"]) == patched(issue)


@EACH
def test_a_review_approves_and_its_remarks_name_lines_that_are_there(
    issue: str, solved: Callable[[str], Path]
) -> None:
    verdict, *remarks = read(issue, WORDS)["review"].split("\n")
    sandbox = solved(issue)
    places = [REMARK.fullmatch(remark) for remark in remarks]

    assert verdict == "approved"
    for place in places:
        assert place is not None
        lines = (sandbox / place["path"]).read_text(encoding="utf-8").splitlines()
        assert lines[int(place["line"]) - 1].strip() != ""


def test_each_edit_of_the_troubled_run_changes_what_is_there_and_the_last_is_the_solution(
    solved: Callable[[str], Path],
) -> None:
    file = solved(troubled.ISSUE) / "src/notes/routes.js"
    solution = text = file.read_text(encoding="utf-8")
    edits = [edit for turn in troubled.recorded()["implement"] for edit in turn.get("edits", ())]
    for edit in edits:
        old, new = ("\n".join(edit[name]) for name in ("old", "new"))
        assert (edit["file"], text.count(old)) == ("src/notes/routes.js", 1)
        text = text.replace(old, new)

    assert (len(edits), text) == (3, solution)


@EACH
def test_a_recorded_message_is_a_conventional_commit_with_a_body_and_no_footer(issue: str) -> None:
    message = read(issue, WORDS)["message"]
    header, _, body = message.partition("\n\n")

    assert re.search(COMMIT_MESSAGE.pattern, message) is not None
    assert [line for line in message.split("\n") if len(line) > WIDTH] == []
    assert "\n" not in header
    assert body.strip() == body != ""
    assert FOOTER.findall(body) == []
    assert issue not in message
