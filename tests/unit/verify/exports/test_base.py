"""Texts are harmless in what they go into, and a file is named for its learner alone."""

from __future__ import annotations

import re
import unicodedata

import hypothesis
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from verify.exports.base import cell, name_of


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Lovelace, Ada", "Lovelace, Ada"),
        ("=1+1", "'=1+1"),
        ("-1", "-1"),
        ("-1+1", "'-1+1"),
        ("'=1", "''=1"),
        ("@SUM(1)", "'@SUM(1)"),
        ("\uff1d1", "'\uff1d1"),
        ("  =1", "'  =1"),
        ("x;=1", "x;'=1"),
        ("\t=1", "\\t=1"),
        ("a\rb\nc", "a\\rb\\nc"),
        ("\x1b[31m\u202e\0\udce9", "\\u{1b}[31m\\u{202e}\\u{0}\\u{dce9}"),
        ("", ""),
    ],
)
def test_a_cell_is_what_it_was_made_harmless(text: str, written: str) -> None:
    assert cell(text) == written


def test_a_cell_has_room_in_every_spreadsheet() -> None:
    assert len(cell("x" * 100_000)) == 30_000


@pytest.mark.parametrize(
    ("key", "begins"),
    [
        ("ADA", "ada."),
        ("Ada Lovelace", "ada-lovelace."),
        ("../../etc/passwd", "etc-passwd."),
        ("con", "con."),
        ("", "learner."),
        ("caf\udce9", "caf."),
        ("x" * 300, "x" * 40 + "."),
    ],
)
def test_a_key_that_is_no_plain_name_gets_a_digest(key: str, begins: str) -> None:
    assert re.fullmatch(re.escape(begins) + "[0-9a-f]{16}", name_of(key))
    assert name_of("ada-lovelace_2") == "ada-lovelace_2"
    assert len({name_of("ab", "c"), name_of("a", "bc"), name_of("a", "b"), name_of("a")}) == 4


@hypothesis.settings(deadline=None)
@given(st.lists(st.text(st.characters(), max_size=12), unique=True, max_size=8))
@example(["ada", "Ada", "ADA", "\u00e9", "e\u0301"])
def test_different_keys_have_names_that_differ_on_every_file_system(keys: list[str]) -> None:
    names = {unicodedata.normalize("NFC", name_of(key)).casefold() for key in keys}

    assert len(names) == len(keys)
    assert all(re.fullmatch(r"[a-z0-9_.-]+", name) for name in names)
