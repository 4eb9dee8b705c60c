"""A term file is read whole, or refused in one line with the place of what is wrong."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from pipeline.terminal.fault import Fault
from verify.gradebook.term import EXAMPLE
from verify.gradebook.term_file import check_learners, kept_term, read_term

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
timezone = "Europe/Berlin"
[assignments.week-1]
exercises = ["foundation/01"]
collection = "week-1.zip"
due = 2026-10-05T23:59:00
[assignments.week-2]  # with week-1 in it
exercises = ["foundation"]
collection = ["a", "b"]
extensions = { "zoe@x.org" = 2026-10-08T23:59:00 }
due = 2026-10-05T23:59:00
[groups.homework]
assignments = ["week-1", "week-2"]
drop_lowest = 1
"""


def _refused(text: str | bytes, folder: Path) -> str:
    path = folder / "term.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(Fault) as refusal:
        read_term(str(path))
    (line,) = refusal.value.lines
    assert refusal.value.code == 2
    return line.removeprefix(f"{folder}{os.sep}")


DUE = "due = 2026-10-05T23:59:00"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            'exercises = ["foundation/01"]',
            'exercises = ["foundation/01"]\npints = 3',
            r"4:1: \$\.assignments\.week-1\.pints: unknown key \(did you mean points\?\).*",
        ),
        (
            DUE,
            'due = "tomorrow"',
            r"5:1: \$\.assignments\.week-1\.due: wrong value \(expected a date and.*",
        ),
        (DUE, "due = 2026-10-05", r"5:1: \$\.assignments\.week-1\.due: wrong value .*"),
        (DUE, "points = nan", r"5:1: \$\.assignments\.week-1\.points: wrong value .*"),
        (DUE, "weight = inf", r"5:1: \$\.assignments\.week-1\.weight: wrong value .*"),
        (DUE, "weight = nan", r"5:1: \$\.assignments\.week-1\.weight: wrong value .*"),
        (DUE, "points = 1e300", r"5:1: \$\.assignments\.week-1\.points: wrong value .*"),
        (DUE, f"points = {'9' * 5_000}", r"1?[0-9]+:[0-9]+: not TOML: Exceeds the limit .*"),
        (DUE, "points = true", r"5:1: \$\.assignments\.week-1\.points: wrong value .*"),
        (DUE, 'points = "5"', r"5:1: \$\.assignments\.week-1\.points: wrong value .*"),
        (DUE, "run = 1", r"5:1: \$\.assignments\.week-1\.run: wrong value .*"),
        (
            DUE,
            "due = 0001-01-01T00:00:00",
            r"5:1: \$\.assignments\.week-1\.due: this year is not likely \(expected 1901 to 8999\)",
        ),
        ("[assignments.week-2]", "[assignments.week-1]", r"6:20: not TOML: Cannot declare .*"),
        (
            "[assignments.week-2]",
            "[assignments.Week-1]",
            r"6:1: \$\.assignments\.Week-1: there is also week-1",
        ),
        (
            'timezone = "Europe/Berlin"',
            "",
            r"5:1: \$\.assignments\.week-1\.due: this time has no zone \(expected an offset .*",
        ),
        (
            '"Europe/Berlin"',
            '"Europe/Berlim"',
            r"1:1: \$\.timezone: there is no time zone Europe/Berlim .*",
        ),
        ('"Europe/Berlin"', '"../../etc/passwd"', r"1:1: \$\.timezone: there is no time zone .*"),
        (
            "2026-10-08",
            "2026-10-02",
            r'9:16: \$\.assignments\.week-2\.extensions\["zoe@x\.org"\]: this is before .*',
        ),
        (
            '["week-1", "week-2"]',
            '["week-1",\n "week-3"]',
            (
                r"13:2: \$\.groups\.homework\.assignments\[1\]: there is no assignment week-3"
                r" \(did you mean .*"
            ),
        ),
        (
            '["week-1", "week-2"]',
            '["week-1", "week-1"]',
            r"12:26: \$\.groups\.homework\.assignments\[1\]: week-1 is already in a group",
        ),
        (
            '["foundation/01"]',
            '["Foundation 1"]',
            r"3:14: \$\.assignments\.week-1\.exercises\[0\]: wrong value .*",
        ),
        ('["foundation/01"]', "[]", r"3:1: \$\.assignments\.week-1\.exercises: wrong value .*"),
        (
            'collection = "week-1.zip"\n',
            "",
            r"2:1: \$\.assignments\.week-1\.collection: the field is missing .*",
        ),
        ("[groups.homework]", "[groups.homework", r"11:17: not TOML: .*"),
        (GOOD, "", r"1:1: \$\.assignments: the field is missing .*"),
    ],
)
def test_t1_a_wrong_term_is_one_line_with_its_place(
    old: str, new: str, line: str, tmp_path: Path
) -> None:
    assert old in GOOD
    assert re.fullmatch(f"term\\.toml:{line}", _refused(GOOD.replace(old, new, 1), tmp_path))


def test_t1_what_is_no_text_or_too_large_is_one_line(tmp_path: Path) -> None:
    latin = GOOD.replace("# with", "# für").encode("latin-1")

    assert _refused(latin, tmp_path) == "term.toml:6:26: not UTF-8: save the file as UTF-8"
    assert (
        _refused(b"# " + b"x" * (50 << 20), tmp_path)
        == "term.toml: is larger than the limit of 1024 KiB"
    )
    assert _refused("x = " + "[" * 100_000, tmp_path).startswith("term.toml:1:1: not TOML: ")


def test_t1_what_a_gradebook_keeps_of_a_term_is_the_term(tmp_path: Path) -> None:
    path = tmp_path / "term.toml"
    path.write_text("\ufeff" + GOOD, encoding="utf-8")
    file = read_term(str(path))

    assert kept_term(file.document) == file.term
    assert list(file.term.assignments) == ["week-1", "week-2"]
    assert str(file.term.at(file.term.assignments["week-1"].due)) == "2026-10-05 23:59:00+02:00"


def test_t1_a_learner_who_is_not_on_the_roster_is_named_with_the_place(tmp_path: Path) -> None:
    path = tmp_path / "term.toml"
    path.write_text(GOOD, encoding="utf-8")
    file = read_term(str(path))
    check_learners(file, {"zoe@x.org", "abe"})
    with pytest.raises(Fault) as refusal:
        check_learners(file, {"zoe@y.org"})

    assert refusal.value.lines == (
        (
            f'{path}:9:16: $.assignments.week-2.extensions["zoe@x.org"]: the roster has no learner'
            " zoe@x.org (did you mean zoe@y.org?)"
        ),
    )


def test_t1_the_example_is_a_term() -> None:
    term = read_term(EXAMPLE).term

    assert [*term.assignments] == ["week-1", "week-2"]
    assert term.missing == "zero"
