"""The scanner and Python's own parser agree on every text, and places are where they are said."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from pipeline.protocol.json_text import NotStrictJson, Places, Scan, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.protocol.problems import Path, Problem

CHARACTERS = st.characters(exclude_categories=["Cs"])
NUMBERS = ["0", "-0", "1.5", "1e400", "-1e999", "1E5", "-1e-7", "NaN", "Infinity", "-Infinity"]
WORDS = ["true", "false", "null", "01", "1.", ".5", "+1", "-a", "1e", "nul", "True", "NaNs", "1_0"]
ESCAPES = [r'"\ud800"', r'"\ud83d\ude00"', r'"\udc00\ud800"', r'"\u12"', r'"\x"', '"', "'a'"]
SCALARS = (
    st.sampled_from(NUMBERS + WORDS + ESCAPES)
    | st.text(CHARACTERS, max_size=5).map(json.dumps)
    | st.text(CHARACTERS, max_size=5).map(lambda text: f'"{text}"')
)
SPACES = st.text(" \t\n\r", max_size=2) | st.sampled_from(["\x0b", "\xa0", "\ufeff", "//\n"])
KEYS = st.sampled_from(['"a"', '"b"', r'"\u0061"', '""', "a", r'"\ud800"'])


@st.composite
def spaced(draw: st.DrawFn, text: st.SearchStrategy[str]) -> str:
    """Draw a text, rarely with space around it."""
    around = st.just("") if draw(st.integers(0, 3)) else SPACES
    return draw(around) + draw(text) + draw(around)


def containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    elements = st.lists(spaced(inner), max_size=4)
    member = st.builds("{}:{}".format, spaced(KEYS), spaced(inner))
    return elements.map(lambda texts: f"[{','.join(texts)}]") | st.lists(member, max_size=4).map(
        lambda texts: f"{{{','.join(texts)}}}"
    )


@st.composite
def mutated(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """Draw a text and replace, insert or take away a few characters."""
    text = draw(texts)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        new = draw(st.text('{}[]",:\\/0123456789.eE+-tfnulNaI \n\t\x00é', max_size=2))
        text = text[:at] + new + text[at + draw(st.integers(0, 2)) :]
    return text


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(CHARACTERS),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(CHARACTERS), inner),
    max_leaves=20,
)
WRITTEN = st.builds(
    json.dumps,
    VALUES,
    ensure_ascii=st.booleans(),
    indent=st.sampled_from([None, 0, 2, "\t"]),
    separators=st.sampled_from([(",", ":"), (", ", ": "), (" ,\r\n", " :\n")]),
)
TEXTS = mutated(st.recursive(SCALARS, containers, max_leaves=10) | WRITTEN)


def finite(digits: str) -> float:
    if math.isinf(float(digits)):
        raise ValueError(digits)
    return float(digits)


def refuse(name: str) -> float:
    raise ValueError(name)


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError
    json.dumps(pairs, ensure_ascii=False).encode()  # a lone surrogate is a ValueError here
    return dict(pairs)


def read_by_python(text: str) -> Any:
    """Return what Python's own parser makes of a text, the strict way; raise ValueError if not."""
    value = json.loads(text, object_pairs_hook=unique, parse_float=finite, parse_constant=refuse)
    json.dumps(value, ensure_ascii=False).encode()
    return value


@given(TEXTS)
def test_the_scanner_finds_a_problem_in_the_text_exactly_where_python_refuses_it(text: str) -> None:
    try:
        read_by_python(text)
        refused = False
    except ValueError:
        refused = True
    lines = text.split("\n")
    places = [(problem.line, problem.column) for problem in Scan(text).problems]

    assert bool(places) is refused
    assert places == sorted(places)
    assert all(1 <= column <= len(lines[line - 1]) + 1 for line, column in places)


@given(TEXTS.filter(lambda text: not text.startswith("\ufeff")))
def test_the_strict_parser_returns_what_python_reads_or_the_problems_of_the_scanner(
    text: str,
) -> None:
    problems = tuple(Scan(text).problems)
    value, message = parsed(text)

    assert message == problems or "\0" in text[:2]
    assert message or value == read_by_python(text)


def parsed(text: str) -> tuple[Any, tuple[Problem, ...]]:
    try:
        return parse(text.encode()), ()
    except NotStrictJson as error:
        return None, error.problems


def paths_of(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    if isinstance(value, (dict, list)):
        for key, element in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths_of(element, (*path, key))


@given(WRITTEN)
def test_the_text_at_a_noted_offset_is_the_value_of_its_path(text: str) -> None:
    values = dict(paths_of(json.loads(text)))
    read = json.JSONDecoder().raw_decode

    found = Places(text)

    assert {path: read(text, at)[0] for path, at in found.values.items()} == values
    assert {path: read(text, at)[0] for path, at in found.keys.items()} == {
        path: path[-1] for path in values if path and isinstance(path[-1], str)
    }
