"""JSON is read strictly; each problem is where it is in the text."""

from __future__ import annotations

import codecs
from typing import Any

import pytest

from pipeline.protocol.json_text import NotStrictJson, Places, Scan, locate, parse, text_of
from pipeline.protocol.problems import Path, Problem

EMPTY = "the file is empty (expected one JSON document, found the end of the file)"
INVISIBLE = "there is an invisible character here (expected "
TOO_DEEP = "too deeply nested (expected at most 64 levels)"
TOO_MANY = "too many elements (expected at most 20000)"
TOO_LARGE = "this number is not valid (expected a number between -1.8e308 and 1.8e308, found "
HALF = "this string has an incomplete character (expected complete surrogate pairs, found "
OTHER_ENCODING = "this is not UTF-8 text (expected UTF-8, found UTF-16, UTF-32 or binary data)"


def refused(data: bytes) -> list[tuple[int, int, str]]:
    with pytest.raises(NotStrictJson) as caught:
        parse(data)
    problems = caught.value.problems
    assert str(caught.value) == problems[0].sentence()
    assert {(problem.rule, problem.path) for problem in problems} == {("json", ())}
    return [(p.line, p.column, p.sentence()) for p in problems]


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"null", None),
        (b"-0", 0),
        (b"-1.5e-3", -0.0015),
        (b"1e-400", 0.0),
        (b"1.7976931348623157e308", 1.7976931348623157e308),
        (b"-" + b"9" * 308, -int("9" * 308)),
        (b"0." + b"1" * 5000, 0.1111111111111111),
        ('"é任\U0001f600\x7f\u2028"'.encode(), "é任\U0001f600\x7f\u2028"),
        (b'"\\uD83D\\uDE00 \\ud7ff \\ue000"', "\U0001f600 \ud7ff \ue000"),
        (b'["\\\\ud800", "\\u0000"]', ["\\ud800", "\x00"]),
        (b'{"a": {"a": 1}, "A": [{"a": 2}]}', {"a": {"a": 1}, "A": [{"a": 2}]}),
        (codecs.BOM_UTF8 + b'\r\n{\r\n\t"a":\r\n1\r\n}\r\n', {"a": 1}),
        (b"[" * 64 + b"]" * 64, nested(64)),
        (b"[" + b"0," * 19_998 + b"0]", [0] * 19_999),
        (b"[" + b"[],\n" * 19_998 + b"0]", [[]] * 19_998 + [0]),
        # brackets and commas inside a string do not count, and an escaped quote does not end it
        (b'"' + b"[" * 100_000 + b'"', "[" * 100_000),
        (b'"' + b",{" * 50_000 + b'"', ",{" * 50_000),
        (b'["\\"' + b"[" * 100 + b'\\\\"]', ['"' + "[" * 100 + "\\"]),
    ],
    ids=range(18),
)
def test_strict_json_is_parsed(data: bytes, value: object) -> None:
    assert parse(data) == value


@pytest.mark.spec("8.3")
@pytest.mark.parametrize(
    ("data", "line", "column", "sentence"),
    [
        (b"[" * 65 + b"]" * 65, 1, 65, TOO_DEEP),
        (b'{"a":' * 100_000, 1, 321, TOO_DEEP),
        (b"[" * 1_000_000, 1, 65, TOO_DEEP),
        (b"[" + b"0," * 20_000 + b"0]", 1, 40_000, TOO_MANY),
        (b"[" + b"[],\n" * 19_999 + b"0]", 20_000, 1, TOO_MANY),
        (b"[" + b"{}," * 500_000 + b"0]", 1, 59_999, TOO_MANY),
        (b"[-" + b"9" * 309 + b"]", 1, 2, f"{TOO_LARGE}-{'9' * 38}…)"),
        (
            b'["\x00"]',
            1,
            3,
            'this string contains a control character (expected text, found "\\u0000")',
        ),
        (
            b'["\\u12g4"]',
            1,
            3,
            "this is not a valid escape sequence (expected \\\\ or /, found \\u)",
        ),
        (codecs.BOM_UTF8, 1, 1, EMPTY),
        (codecs.BOM_UTF8 * 2 + b"{}", 1, 1, INVISIBLE + "one JSON document, found \\u{feff})"),
        (b" \r\n\t", 2, 2, EMPTY),
        ("\u0661".encode(), 1, 1, "this is not JSON (expected one JSON document, found \u0661)"),
        (b"[1,\xc2\xa02]", 1, 4, INVISIBLE + "a value, found \\u{a0})"),
        (b'{"\\ud83d": 1}', 1, 2, HALF + '"\\u{d83d}")'),
        (b'["\\uDC00\\uD800"]', 1, 2, HALF + '"\\u{dc00}\\u{d800}")'),
        (
            '"é'.encode() + b'\xe9"',
            1,
            3,
            "this is not UTF-8 text (expected UTF-8, found the byte 0xe9)",
        ),
        (
            codecs.BOM_UTF8 + b'\n"\xc0"',
            2,
            2,
            "this is not UTF-8 text (expected UTF-8, found the byte 0xc0)",
        ),
        *(
            ("[1]".encode(name), 1, 1, OTHER_ENCODING)
            for name in ("utf-16", "utf-16-le", "utf-32-be")
        ),
    ],
    ids=range(21),
)
def test_what_is_not_strict_json_or_too_much_is_refused_in_one_line(
    data: bytes, line: int, column: int, sentence: str
) -> None:
    assert refused(data) == [(line, column, sentence)]


