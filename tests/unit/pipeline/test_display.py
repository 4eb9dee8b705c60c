"""Untrusted text is shown on one line, safe and short, and aligned by columns of a terminal."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tabulate import tabulate

from pipeline.terminal.display import (
    aligned,
    fitted,
    inert,
    json_document,
    json_path,
    named,
    quoted,
    visible,
    width_of,
)

if TYPE_CHECKING:
    from pipeline.protocol.problems import Path

E_ACUTE, E_COMBINED = "\u00e9", "e\u0301"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("é任\U0001f600", "é任\U0001f600"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\x1b[31m\x07\x00\x7f\x9b", "\\u{1b}[31m\\u{7}\\u{0}\\u{7f}\\u{9b}"),
        ("\u2028\x85\u202e\u200b\xad", "\\u{2028}\\u{85}\\u{202e}\\u{200b}\\u{ad}"),
        ("\xa0\ud800\ue000\U0010ffff", "\\u{a0}\\u{d800}\\u{e000}\\u{10ffff}"),
        # printable by Unicode, and yet not seen
        ("a\u115f\u3164\uffa0\u2800", "a\\u{115f}\\u{3164}\\u{ffa0}\\u{2800}"),
        ("a\u034f\ufe00\U000e0100", "a\\u{34f}\\u{fe00}\\u{e0100}"),
        ("\u2764\ufe0f", "\u2764\ufe0f"),
        # a joiner shapes a Persian or Hindi word and a family of emoji, and is not seen elsewhere
        ("\u0645\u06cc\u200c\u0631\u0648\u0645", "\u0645\u06cc\u200c\u0631\u0648\u0645"),
        ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"),
        (
            "\U0001f468\u200d\U0001f469\u200d\U0001f467",
            "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        ),
        ("\U0001f3f3\ufe0f\u200d\U0001f308", "\U0001f3f3\ufe0f\u200d\U0001f308"),
        ("ad\u200ca\u200d", "ad\\u{200c}a\\u{200d}"),
        ("\u06cc\u200c\u200c\u06cc\u200c", "\u06cc\\u{200c}\\u{200c}\u06cc\\u{200c}"),
        # a flood of marks on one letter; what people write has a few
        ("e\u0301\u0323", "e\u0301\u0323"),
        ("e" + "\u0301" * 6, "e" + "\u0301" * 4 + "\\u{301}" * 2),
        ("a" * 100, "a" * 100),
        ("a" * 101, "a" * 99 + "…"),
    ],
)
def test_what_could_drive_a_terminal_or_forge_a_line_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ('a"\\\n', '"a\\"\\\\\\n"'),
        ("\u202e", '"\\u{202e}"'),
        ("a" * 98, '"' + "a" * 98 + '"'),
        ("a" * 99, '"' + "a" * 98 + '…"~750b58ee'),
        ("a" * 10**6, '"' + "a" * 98 + '…"~dc25bfbc'),
        (None, "null"),
        ({"a": 1}, "an object with 1 field"),
        ([1, 2], "an array of 2 elements"),
        (10**200, "1" + "0" * 98 + "…~a8d410ca"),
    ],
)
def test_a_value_is_quoted_like_json_and_a_container_is_summed_up(
    value: object, shown: str
) -> None:
    assert quoted(value) == shown


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ((), "$"),
        (("steps", 2, "file"), "$.steps[2].file"),
        (("",), '$[""]'),
        (("a b",), '$["a b"]'),
        (("1a",), '$["1a"]'),
        (("a.b", 0), '$["a.b"][0]'),
        (("\n\u202e",), '$["\\n\\u{202e}"]'),
        (("a" * 61,), "$." + "a" * 59 + "…"),
    ],
)
def test_a_path_is_written_in_dots_and_brackets(path: Path, shown: str) -> None:
    assert json_path(path) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", "\\u{3a}:error::x"),
        ("  \t::error::x", "  \t\\u{3a}:error::x"),
        (
            "one\n ::error::x\n::stop-commands::y",
            "one\n \\u{3a}:error::x\n\\u{3a}:stop-commands::y",
        ),
        ("one\n\n\n::x", "one\n\n\n\\u{3a}:x"),
        ("a ##[error]x ##[group]y", "a #\\u{23}[error]x #\\u{23}[group]y"),
        ("a::b: ## [c] #[d]", "a::b: ## [c] #[d]"),
        (
            "x ##vso[task.y]z ##teamcity[a 'b'] ##TeamCity[",
            "x #\\u{23}vso[task.y]z #\\u{23}teamcity[a 'b'] #\\u{23}TeamCity[",
        ),
    ],
)
def test_g15_no_line_is_a_command_to_a_runner(text: str, shown: str) -> None:
    assert inert(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x7f", '"a\\u007f"'),
        ("\ud800…", '"\\ud800…"'),
        ("annguy\u1ec5n", '"annguy\u1ec5n"'),
        (
            "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627",
            '"\u0639\u0644\u06cc\u200c\u0631\u0636\u0627"',
        ),
        ("\u0430pp.js", '"\\u0430pp.js"'),  # a Cyrillic letter
        (E_COMBINED, '"e\\u0301"'),
        ("ada\u200b\u202e\u3164", '"ada\\u200b\\u202e\\u3164"'),
        ("x" * 50 + "y" + "x" * 50, f'"{"x" * 50}…{"x" * 50}"~3bbb75fc'),
        ("x" * 50 + "z" + "x" * 50, f'"{"x" * 50}…{"x" * 50}"~be896708'),
    ],
)
def test_a_name_is_shown_exactly_or_with_digits_that_tell_it_from_others(
    text: str, shown: str
) -> None:
    assert named(text) == shown


def test_a_json_document_says_the_same_without_a_command_to_a_runner() -> None:
    value = {"a": ["##[error]x", "##vso[y", "# #[", "\\##["]}
    document = json_document(value)

    assert "##[" not in document
    assert json.loads(document) == value


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("Ada", 3),
        ("李伟", 4),
        ("\uff37\uff49\uff44\uff45", 8),  # the wide letters of Wide
        ("é", 1),
        ("e\u0301", 1),
        ("한", 2),
        ("\u1112\u1161\u11ab", 2),  # the same, as a Mac writes it
        ("สมชาย", 5),
        ("น้ำ", 2),
        ("\u0645\u06cc\u200c\u062e\u0648", 4),  # a joiner between letters of Persian
        ("🎓", 2),
        ("\x1b[31m✓ fail\x1b[0m", 6),
        ("", 0),
    ],
)
def test_a_width_is_that_on_a_terminal(text: str, width: int) -> None:
    assert width_of(text) == width


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("李伟李伟", "李伟…"),
        ("李伟", "李伟"),
        ("abcdefg", "abcde…"),
        ("e\u0301" * 6, "e\u0301" * 6),
    ],
)
def test_a_line_is_cut_to_columns(text: str, shown: str) -> None:
    assert fitted(text, 6) == shown


def test_a_table_is_aligned_by_columns() -> None:
    rows = [("名", "b"), ("李伟", "x\ne\u0301"), ("", "y"), ("ada", "한")]
    found = aligned(rows, partial(tabulate, tablefmt="plain", colalign=("left", "right")))

    assert found.splitlines() == ["名     b", "李伟   x", f"{'':7}e\u0301", f"{'':7}y", "ada   한"]
