"""Tests of the failing place in an artifact."""

from __future__ import annotations

from tests.unit.verify.report.conftest import FINDING
from verify.report.excerpts import Line, lines_of


def test_the_value_at_the_place_is_marked_in_its_line() -> None:
    assert lines_of(FINDING) == [
        Line(2, "  {", "", "", failing=False),
        Line(3, '  "a": 1,', "", "", failing=False),
        Line(4, '  "order": ', "true", ",", failing=True),
        Line(5, "  }", "", "", failing=False),
    ]


def test_a_string_is_marked_whole_even_where_it_never_ends() -> None:
    whole = FINDING._replace(line=1, column=3, excerpt='  "a \\" b", 1')
    open_ended = whole._replace(excerpt='  "a b, 1')

    assert lines_of(whole)[0].marked == '"a \\" b"'
    assert lines_of(open_ended)[0].marked == '"a b, 1'


def test_a_finding_about_the_file_as_a_whole_has_no_lines() -> None:
    assert lines_of(FINDING._replace(line=0)) == []
    assert lines_of(FINDING._replace(excerpt="")) == []


def test_a_column_beyond_the_line_marks_nothing() -> None:
    line = lines_of(FINDING._replace(line=1, column=99, excerpt="abc"))[0]

    assert line == Line(1, "abc", "", "", failing=True)


def test_a_line_of_a_megabyte_is_cut_around_the_place() -> None:
    text = "x " * 250_000 + '"here"' + " y" * 250_000
    line = lines_of(FINDING._replace(line=1, column=500_001, excerpt=text))[0]

    assert line.marked == '"here"'
    assert len(line.before + line.after) <= 205
    assert line.before.startswith("…")


def test_a_marked_value_of_a_megabyte_is_cut_too() -> None:
    line = lines_of(FINDING._replace(line=1, column=1, excerpt='"' + "x" * 1_000_000))[0]

    assert len(line.marked + line.after) <= 201


def test_tabs_are_wide_and_what_could_reorder_the_line_is_shown() -> None:
    line = lines_of(FINDING._replace(line=1, column=2, excerpt="\t\u202etrue\r"))[0]

    assert (line.before, line.marked + line.after) == ("    ", "\\u{202e}true")


def test_an_excerpt_of_very_many_lines_is_cut() -> None:
    assert len(lines_of(FINDING._replace(excerpt="a\n" * 99))) == 12
