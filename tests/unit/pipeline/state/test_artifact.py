"""One artifact, read as hostile input."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pipeline.limits import MAX_BYTES
from pipeline.reading import Unreadable
from pipeline.state.artifact import Artifact, is_real_folder, read_artifact

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., Path]

FOLDER = ".pipeline/ISSUE-7"
PLACE = ".pipeline/ISSUE-7/plan.json"


@pytest.fixture
def place(project: Path) -> Path:
    """Return the path of the plan, its folder made."""
    path = project / PLACE
    path.parent.mkdir(parents=True)
    return path


@pytest.mark.usefixtures("project")
def test_a_missing_artifact_is_absent() -> None:
    assert read_artifact(FOLDER, "plan.json") == Artifact("plan.json", "absent")


def test_a_valid_artifact_says_its_fields(write: Write) -> None:
    write("plan.json")
    artifact = read_artifact(FOLDER, "plan.json")

    assert (artifact.condition, artifact.problems) == ("valid", ())
    assert (artifact.producer, artifact.says("affected_files")) == (
        "x-subplanner",
        ["src/health.js"],
    )


def test_an_invalid_artifact_says_nothing_but_its_producer(write: Write) -> None:
    write("plan.json", {"steps": []})
    artifact = read_artifact(FOLDER, "plan.json")

    assert (artifact.condition, artifact.says("affected_files")) == ("invalid", None)
    assert artifact.producer == "x-subplanner"


@pytest.mark.parametrize("text", ['["x-worker"]', '{"produced_by": 7}', "7"])
def test_a_producer_that_is_no_text_is_none(write: Write, text: str) -> None:
    write("plan.json", text)

    assert read_artifact(FOLDER, "plan.json").producer == ""


def test_the_first_problems_are_shown_and_the_rest_counted(write: Write) -> None:
    write("plan.json", {"affected_files": [""] * 9, "steps": None})
    artifact = read_artifact(FOLDER, "plan.json")

    assert (len(artifact.problems), artifact.more) == (5, 5)


def test_a_link_is_not_followed(place: Path) -> None:
    secret = place.parent / "secret.json"
    secret.write_text('{"token": "s3cr3t"}')
    place.symlink_to(secret)

    expected = (f"{PLACE}: is a link, not a regular file",)
    assert read_artifact(FOLDER, "plan.json") == Artifact("plan.json", "invalid", problems=expected)


def test_a_link_to_nowhere_is_no_absent_artifact(place: Path) -> None:
    place.symlink_to("nowhere")

    assert read_artifact(FOLDER, "plan.json").condition == "invalid"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_named_pipe_does_not_block(place: Path) -> None:
    os.mkfifo(place)

    expected = (f"{PLACE}: is a named pipe, not a regular file",)
    assert read_artifact(FOLDER, "plan.json").problems == expected


def test_a_folder_in_the_place_of_an_artifact_is_named(place: Path) -> None:
    place.mkdir()

    expected = (f"{PLACE}: is a folder, not a regular file",)
    assert read_artifact(FOLDER, "plan.json").problems == expected


def test_a_file_that_is_too_large_is_not_read(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(MAX_BYTES + 1)

    expected = (f"{PLACE}: is larger than 1024 KiB, the most that is read",)
    assert read_artifact(FOLDER, "plan.json").problems == expected


def test_a_problem_cannot_drive_a_terminal_or_a_runner(write: Write) -> None:
    write("plan.json", '{"\\u001b[2J##[error]": 1, "affected_files": "::error::"}')
    text = "\n".join(read_artifact(FOLDER, "plan.json").problems)

    assert ("\x1b" in text, "##[" in text) == (False, False)


@pytest.mark.usefixtures("project")
def test_a_name_of_no_artifact_is_refused() -> None:
    os.makedirs(FOLDER)
    with open(f"{FOLDER}/notes.json", "w", encoding="utf-8") as file:
        file.write("{}")

    with pytest.raises(ValueError, match=r"not an artifact's name: 'notes\.json'"):
        read_artifact(FOLDER, "notes.json")


def test_a_folder_is_real_unless_it_is_missing_or_something_else(project: Path) -> None:
    (project / "file").write_text("")
    (project / "link").symlink_to(project)

    assert is_real_folder(str(project))
    assert not is_real_folder(str(project / "missing"))
    with pytest.raises(Unreadable, match="is not a folder"):
        is_real_folder(str(project / "file"))
    with pytest.raises(Unreadable, match="is a link, which is not followed"):
        is_real_folder(str(project / "link"))
