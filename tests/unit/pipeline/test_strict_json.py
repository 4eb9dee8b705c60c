"""Bytes are one JSON document with one meaning, or are refused in clear lines."""

from __future__ import annotations

import codecs
from typing import Any

import pytest

from pipeline.problems import Problem
from pipeline.strict_json import NotStrictJson, parse, text_of

REPEATED = "this key stands twice in one object"
NO_NUMBER = "this is not a JSON number"
OUT_OF_RANGE = "this number is out of range"
TOO_LONG = "this number is too long"
HALF = "this string has half a surrogate pair"
BAD_STRING = "this string does not end on its line or has a wrong escape"
CLOSING = "a closing quote, and line breaks written as \\n"
NOT_JSON = "this is not JSON"
NOT_UTF8 = "this is not UTF-8 text"
KEY = "a key in double quotes"
LONG_FILE = "UTF-16, UTF-32 or binary data"
UTF16_TEXT = '{"a": 1}'


def refused(data: bytes) -> list[tuple[int, int, str]]:
    with pytest.raises(NotStrictJson) as caught:
        parse(data)
    problems = caught.value.problems
    assert str(caught.value) == problems[0].sentence()
    assert {(problem.rule, problem.path) for problem in problems} == {("json", ())}
    return [(p.line, p.column, p.sentence()) for p in problems]


def sentence(message: str, expected: str = "", found: str = "") -> str:
    return Problem("json", (), message, expected, found).sentence()


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"{}", {}),
        (b" [ ] ", []),
        (b"null", None),
        (b"true", True),
        (b"-0", 0),
        (b"1e2", 100.0),
        (b"1E+2", 100.0),
        (b"-1.5e-3", -0.0015),
        (b"1e-400", 0.0),
        (b"1.7976931348623157e308", 1.7976931348623157e308),
        (b"9" * 308, int("9" * 308)),
        (b"-" + b"9" * 308, -int("9" * 308)),
        (b"[" + b"9" * 308 + b', "\\ud83d\\ude00"]', [int("9" * 308), "\U0001f600"]),
        (b"0." + b"1" * 5000, 0.1111111111111111),
        (b'"a\\u00e9\\n\\/\\""', 'aé\n/"'),
        ('"é任\U0001f600\x7f\u2028"'.encode(), "é任\U0001f600\x7f\u2028"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"\\uD83D\\uDE00 \\ud7ff \\ue000"', "\U0001f600 \ud7ff \ue000"),
        (b'"\\\\ud800"', "\\ud800"),
        (b'{"a": {"a": 1}, "A": [{"a": 2}]}', {"a": {"a": 1}, "A": [{"a": 2}]}),
        (b'\r\n{\r\n\t"a":\r\n1\r\n}\r\n', {"a": 1}),
        (codecs.BOM_UTF8 + b'{"a": 1}', {"a": 1}),
        (b'"\\u0000"', "\x00"),
    ],
)
def test_strict_json_is_parsed(data: bytes, value: object) -> None:
    assert parse(data) == value