def test_text_is_decoded_without_its_byte_order_mark() -> None:
    assert text_of(codecs.BOM_UTF8 + "é\r\n".encode()) == "é\r\n"


def test_offsets_of_values_keys_and_ends_are_noted() -> None:
    found = Places('{"a": [1, {"b": null}], "c": "x"}')

    assert (found.values, found.keys, found.ends) == (
        {(): 0, ("a",): 6, ("a", 0): 7, ("a", 1): 10, ("a", 1, "b"): 16, ("c",): 29},
        {("a",): 1, ("a", 1, "b"): 11, ("c",): 24},
        {(): 32, ("a",): 21, ("a", 1): 20},
    )


def test_problems_are_sorted_as_they_are_in_the_document() -> None:
    text = '{"b": 1,\n "a": {"c": 2}}'
    paths: list[Path] = [("a", "c"), ("a", "lost"), ("b",), ("a",), ("lost",), ("a", "c")]
    problems = [Problem("text", path, str(number)) for number, path in enumerate(paths)]

    assert [(p.message, p.line, p.column) for p in locate(text, problems)] == [
        ("2", 1, 7),
        ("3", 2, 7),
        ("0", 2, 13),
        ("5", 2, 13),
        ("1", 2, 14),
        ("4", 2, 15),
    ]


def test_each_of_several_mistakes_has_its_line_and_column() -> None:
    text = '{"a": 1,\n\n "a": NaN, "b": 2,\n"b": 3, "a": 4}'

    assert [(p.line, p.column) for p in Scan(text).problems] == [(3, 2), (3, 7), (4, 1), (4, 9)]


EITHER = "Find out which } is too many: this one, or one before it."


@pytest.mark.parametrize(
    ("text", "column", "action"),
    [
        ('{"a": {"b": 1}}}', 16, "Remove this }."),
        ('{"a": 1}, "b": 2}', 8, "Remove this }."),
        ('{"s": [{"o": 1}, {"o": 2}]}}', 28, "Remove this }."),
        ('{"a": {"b": 1}, "c": 2}}', 24, EITHER),
        ('{"a": {"b": 1}, "c": 2}, "d": 3}', 23, EITHER),
        ('{\n "a": {\n  "b": 1\n },\n "c": 2\n}\n}', 1, "Remove this }."),
        ('{\n "a": {\n  "b": 1},\n  "c": 2\n }\n}', 1, EITHER),
        ('[["a"], "b"]]', 13, EITHER.replace("}", "]")),
    ],
)
def test_m_a_bracket_is_removed_only_where_no_other_one_may_be_meant(
    text: str, column: int, action: str
) -> None:
    (problem,) = Scan(text).problems

    assert (problem.message, problem.column, problem.action) == (
        "there is a bracket too many",
        column,
        action,
    )


@pytest.mark.parametrize("character", "\x08\x0b\x0c\x1b\x7f\x85\u180e\u202e\u2066\ufe0f")
@pytest.mark.parametrize("text", ["{} {{}}", "{{{}}}", "[{} 1]", '{{"a"{}: 1}}', "[1{} ]", "[1]{}"])
def test_a_character_that_nobody_sees_is_to_be_deleted(text: str, character: str) -> None:
    (problem,) = Scan(text.format(character)).problems

    assert (problem.message, problem.column, problem.action) == (
        "there is an invisible character here",
        text.replace("{{", "{").index("{}") + 1,
        "Delete this character.",
    )
    assert Scan(text.format("")).problems == ()


@pytest.mark.parametrize(("text", "word"), [("x" * 100, "x" * 40), ("\ue000", "\\u{e000}")])
def test_what_is_at_a_syntax_error_is_shown_short_and_safe(text: str, word: str) -> None:
    (problem,) = Scan(text).problems

    assert (problem.message, problem.found) == ("this is not JSON", word)
