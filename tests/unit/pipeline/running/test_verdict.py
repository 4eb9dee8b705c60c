"""The verdict stands at the start of a line of the reviewer's answer."""

from __future__ import annotations

import pytest

from pipeline.running.verdict import first_finding, lines_of, verdict_of


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("approved", "approved"),
        ("**Approved**\n\nNothing to add.", "approved"),
        ("The reviewer says:\n\n> changes needed\nsrc/a.js:1: wrong", "changes needed"),
        ("`blocked`\nno plan", "blocked"),
        ("changes needed\napproved by nobody", "changes needed"),
        ("Not approved: src/a.js:1 is wrong", ""),
        ("I approved of it", ""),
        ("", ""),
        ("approvedly", ""),
    ],
)
def test_a_verdict_is_read_from_an_answer(reply: str, verdict: str) -> None:
    assert verdict_of(reply) == verdict


def test_a_verdict_far_below_is_not_looked_for() -> None:
    assert verdict_of("chatter\n" * 50 + "approved") == ""


def test_an_answer_is_shown_safely_and_cut() -> None:
    answer = "changes needed\n\nsrc/a.js:1: \x1b[31mwrong\n" + "more\n" * 100

    assert lines_of(answer)[:2] == ["changes needed", "src/a.js:1: \\u{1b}[31mwrong"]
    assert len(lines_of(answer)) < 25
    assert first_finding(answer) == "src/a.js:1: \\u{1b}[31mwrong"


def test_a_verdict_alone_is_its_own_finding() -> None:
    assert first_finding("changes needed\n") == "changes needed"