@pytest.mark.parametrize(
    ("data", "line", "column", "message", "expected", "found"),
    [
        (b"", 1, 1, NOT_JSON, "a value", "the end of the file"),
        (codecs.BOM_UTF8, 1, 1, NOT_JSON, "a value", "the end of the file"),
        (b" \r\n\t", 2, 2, NOT_JSON, "a value", "the end of the file"),
        (b'{"a": 1', 1, 8, "an object goes on wrongly here", "a comma or }", "the end of the file"),
        (b"[1, 2", 1, 6, "an array goes on wrongly here", "a comma or ]", "the end of the file"),
        (b"[1 2]", 1, 4, "an array goes on wrongly here", "a comma or ]", "2"),
        (b"[1}", 1, 3, "an array goes on wrongly here", "a comma or ]", "}"),
        (b"{]", 1, 2, NOT_JSON, KEY, "]"),
        (b"[1,\n 2,\n]", 2, 3, "a comma stands after the last element", "no comma", ","),
        (b'{"a": 1,}', 1, 8, "a comma stands after the last element", "no comma", ","),
        (b"[,1]", 1, 2, NOT_JSON, "a value", ","),
        (b"[1,,2]", 1, 4, NOT_JSON, "a value", ","),
        (b"{'a': 1}", 1, 2, NOT_JSON, KEY, "'a'"),
        (b"{a: 1}", 1, 2, NOT_JSON, KEY, "a"),
        (b"{1: 1}", 1, 2, NOT_JSON, KEY, "1"),
        (b'{"a" 1}', 1, 6, "the key has no value", "a colon", "1"),
        (b'{"a":}', 1, 6, NOT_JSON, "a value", "}"),
        (b"['a']", 1, 2, NOT_JSON, "a value", "'a'"),
        (b"// c\n{}", 1, 1, NOT_JSON, "a value", "//"),
        (b"{} // c", 1, 4, "there is more after the end of the document", "nothing", "//"),
        (b"{/* c */}", 1, 2, NOT_JSON, KEY, "/*"),
        (b"# c\n{}", 1, 1, NOT_JSON, "a value", "#"),
        (b"{}{}", 1, 3, "there is more after the end of the document", "nothing", "{"),
        (b"```json\n{}\n```", 1, 1, NOT_JSON, "a value", "```json"),
        (b"True", 1, 1, NOT_JSON, "a value", "True"),
        (b"nul", 1, 1, NOT_JSON, "a value", "nul"),
        (b"01", 1, 1, NOT_JSON, "a value", "01"),
        (b"1.", 1, 1, NOT_JSON, "a value", "1."),
        (b".5", 1, 1, NOT_JSON, "a value", ".5"),
        (b"+1", 1, 1, NOT_JSON, "a value", "+1"),
        (b"0x1", 1, 1, NOT_JSON, "a value", "0x1"),
        (b"--1", 1, 1, NOT_JSON, "a value", "--1"),
        (b"1e", 1, 1, NOT_JSON, "a value", "1e"),
        ("\u0661".encode(), 1, 1, NOT_JSON, "a value", "\u0661"),
        (b"[1,\xc2\xa02]", 1, 4, NOT_JSON, "a value", "\\u{a0}"),
        (b'{"a": "b', 1, 7, BAD_STRING, CLOSING, '"'),
        (b'{"a": "b\nc"}', 1, 7, BAD_STRING, CLOSING, '"'),
        (b'["\t"]', 1, 2, BAD_STRING, CLOSING, '"'),
        (b'["\x00"]', 1, 2, BAD_STRING, CLOSING, '"'),
        (b'["a\\x"]', 1, 2, BAD_STRING, CLOSING, '"'),
        (b'["\\u12g4"]', 1, 2, BAD_STRING, CLOSING, '"'),
        (b'{"a\x01": 1}', 1, 2, BAD_STRING, CLOSING, '"'),
        (b"[NaN]", 1, 2, NO_NUMBER, "a finite number", "NaN"),
        (b"[-Infinity]", 1, 2, NO_NUMBER, "a finite number", "-Infinity"),
        (b"1e400", 1, 1, OUT_OF_RANGE, "a finite number", "1e400"),
        (b"[\n-1e400]", 2, 1, OUT_OF_RANGE, "a finite number", "-1e400"),
        (b"[" + b"1" * 309 + b"]", 1, 2, TOO_LONG, "at most 308 digits", "309 characters"),
        (b"[" + b"9" * 5000 + b"]", 1, 2, TOO_LONG, "at most 308 digits", "5000 characters"),
        (b'{"a": 1,\n "a": 1}', 2, 2, REPEATED, "each key once", '"a"'),
        (b'{"a": 1, "\\u0061": 2}', 1, 10, REPEATED, "each key once", '"a"'),
        (b'[{"b": {"": 1, "": 1}}]', 1, 16, REPEATED, "each key once", '""'),
        (b'["\\ud800"]', 1, 2, HALF, "whole characters", '"\\u{d800}"'),
        (b'["\\uDC00\\uD800"]', 1, 2, HALF, "whole characters", '"\\u{dc00}\\u{d800}"'),
        (b'{"\\ud83d": 1}', 1, 2, HALF, "whole characters", '"\\u{d83d}"'),
        (b'\n"\xff"', 2, 2, NOT_UTF8, "UTF-8", "the byte 0xff"),
        ('"é'.encode() + b'\xe9"', 1, 3, NOT_UTF8, "UTF-8", "the byte 0xe9"),
        (b'"\xed\xa0\x80"', 1, 2, NOT_UTF8, "UTF-8", "the byte 0xed"),
        (b'"\xc0\xaf"', 1, 2, NOT_UTF8, "UTF-8", "the byte 0xc0"),
        (codecs.BOM_UTF8 + b'"\xff"', 1, 2, NOT_UTF8, "UTF-8", "the byte 0xff"),
        (UTF16_TEXT.encode("utf-16"), 1, 1, NOT_UTF8, "UTF-8", LONG_FILE),
        (UTF16_TEXT.encode("utf-16-le"), 1, 1, NOT_UTF8, "UTF-8", LONG_FILE),
        (UTF16_TEXT.encode("utf-16-be"), 1, 1, NOT_UTF8, "UTF-8", LONG_FILE),
        (UTF16_TEXT.encode("utf-32"), 1, 1, NOT_UTF8, "UTF-8", LONG_FILE),
        (UTF16_TEXT.encode("utf-32-be"), 1, 1, NOT_UTF8, "UTF-8", LONG_FILE),
        (codecs.BOM_UTF16_BE + UTF16_TEXT.encode("utf-16-be"), 1, 1, NOT_UTF8, "UTF-8", LONG_FILE),
    ],
)
def test_what_is_not_strict_json_is_refused_in_one_line(
    *, data: bytes, line: int, column: int, message: str, expected: str, found: str
) -> None:
    assert refused(data) == [(line, column, sentence(message, expected, found))]


