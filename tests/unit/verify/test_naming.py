"""A file is found under the name that it has in the submission, whatever form Unicode gave it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify.naming import stands_at
from verify.submission import open_folder

if TYPE_CHECKING:
    from pathlib import Path

E_ACUTE, E_COMBINED = "\u00e9", "e\u0301"


@pytest.mark.parametrize(
    ("there", "asked", "found"),
    [
        (f"{E_COMBINED}/{E_COMBINED}", f"{E_ACUTE}/{E_ACUTE}", f"{E_COMBINED}/{E_COMBINED}"),
        (f"a/{E_ACUTE}", f"a/{E_COMBINED}", f"a/{E_ACUTE}"),
        ("a/b", f"{E_ACUTE}/b", f"{E_ACUTE}/b"),
        ("a", f"a/{E_ACUTE}", f"a/{E_ACUTE}"),
    ],
)
def test_a_file_is_found_by_another_form_of_its_name(
    tmp_path: Path, there: str, asked: str, found: str
) -> None:
    place = tmp_path / there
    place.parent.mkdir(parents=True, exist_ok=True)
    place.touch()
    with open_folder(str(tmp_path)) as door:
        assert stands_at(door, asked) == found


def test_the_name_itself_counts_before_its_other_form(tmp_path: Path) -> None:
    for name in (E_ACUTE, E_COMBINED):
        (tmp_path / name).touch()
    with open_folder(str(tmp_path)) as door:
        assert [stands_at(door, name) for name in (E_ACUTE, E_COMBINED)] == [E_ACUTE, E_COMBINED]


def test_a_folder_that_was_looked_into_is_not_listed_again(tmp_path: Path) -> None:
    seen = {"": {E_ACUTE: "folder"}, "folder": {E_ACUTE: "file"}}
    with open_folder(str(tmp_path)) as door:
        assert stands_at(door, f"{E_COMBINED}/{E_COMBINED}", seen) == "folder/file"
