"""What a run is about is settled, or refused in one line, before any agent works."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.running.assignment import Unassignable, assign, place_of
from pipeline.running.prompt import Prompt
from tests.stubs.agents import ISSUE
from tests.stubs.repositories import user_repository

if TYPE_CHECKING:
    from pathlib import Path

PROMPT = Prompt("ISSUE-7", "add a GET /health endpoint")


def test_the_text_of_the_issue_is_found_in_the_target_project(tmp_path: Path) -> None:
    (tmp_path / "app" / "issues").mkdir(parents=True)
    (tmp_path / "app" / "issues" / "ISSUE-7.md").write_text(ISSUE)

    about = assign(PROMPT, str(tmp_path), str(tmp_path / "app"))

    assert (about.title, about.target, about.folder) == (
        "Add a health endpoint",
        "app",
        "app/.pipeline/ISSUE-7",
    )
    assert about.criteria[1] == ("AC2_shape", 'the body is `{"status": "ok"}`.')


def test_it_is_found_in_the_sandbox_where_the_root_is_the_target(tmp_path: Path) -> None:
    (tmp_path / "sandbox" / "issues").mkdir(parents=True)
    (tmp_path / "sandbox" / "issues" / "ISSUE-7.md").write_text(ISSUE)

    about = assign(PROMPT, str(tmp_path))

    assert (about.target, about.folder) == (".", ".pipeline/ISSUE-7")


def test_a_tier_that_is_given_is_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "text.md").write_text(ISSUE)

    about = assign(PROMPT, str(tmp_path), issue_file=str(tmp_path / "text.md"), tier="complex")

    assert (about.tier, about.reason, about.role("worker"), about.role("reviewer")) == (
        "complex",
        "as asked for",
        "x-worker",
        "x-reviewer",
    )


def test_a_task_without_a_tier_is_classified(tmp_path: Path) -> None:
    (tmp_path / "text.md").write_text(ISSUE)

    about = assign(PROMPT, str(tmp_path), issue_file=str(tmp_path / "text.md"))

    assert (about.tier, about.is_planned) == ("standard", True)


def test_a_missing_text_names_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(Unassignable) as caught:
        assign(PROMPT, str(tmp_path))

    assert str(caught.value) == (
        "ISSUE-7: its text is not there (expected issues/ISSUE-7.md or "
        "sandbox/issues/ISSUE-7.md; or name it with --issue-file)"
    )


def test_the_text_of_another_issue_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.md").write_text(ISSUE.replace("ISSUE-7", "ISSUE-8"))

    with pytest.raises(Unassignable) as caught:
        assign(PROMPT, str(tmp_path), issue_file=str(tmp_path / "text.md"))

    assert str(caught.value) == f"{tmp_path}/text.md: is the text of ISSUE-8 (expected ISSUE-7)"


@pytest.mark.parametrize("text", [b"no issue\n", b"\xff\xfe"])
def test_a_text_that_is_no_issue_is_refused_in_one_line(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "text.md").write_bytes(text)

    with pytest.raises(Unassignable) as caught:
        assign(PROMPT, str(tmp_path), issue_file=str(tmp_path / "text.md"))

    assert str(caught.value).startswith(f"{tmp_path}/text.md:")
    assert "\n" not in str(caught.value)


def test_a_project_that_is_in_no_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unassignable) as caught:
        place_of(str(tmp_path))

    assert str(caught.value) == (
        f"{tmp_path}: is in no git repository (make one: git init, then commit what is there)"
    )


def test_a_project_that_is_not_there_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user_repository(tmp_path)
    monkeypatch.chdir(tmp_path)

    with pytest.raises(Unassignable) as caught:
        place_of("no/such")

    assert str(caught.value) == "--project no/such: there is no such folder"


def test_a_project_is_also_found_from_a_folder_inside_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user_repository(tmp_path)
    (tmp_path / "sandbox" / "src").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "sandbox" / "src")

    assert place_of("sandbox") == (str(tmp_path), str(tmp_path / "sandbox"))
    assert place_of("") == (str(tmp_path), "")
