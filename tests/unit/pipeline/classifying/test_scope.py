"""Negations and sentences of scope take words out of what is asked for."""

from __future__ import annotations

import pytest

from pipeline.classifying.scope import live_words
from pipeline.classifying.words import words_of


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
