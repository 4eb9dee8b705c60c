"""A text becomes words with their sentences and clauses; code blocks and what is left out go."""

from __future__ import annotations

import json

import pytest

from pipeline.classifying.lexicon import SOURCE, lexicon
from pipeline.classifying.scope import live_words
from pipeline.classifying.words import words_of


def texts(text: str) -> list[str]:
    return [word.text for word in words_of(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Real-time chat", ["real", "time", "chat"]),
        ("Don’t touch it", ["don't", "touch", "it"]),  # noqa: RUF001  # as people type it
        ("create/update notes", ["create", "update", "notes"]),
        ("see `src/app.js`.", ["see", "src/app.js"]),
        ("add .gitignore", ["add", ".gitignore"]),
        ("**Bold** _words_", ["bold", "words"]),
        ("ﬁx it", ["fix", "it"]),
        ("", []),
        ("before\n```\ncode here\n```\nafter", ["before", "after"]),
        (
            "# Title\n\nwords\n\n## Out of scope\n\nlogin\n\n## More\n\nend",
            ["title", "words", "more", "end"],
        ),
    ],
)
def test_a_text_becomes_words(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_sentences_and_clauses_are_numbered_and_their_first_word_is_marked() -> None:
    words = words_of("Fix it, e.g. here. Then go")

    assert [(w.text, w.opens) for w in words] == [
        ("fix", True),
        ("it", False),
        ("e.g", True),
        ("here", False),
        ("then", True),
        ("go", False),
    ]
    assert [w.sentence for w in words] == [words[0].sentence] * 4 + [words[4].sentence] * 2
    assert words[4].sentence > words[0].sentence


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("UserManager", True),
        ("src/a/b", True),
        ("README.md", True),
        ("parse()", False),
        ("create/update", False),
        ("word", False),
    ],
)
def test_paths_and_identifiers_are_code(word: str, *, code: bool) -> None:
    assert words_of(word)[0].code is code


@pytest.mark.parametrize(
    ("text", "live"),
    [
        ("add roles", "add roles"),
        ("Out of scope: roles, login. Add tags", "out add tags"),
        ("Does not touch roles, login or tokens", "does not"),
        ("It doesn't change roles but adds tags", "it doesn't but adds tags"),
        ("Login does not validate tokens", "login does not validate tokens"),
        ("no roles, add tags", "no add tags"),
        ("rather than roles", "rather"),
        ("roles and login are out of scope", "out"),
        ("add tags, roles unchanged", "add tags unchanged"),
    ],
)
def test_what_is_not_asked_for_is_told_apart(text: str, live: str) -> None:
    words = words_of(text)
    kept = [word.text for word, is_live in zip(words, live_words(words), strict=True) if is_live]

    assert " ".join(kept) == live


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


def test_no_entry_stands_twice_in_its_group() -> None:
    with open(SOURCE, encoding="utf-8") as file:  # the path that the module names
        groups: dict[str, list[str]] = json.load(file)

    assert {g: sorted({e for e in es if es.count(e) > 1}) for g, es in groups.items()} == {
        g: [] for g in groups
    }
