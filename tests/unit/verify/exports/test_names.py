"""Learners' files have names that are safe, and different everywhere."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.exports.names import name_of


@pytest.mark.parametrize("key", ["ada", "s1234567", "ada-lovelace_2"])
def test_a_plain_key_is_its_own_name(key: str) -> None:
    assert name_of(key) == key


@pytest.mark.parametrize(
    ("key", "begins"),
    [
        ("ADA", "ada."),
        ("Ada Lovelace", "ada-lovelace."),
        ("ada@example.org", "ada-example-org."),
        ("../../etc/passwd", "etc-passwd."),
        ("con", "con."),
        ("", "learner."),
        ("\0", "learner."),
        ("caf\udce9", "caf."),
        ("x" * 300, "x" * 40 + "."),
    ],
)
def test_any_other_key_gets_a_digest(key: str, begins: str) -> None:
    assert re.fullmatch(re.escape(begins) + "[0-9a-f]{16}", name_of(key))


@settings(deadline=None)
@given(st.lists(st.text(st.characters(), max_size=12), unique=True, max_size=8))
def test_different_keys_have_names_that_differ_on_every_file_system(keys: list[str]) -> None:
    names = {unicodedata.normalize("NFC", name_of(key)).casefold() for key in keys}

    assert len(names) == len(keys)
    assert all(re.fullmatch(r"[a-z0-9_.-]+", name) for name in names)


def test_keys_that_differ_in_case_or_composition_only_have_different_names() -> None:
    names = {name_of(key).casefold() for key in ("ada", "Ada", "ADA", "\u00e9", "e\u0301")}

    assert len(names) == 5
