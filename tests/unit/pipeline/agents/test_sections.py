"""The pack's section is put into a file of instructions, and the rest of it stays the user's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.agents.sections import CLOSING, OPENING, merged, section
from pipeline.agents.source import Rule

WANTED = f"{OPENING}\nnew\n{CLOSING}\n"


def test_rules_stand_under_their_names_with_headings_one_level_lower() -> None:
    text = "# First things\n\nText\n\n```text\n# not a heading\n```\n\n## Inner\n"
    rules = [
        Rule(name="x-one", description="d", text=text),
        Rule(name="x-two", description="d", text="# Second\n"),
    ]

    assert section(rules) == (
        f"{OPENING}\n# Issue pipeline\n\n"
        "## x-one: First things\n\nText\n\n```text\n# not a heading\n```\n\n### Inner\n\n"
        f"## x-two: Second\n{CLOSING}\n"
    )


@pytest.mark.parametrize(
    ("existing", "expected"),
    [
        ("", WANTED),
        ("mine", f"mine\n\n{WANTED}"),
        ("mine\r\n", "mine\r\n\r\n" + WANTED.replace("\n", "\r\n")),
        (f"a\n{OPENING}\nold\nlines\n{CLOSING}\nb\n", f"a\n{WANTED}b\n"),
        (f"a\n{OPENING}\nold\n{CLOSING}", f"a\n{WANTED[:-1]}"),
        (WANTED.replace("\n", "\r\n"), WANTED.replace("\n", "\r\n")),
        (f"{OPENING}\nmine, never closed\n", f"{OPENING}\nmine, never closed\n\n{WANTED}"),
        (f"{CLOSING}\nmine\n", f"{CLOSING}\nmine\n\n{WANTED}"),
        (f"{OPENING}\nmine\n{OPENING}\nold\n{CLOSING}\n", f"{OPENING}\nmine\n{WANTED}"),
    ],
)
def test_only_the_section_is_changed(existing: str, expected: str) -> None:
    assert merged(existing, WANTED) == expected


LINES = st.lists(st.sampled_from(["a", "", OPENING, CLOSING, f" {OPENING}"])).map("\n".join)


@given(LINES)
def test_a_section_that_is_in_place_is_found_again(existing: str) -> None:
    once = merged(existing, WANTED)

    assert merged(once, WANTED) == once
