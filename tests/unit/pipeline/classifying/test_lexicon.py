"""The lexicon finds whole words, words by their beginning, and words apart."""

from __future__ import annotations

import json

import pytest

from pipeline.classifying.lexicon import SOURCE, lexicon, words_in
from pipeline.classifying.words import words_of


def found(text: str, group: str) -> list[str]:
    words = words_of(text)
    return [
        " ".join(word.text for word in words[hit.first : hit.end])
        for hit in lexicon().hits(words)
        if hit.group == group
    ]


@pytest.mark.parametrize(
    ("text", "group", "expected"),
    [
        ("a typo here", "obvious", ["typo"]),
        ("a typology", "obvious", []),
        ("Authenticated users", "access control", ["authenticated"]),
        ("replace all the old calls with new ones", "mechanical edit", ["replace all"]),
        ("Run the formatter", "mechanical edit", ["run the formatter"]),
        ("run it. The formatter", "mechanical edit", []),
        ("real-time", "concurrency", ["real time"]),
        ("swap the old logo", "obvious edit", ["swap the old logo"]),
        ("swap one two three four five six seven logo", "obvious edit", []),
    ],
)
def test_phrases_are_found(text: str, group: str, expected: list[str]) -> None:
    assert [each for each in found(text, group) if each in expected or not expected] == expected


def test_every_entry_of_the_file_can_be_found() -> None:
    with open(SOURCE, encoding="utf-8") as file:  # the path that the module names
        groups: dict[str, list[str]] = json.load(file)
    wrong = [
        (group, entry)
        for group, entries in groups.items()
        for entry in entries
        if not group.startswith("words: ")
        and not found(entry.replace("*", "").replace(" ... ", " "), group)
    ]

    assert wrong == []


def test_stars_stand_behind_four_letters_or_more() -> None:
    with open(SOURCE, encoding="utf-8") as file:  # the path that the module names
        groups: dict[str, list[str]] = json.load(file)
    short = [e for entries in groups.values() for e in entries if 0 < e.split()[0].find("*") < 4]

    assert short == []


def test_no_entry_stands_twice_in_its_group() -> None:
    with open(SOURCE, encoding="utf-8") as file:  # the path that the module names
        groups: dict[str, list[str]] = json.load(file)

    assert {g: sorted({e for e in es if es.count(e) > 1}) for g, es in groups.items()} == {
        g: [] for g in groups
    }


def test_plain_words_are_read_as_a_set() -> None:
    assert "src" in words_in("holders of parts")
