"""What a sketch keeps of a text and what it does not see."""

from __future__ import annotations

import json

import pytest

from verify.submissions import winnowing
from verify.submissions.winnowing import hashes_in, hashes_of, sketch_of, tokens_of, winnowed

SOURCE = b"""
export function total(notes) {
  let sum = 0;
  for (const note of notes) sum += note.size; // all of them
  return sum > 10 ? 'too many notes' : sum;
}
"""
REWRITTEN = b"""
/* my own work */
export function count( list ){
\tlet n=0
\tfor(const x of list) n+=x.length
\treturn n>10 ? `Too many  notes` : n }
"""


def tokens(name: str, text: bytes) -> list[str]:
    """Return the tokens of a file."""
    return list(tokens_of(name, text))


def test_t6_names_spacing_comments_and_quotes_are_not_seen() -> None:
    assert tokens("a.js", SOURCE) == tokens("b.js", REWRITTEN)
    assert tokens("a.js", SOURCE)[:8] == [
        "export",
        "function",
        "name",
        "(",
        "name",
        ")",
        "{",
        "let",
    ]
    assert sketch_of([("a.js", SOURCE)], frozenset()) == sketch_of(
        [("b.js", REWRITTEN)], frozenset()
    )
    assert tokens("a.py", b"x = 1  # why\n") == ["name", "=", "1"]


def test_t6_of_a_json_document_the_words_of_its_texts_count_in_any_layout() -> None:
    value = {"steps": [{"order": 1, "description": "Add the Route."}], "blockers": ["None, yet"]}
    texts = (json.dumps(value, indent=width).encode() for width in (None, 8))

    assert [tokens("plan.json", text) for text in texts] == [
        ["add", "the", "route", "none", "yet"]
    ] * 2
    assert tokens("plan.json", b'{"half": "Of it') == ["half", "of", "it"]


def test_t6_each_window_keeps_its_least_hash_so_a_common_run_is_always_found() -> None:
    assert winnowed([5, 9, 3, 8, 7, 6, 4]) == {3, 4}
    assert winnowed([5, 9]) == {5}
    assert winnowed([]) == set()

    run = [f"t{number}" for number in range(winnowing.RUN + winnowing.WINDOW - 1)]
    for before in range(9):
        around = [f"a{number}" for number in range(before)]

        assert winnowed(hashes_of([*around, *run])) & winnowed(hashes_of([*run, *around, "b"]))


def test_t6_what_the_course_hands_out_is_left_out() -> None:
    handed_out = frozenset(hashes_of(tokens("a.js", SOURCE)))

    assert sketch_of([("b.js", REWRITTEN)], handed_out) == b""
    assert len(hashes_in(sketch_of([("b.js", REWRITTEN + SOURCE * 2)], handed_out))) > 0


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe'\"`/*" * 9_000,
        b'"' + b"\\" * 200_000,
        b"/*" * 100_000,
        b"`" * 100_001,
        b"[" * 200_000,
        b"a " * 200_000,
    ],
    ids=["mixed", "backslashes", "comments", "templates", "deep", "long"],
)
def test_t6_a_hostile_text_has_a_bounded_sketch(data: bytes) -> None:
    for name in ("a.js", "a.json", "a.py"):
        made = sketch_of([(name, data)] * 3, frozenset())

        assert len(made) <= 4 * winnowing.MOST_HASHES


def test_t6_a_damaged_sketch_is_read_as_far_as_it_goes() -> None:
    assert list(hashes_in(b"\1\0\0\0\2\0")) == [1]
