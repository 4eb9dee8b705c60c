"""A name that is no text is kept as one, and never as another name's."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.stubs.archives import zip_bytes
from verify.sources.container_folder import ArchivesBackend, ArchivesSource
from verify.sources.kept_names import kept

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ada", "ada"),
        ("Åke", "Åke"),
        ("back\\slash", "back\\slash"),
        ("\udcff", "\\xff"),
        ("\\xff", "\\x5cxff"),
        ("a\udce9Å", "a\\xe9Å"),
        ("\ud800", "\\ud800"),
        ("\\ud800", "\\x5cud800"),
        ("\udcff\ud800", "\\udcff\\ud800"),
    ],
)
def test_a_name_is_kept_as_a_text_of_its_own(name: str, text: str) -> None:
    assert kept(name) == text
    assert text.encode()


def test_a_byte_and_the_text_that_tells_of_it_are_two_submissions(tmp_path: Path) -> None:
    names = {b"ada\xff.zip": b"1", b"ada\\xff.zip": b"2", b"ada\\udcff.zip": b"3"}
    for name, data in names.items():
        with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
            file.write(zip_bytes(("p", data)))
    source = ArchivesSource(str(tmp_path))
    listed = [(entry.learner, entry.attempt) for entry in source.entries()]
    payloads = [source.payload(entry.inner) for entry in source.entries()]
    with ArchivesBackend(source.container) as backend:
        read = [backend.submission(payload).read("p") for payload in payloads]

    assert listed == [("ada\\x5cudcff", ""), ("ada\\x5cxff", ""), ("ada\\xff", "")]
    assert read == [b"3", b"2", b"1"]
