"""Words give signals, each with the words that gave it."""

from __future__ import annotations

import pytest

from pipeline.classifying.reading import read
from pipeline.classifying.textual import evidence_of, renamed_symbol


def signals(text: str, issue: str = "") -> set[str]:
    others = [read(issue, "issue")] if issue else []
    return {each.signal for each in evidence_of(read(text, "task"), others)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rename Foo to Bar", {"purely mechanical"}),
        ("Rename the column `state`, with a migration", set()),
        ("Replace `foo()` everywhere with `bar()`", {"purely mechanical"}),
        ("Bump lodash to 4.17.21", {"obvious edit"}),
        ("Mark the RFC as accepted in docs/rfcs/12.md", {"documentation only"}),
        ("Make the button blue when it is pressed", set()),
        ("Users can log in twice", {"access control"}),
        ("Fix the race condition in the importer", {"concurrency"}),
        ("Write unit tests for the tax", {"tests wanted"}),
        ("Add CSV export, no tests", {"no tests"}),
    ],
)
def test_words_give_signals(text: str, expected: set[str]) -> None:
    assert signals(text) == expected


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("Rename `buildApp` to `createApp`", "buildApp"),
        ("Rename the class UserManager to AccountManager", "UserManager"),
        ("Rename the call foo_bar() everywhere", "foo_bar"),
        ("Rename the folder src/a to src/b", ""),
        ("Reformat everything", ""),
    ],
)
def test_a_renamed_symbol_is_found(text: str, symbol: str) -> None:
    reading = read(text, "task")

    assert renamed_symbol(reading, evidence_of(reading, [])) == symbol
