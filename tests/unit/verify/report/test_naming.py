"""Tests of the names of the learners' pages."""

from __future__ import annotations

import re

import pytest

from verify.report.naming import page_name


def test_a_name_shows_the_key_and_never_changes() -> None:
    assert page_name("Ada Lovelace", "") == "ada-lovelace-badea342cc3d00f58cd0.html"


@pytest.mark.parametrize(
    "key",
    [
        "../../etc/passwd",
        "nul\x00nul",
        "x" * 300,
        "half-\udc80",
        "",
        "日本",
        "con",
        "a\nb",
        ".",
        "\\",
    ],
)
def test_any_key_becomes_a_plain_short_name(key: str) -> None:
    name = page_name(key, "")

    assert re.fullmatch(r"([a-z0-9]+-)*[0-9a-f]{20}\.html", name)
    assert len(name) < 60


def test_keys_that_a_file_system_may_take_for_one_have_two_pages() -> None:
    keys = ["ada", "ADA", "Ada", "ada ", "ada\x00", "\u00e9", "e\u0301"]

    assert len({page_name(key, "") for key in keys}) == len(keys)


def test_a_key_and_an_attempt_are_not_confused_with_a_longer_key() -> None:
    assert page_name("ab", "c") != page_name("a", "bc")
