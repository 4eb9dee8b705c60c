"""One learner's archive: what in it is the submission, and when there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.reading import MISSING, Unreadable
from tests.stubs.archives import tar_bytes, zip_bytes
from verify.sources.archive_bytes import MemoryBytes
from verify.sources.archive_opening import opened_archive

if TYPE_CHECKING:
    from verify.submission import Submission

WORK = (("sandbox/.pipeline/p", b"1"), ("sandbox/q", b"2"))


def _opened(content: bytes, name: str = "work.zip") -> Submission:
    return opened_archive("root", name, MemoryBytes(content))


@pytest.mark.parametrize("packed", ["", "gz", "xz", "zip"])
def test_every_kind_is_told_by_its_content_not_its_name(packed: str) -> None:
    content = zip_bytes(*WORK) if packed == "zip" else tar_bytes(*WORK, packed=packed)

    assert _opened(content).read("sandbox/q") == b"2"


def test_one_superfluous_folder_is_passed_over() -> None:
    door = _opened(zip_bytes(*((f"my work/{name}", data) for name, data in WORK)))

    assert door.root == "root"
    assert door.read("sandbox/q") == b"2"
    assert door.is_file("my work/sandbox/q")
    assert door.names("sandbox") == [".pipeline", "q"]
    door.close()


def test_a_folder_that_is_part_of_the_paths_is_not_superfluous() -> None:
    door = _opened(zip_bytes(*WORK))

    assert door.read("sandbox/q") == b"2"
    assert (door.is_file("sandbox/q"), door.is_file("q")) == (True, False)  # misplaced, not packed
    assert door.names("") == ["sandbox"]
    with pytest.raises(Unreadable) as refused:
        door.read("sandbox/r")
    assert refused.value.reason == MISSING


def test_two_superfluous_folders_are_one_too_many() -> None:
    door = _opened(zip_bytes(*((f"my/task/{name}", data) for name, data in WORK)))

    assert not door.is_file("sandbox/q")


def test_a_refusal_in_place_is_not_looked_for_in_the_folder() -> None:
    door = _opened(zip_bytes(("a/p", b"1"), ("a/p", b"2"), ("a/a/p", b"3")))

    with pytest.raises(Unreadable, match="more than once"):
        door.read("a/p")
    with pytest.raises(Unreadable, match="is not a path"):
        door.names("..")
