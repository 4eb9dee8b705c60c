"""An overlay shows a solution with a mutant's changes, and writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.limits import MAX_FOLDER_ENTRIES
from pipeline.reading import MISSING, Unreadable
from verify.selftest.overlay import Overlay, files_below
from verify.submission import open_folder

if TYPE_CHECKING:
    from pathlib import Path

FILES = {"a.json": b"1", "src/app.js": b"2", "src/lib/x.js": b"3"}


def test_a_file_is_replaced_added_or_gone() -> None:
    overlay = Overlay("root", FILES, {"a.json": b"9", "b.json": b"8", "src/app.js": None})
    paths = ["a.json", "b.json", "src/app.js", "src/lib/x.js", "src", "c.json"]

    assert overlay.root == "root"
    assert [overlay.is_file(path) for path in paths] == [True, True, False, True, False, False]
    assert [overlay.read(path) for path in ("a.json", "b.json", "src/lib/x.js")] == [
        b"9",
        b"8",
        b"3",
    ]
    assert FILES["a.json"] == b"1"


@pytest.mark.parametrize("path", ["src/app.js", "c.json", "src", ""])
def test_what_is_not_there_is_unreadable(path: str) -> None:
    with pytest.raises(Unreadable) as error:
        Overlay("root", FILES, {"src/app.js": None}).read(path)

    assert error.value.reason == MISSING


def test_the_names_of_a_folder_are_those_after_the_changes() -> None:
    overlay = Overlay("root", FILES, {"src/app.js": None, "src/new.js": b""})

    assert (overlay.names(""), overlay.names("src")) == (["a.json", "src"], ["lib", "new.js"])


def test_a_folder_whose_files_are_gone_is_unreadable() -> None:
    overlay = Overlay("root", FILES, {"src/lib/x.js": None})

    with pytest.raises(Unreadable):
        overlay.names("src/lib")


def test_it_lists_no_more_names_than_a_folder_does() -> None:
    files = {f"{number:05}": b"" for number in range(MAX_FOLDER_ENTRIES + 1)}

    assert len(Overlay("root", files).names("")) == MAX_FOLDER_ENTRIES


def test_it_answers_as_the_folder_that_it_was_read_from(tmp_path: Path) -> None:
    for path, data in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    overlay = Overlay("root", files_below(str(tmp_path)))
    with open_folder(str(tmp_path)) as folder:
        answers = [
            (door.names(""), door.names("src"), door.read("src/app.js"), door.is_file("src"))
            for door in (folder, overlay)
        ]
    overlay.close()

    assert answers[0] == answers[1]
