"""A reading tells a noun from what describes it, and what is new from what is there."""

from __future__ import annotations

import pytest

from pipeline.classifying.reading import read


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("update the docs", True),
        ("update the docs for login", True),
        ("build a docs search engine", False),
    ],
)
def test_a_noun_before_a_noun_is_not_what_is_meant(text: str, *, head: bool) -> None:
    reading = read(text, "task")

    assert reading.is_head(reading.live_hits("document")[0]) is head


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("add retries to the queue", True),
        ("use the existing queue", True),
        ("add a queue", False),
        ("implement the queue", False),
    ],
)
def test_what_something_is_added_to_is_there(text: str, *, there: bool) -> None:
    reading = read(text, "task")

    assert reading.is_there(reading.live_hits("structure")[0]) is there


def test_a_link_of_something_is_only_a_part_of_it() -> None:
    reading = read("hide the SSO link", "task")

    assert reading.is_part(reading.live_hits("concept")[0])


def test_a_place_is_quoted_as_it_was_written() -> None:
    reading = read("Add OAuth2 login", "task")

    assert [reading.quote(hit) for hit in reading.live_hits("concept")] == ["OAuth2"]


def test_paths_and_identifiers_are_listed() -> None:
    reading = read("Rename `a` in src/b.py. Out of scope: c.py", "task")

    assert [word.spelled for word in reading.code_words()] == ["a", "src/b.py"]
