"""What is to be exported is read from the command line, in its order, or refused at once."""

from __future__ import annotations

import pytest

from pipeline.help import Arguments
from verify.exports.options import add_exports
from verify.exports.registry import FORMATS


@pytest.fixture
def parser() -> Arguments:
    made = Arguments(prog="verify", usage="verify", description="-", epilog="")
    add_exports(made)
    return made


def test_exports_are_pairs_in_the_order_of_the_command_line(parser: Arguments) -> None:
    words = ["--html", "site", "--csv", "a.csv", "--github", "--csv", "b.csv", "--canvas-from", "c"]
    words += ["--assignment", "week-1/04= Evidence (77)", "--moodle-from", "m.csv"]

    assert parser.parse_args(words).exports == [
        ("html", "site"),
        ("csv", "a.csv"),
        ("github", ""),
        ("csv", "b.csv"),
        ("canvas-from", "c"),
        ("assignment", "week-1/04= Evidence (77)"),
        ("moodle-from", "m.csv"),
    ]


def test_nothing_is_exported_unless_it_is_asked_for_each_time(parser: Arguments) -> None:
    parser.parse_args(["--csv", "a.csv"])

    assert parser.parse_args([]).exports == []


def test_every_format_has_its_option(parser: Arguments) -> None:
    words = [f"--{name}" for name in FORMATS if name != "github"]
    given = parser.parse_args([each for word in words for each in (word, "x")]).exports

    assert given == [(word[2:], "x") for word in words]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--csv", ""], "argument --csv: it is empty (expected a path)"),
        (
            ["--assignment", "expert/4=x\x1b"],
            "argument --assignment: expert/4=x\\u{1b} names no column (expected LEVEL/NN=TITLE",
        ),
        (["--assignment", "expert/04="], "argument --assignment: expert/04= names no column"),
    ],
)
def test_what_says_nothing_is_refused(
    parser: Arguments, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        parser.parse_args(words)

    assert ended.value.code == 2
    assert told in capsys.readouterr().err
