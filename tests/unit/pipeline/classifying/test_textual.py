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
        ("Rename Foo to Bar and add a test", {"tests wanted"}),
        ("Rename the column `state`, with a migration", set()),
        ("Replace `foo()` everywhere with `bar()`", {"purely mechanical"}),
        ("Fix typos throughout the app", {"purely mechanical", "obvious edit"}),
        ("Bump lodash to 4.17.21", {"obvious edit"}),
        ("Fix the broken link in the README", {"documentation only"}),
        ("Mark the RFC as accepted in docs/rfcs/12.md", {"documentation only"}),
        (
            "Ship a public API with docs",
            {"new abstractions"},
        ),
        ("Make the button 2px wider", {"obvious edit"}),
        ("Make the button blue when it is pressed", set()),
        ("Users can log in twice", {"access control"}),
        ("Fix the race condition in the importer", {"concurrency"}),
        ("Build a rule engine", {"new abstractions"}),
        ("Fix the rule engine", set()),
        ("Add a flag to the rule engine", set()),
        ("Plugin system for the exporter", {"new abstractions"}),
        ("The plugin system crashes", set()),
        ("Write unit tests for the tax", {"tests wanted"}),
        ("Add CSV export, no tests", {"no tests"}),
    ],
)
def test_words_give_signals(text: str, expected: set[str]) -> None:
    assert signals(text) == expected


def test_several_kinds_of_demands_at_once_are_new() -> None:
    assert "new abstractions" in signals("Guest rights on several devices")
    assert "new abstractions" not in signals("Guest rights on a device")
    assert "new abstractions" not in signals("Guest rights on several devices are wrong")


def test_a_secret_that_is_shown_is_no_small_deletion() -> None:
    assert "obvious edit" not in signals("GET /users returns passwords, strip them in users.py")
    assert "obvious edit" in signals("Strip the greeting in users.py")


def test_a_word_that_an_issue_says_once_is_no_signal() -> None:
    assert signals("Show totals", "The lock is slow. The deadlock.") == set()
    assert signals("Show totals", "A deadlock. Another deadlock.") == {"concurrency"}


def test_an_issue_that_asks_for_more_makes_an_edit_less_than_obvious() -> None:
    assert signals("Fix a typo", "Build a rule engine.") == {"new abstractions"}


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("Rename `buildApp` to `createApp`", "buildApp"),
        ("Rename the class UserManager to AccountManager", "UserManager"),
        ("Rename the call foo_bar() everywhere", "foo_bar"),
        ("Rename the folder src/a to src/b", ""),
        ("Rename ROUTING to ROUTES", "ROUTING"),
        ("Rename the folder to Assets", ""),
        ("Reformat everything", ""),
        ("Add UserManager", ""),
    ],
)
def test_a_renamed_symbol_is_found(text: str, symbol: str) -> None:
    reading = read(text, "task")

    assert renamed_symbol(reading, evidence_of(reading, [])) == symbol
