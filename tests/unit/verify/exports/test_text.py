"""No text of others becomes a formula, breaks a row or a document."""

from __future__ import annotations

import json

import pytest

from verify.exports.text import cell, json_text


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
        ("\t=1", "\\u{9}=1"),
        ("a\rb\nc", "a\\u{d}b\\u{a}c"),
        ("\x1b[31m\u202e\0\udce9", "\\u{1b}[31m\\u{202e}\\u{0}\\u{dce9}"),
        ("", ""),
    ],
)
def test_a_cell_is_what_it_was_made_harmless(text: str, written: str) -> None:
    assert cell(text) == written


def test_a_cell_has_room_in_every_spreadsheet() -> None:
    assert len(cell("x" * 100_000)) == 30_000


@pytest.mark.parametrize("text", ["a", "\U0001f600", "\\ud83d", '"\\', "\u2028\x1b"])
def test_json_is_one_ascii_line_that_says_the_same(text: str) -> None:
    written = json_text({"a": [text, 1.5, None]})

    assert written.isascii()
    assert "\n" not in written
    assert json.loads(written) == {"a": [text, 1.5, None]}


def test_a_half_character_and_what_is_no_number_stand_in_no_json() -> None:
    assert json_text("a\udce9\U0001f600") == '"a\\\\u{dce9}\\ud83d\\ude00"'
    with pytest.raises(ValueError, match="JSON compliant"):
        json_text(float("nan"))