def test_every_finding_of_a_text_is_told_up_to_its_first_syntax_error() -> None:
    data = b'{"a": NaN,\n "a": 1e999,\n "b": "\\udfff",\n "c": Infinity\n "d": NaN}'

    assert refused(data) == [
        (1, 7, sentence(NO_NUMBER, "a finite number", "NaN")),
        (2, 2, sentence(REPEATED, "each key once", '"a"')),
        (2, 7, sentence(OUT_OF_RANGE, "a finite number", "1e999")),
        (3, 7, sentence(HALF, "whole characters", '"\\u{dfff}"')),
        (4, 7, sentence(NO_NUMBER, "a finite number", "Infinity")),
        (5, 2, sentence("an object goes on wrongly here", "a comma or }", '"')),
    ]


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_64_levels_are_accepted() -> None:
    assert parse(b"[" * 64 + b"]" * 64) == nested(64)


@pytest.mark.parametrize(
    ("data", "column"),
    [
        (b"[" * 65 + b"]" * 65, 65),
        (b"[" * 100_000 + b"]" * 100_000, 65),
        (b'{"a":' * 100_000, 321),
        (b"[" * 1_000_000, 65),
    ],
)
def test_deeper_nesting_is_refused_where_the_level_65_begins(data: bytes, column: int) -> None:
    assert refused(data) == [(1, column, "too deeply nested (expected at most 64 levels)")]


def test_20_000_elements_are_accepted() -> None:
    assert parse(b"[" + b"0," * 19_998 + b"0]") == [0] * 19_999
    assert parse(b"[" + b"[],\n" * 9_999 + b"0]") == [[]] * 9_999 + [0]


@pytest.mark.spec("8.3")
@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b"[" + b"0," * 20_000 + b"0]", 1, 40_001),
        (b"[" + b"[],\n" * 10_000 + b"0]", 10_000, 3),
        (b"[" + b"{}," * 500_000 + b"0]", 1, 30_001),
    ],
)
def test_more_elements_are_refused(data: bytes, line: int, column: int) -> None:
    assert refused(data) == [(line, column, "too many elements (expected at most 20000)")]


@pytest.mark.parametrize("text", ['"' + "[" * 100_000 + '"', '"' + ",{" * 50_000 + '"'])
def test_brackets_and_commas_inside_a_string_do_not_count(text: str) -> None:
    assert parse(text.encode()) == text[1:-1]


def test_a_string_with_an_escaped_quote_is_not_over_for_the_bounds() -> None:
    text = '\\"' + "[" * 100 + "\\\\"

    assert parse(f'["{text}"]'.encode()) == ['"' + "[" * 100 + "\\"]


def test_a_string_without_an_end_is_not_mistaken_for_nesting() -> None:
    data = b'["' + b"[" * 100_000

    assert refused(data) == [(1, 2, sentence(BAD_STRING, CLOSING, '"'))]


def test_text_is_decoded_without_its_byte_order_mark() -> None:
    assert text_of(codecs.BOM_UTF8 + "é\r\n".encode()) == "é\r\n"


def test_only_one_byte_order_mark_is_taken_away() -> None:
    data = codecs.BOM_UTF8 * 2 + b"{}"

    assert refused(data) == [(1, 1, sentence(NOT_JSON, "a value", "\\u{feff}"))]
