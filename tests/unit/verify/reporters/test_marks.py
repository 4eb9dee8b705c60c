"""Outcomes are told apart by their words; symbols and colours only add to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.reporters.marks import Mark, mark_of, painted

if TYPE_CHECKING:
    from verify.reporters.base import Run


def marks(run: Run) -> list[Mark]:
    report = run.reports[0]
    return [mark_of(result, report) for result in report.results]


def test_an_advisory_check_that_failed_is_a_note(mixed_run: Run) -> None:
    assert marks(mixed_run) == [Mark.PASS, Mark.FAIL, Mark.SKIP, Mark.NOTE, Mark.ERROR]


def test_strict_grading_knows_no_notes(strict_run: Run) -> None:
    assert marks(strict_run) == [Mark.PASS, Mark.FAIL, Mark.SKIP, Mark.FAIL, Mark.ERROR]


def test_words_and_symbols_are_all_different() -> None:
    words = [mark.label(symbols=False) for mark in Mark]
    labels = [mark.label(symbols=True) for mark in Mark]

    assert words == ["pass", "FAIL", "skip", "note", "ERROR"]
    assert labels == ["✓ pass", "✗ FAIL", "· skip", "! note", "? ERROR"]


def test_a_text_is_painted_only_where_colour_is_wanted() -> None:
    assert painted("text", Mark.FAIL, colour=False) == "text"
    assert painted("text", Mark.FAIL, colour=True) == "\x1b[1;31mtext\x1b[0m"
