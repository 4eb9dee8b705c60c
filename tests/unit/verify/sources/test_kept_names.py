"""A name that is no text is kept as one, and never as another name's."""

from __future__ import annotations

import pytest

from verify.sources.kept_names import kept


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
