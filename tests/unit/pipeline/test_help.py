"""Arguments are explained at the terminal's width; a fault in them is one line."""

from __future__ import annotations

import pytest

from pipeline.terminal.arguments import Arguments

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
    assert err.endswith("; --help shows what is possible\n")


@pytest.mark.parametrize(("wanted", "width"), [("50", 48), ("80", 78), ("20", 38)])
def test_the_help_has_the_width_of_the_terminal_but_stays_readable(
    monkeypatch: pytest.MonkeyPatch, wanted: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", wanted)
    lines = [line for line in parser().format_help().splitlines() if line not in WORDS]

    assert max(map(len, lines)) <= width
    assert lines[-2:] == ["kept:", "  as  written"]
