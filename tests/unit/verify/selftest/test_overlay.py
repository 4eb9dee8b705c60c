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


def test_files_are_replaced_added_or_gone() -> None:
    changes = {"a.json": b"9", "src/new.js": b"8", "src/app.js": None, "src/lib/x.js": None}
    overlay = Overlay("root", FILES, changes)
    paths = ["a.json", "src/new.js", "src/app.js", "src", "c.json"]

    assert [overlay.is_file(path) for path in paths] == [True, True, False, False, False]
    assert (overlay.read("a.json"), overlay.read("src/new.js")) == (b"9", b"8")
    assert (overlay.names(""), overlay.names("src")) == (["a.json", "src"], ["new.js"])
    for path in paths[2:]:
        with pytest.raises(Unreadable) as error:
            overlay.read(path)
        assert error.value.reason == MISSING
    with pytest.raises(Unreadable):
        overlay.names("src/lib")


def test_it_answers_as_the_folder_that_it_was_read_from(tmp_path: Path) -> None:
    for path, data in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    many = {f"{number:05}": b"" for number in range(MAX_FOLDER_ENTRIES + 1)}
    overlay = Overlay("root", files_below(str(tmp_path)))
    with open_folder(str(tmp_path)) as folder:
        answers = [
            (door.names(""), door.names("src"), door.read("src/app.js"), door.is_file("src"))
            for door in (folder, overlay)
        ]
    overlay.close()

    assert answers[0] == answers[1]
    assert len(Overlay("root", many).names("")) == MAX_FOLDER_ENTRIES
