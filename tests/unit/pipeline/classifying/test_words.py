"""A text becomes words with their sentences and clauses; code blocks and what is left out go."""

from __future__ import annotations

import pytest

from pipeline.classifying.words import LIMIT, words_of


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


def test_a_wrapped_line_goes_on_and_a_list_item_begins_anew() -> None:
    one, two = words_of("one\ntwo"), words_of("- one\n- two")

    assert one[0].sentence == one[1].sentence
    assert two[0].sentence != two[1].sentence


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("UserManager", True),
        ("user_id", True),
        ("src/a/b", True),
        ("README.md", True),
        ("--help", True),
        ("parse()", False),  # brackets end a word: the name is like any other
        ("create/update", False),
        ("README", False),
        ("word", False),
    ],
)
def test_paths_and_identifiers_are_code(word: str, *, code: bool) -> None:
    assert words_of(word)[0].code is code


def test_only_so_much_of_a_text_is_read() -> None:
    assert len(words_of("a " * LIMIT)) == LIMIT // 2
