"""Arguments are explained at the terminal's width; a fault in them is one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.cli import main as pipeline
from pipeline.terminal.arguments import Arguments
from verify.cli import COMMANDS as VERIFY_COMMANDS
from verify.cli import main as verify

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = "one two three four five six seven eight nine ten eleven twelve"


def parser() -> Arguments:
    parser = Arguments(prog="tool", description=WORDS, epilog="kept:\n  as  written")
    parser.add_argument("--level", type=int, help=WORDS)
    return parser


@pytest.mark.parametrize("arguments", [["--level", "x"], ["--unknown"]])
def test_a_fault_is_one_line_and_exits_with_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        parser().parse_args(arguments)
    out, err = capsys.readouterr()

    assert (caught.value.code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("tool: ")
    assert err.endswith("; --help shows the usage\n")


@pytest.mark.parametrize(("wanted", "width"), [("50", 48), ("80", 78), ("20", 38)])
def test_the_help_has_the_width_of_the_terminal_but_stays_readable(
    monkeypatch: pytest.MonkeyPatch, wanted: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", wanted)
    lines = [line for line in parser().format_help().splitlines() if line not in WORDS]

    assert max(map(len, lines)) <= width
    assert lines[-2:] == ["kept:", "  as  written"]


SHORT = f"""\
usage: tool [options]

{WORDS}

options:
  -h, --help     show the common options and exit
  --level LEVEL  one two three four five six seven eight nine ten eleven
                 twelve

More: tool --help-all
"""


def long_parser() -> Arguments:
    found = parser()
    found.common = ("--level", "--help")
    for number in range(20):
        found.add_argument(f"--rare-{number}", metavar="X", help="rarely needed")
    return found


def test_help_that_is_too_long_has_the_common_options_and_says_where_all_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as caught:
        long_parser().parse_args(["--help"])

    assert (caught.value.code, capsys.readouterr().out) == (0, SHORT)


def test_all_options_are_shown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        long_parser().parse_args(["--help-all"])
    out = capsys.readouterr().out

    assert caught.value.code == 0
    assert out.count("rarely needed") == 20
    assert out.endswith("kept:\n  as  written\n")


VERIFY = [[], *([name] for name in VERIFY_COMMANDS)]
PIPELINE = [
    *([], ["run"], ["demo"], ["status"], ["classify"], ["doctor"], ["agents", "export"]),
    *(["agents", "lint"], ["witness", "keygen"]),
]


@pytest.mark.parametrize(
    ("main", "words"),
    [*((verify, words) for words in VERIFY), *((pipeline, words) for words in PIPELINE)],
)
def test_the_help_of_every_command_fits_a_terminal_of_80_by_24(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    main: Callable[[list[str]], int],
    words: list[str],
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main([*words, "--help"])
    out = capsys.readouterr().out

    assert sum(len(line) // 80 + 1 for line in out.splitlines()) <= 24
