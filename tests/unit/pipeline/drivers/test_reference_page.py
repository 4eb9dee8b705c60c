"""The page about the drivers says what their tables say."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.bootstrap import ROOT
from pipeline.drivers.acp.permissions import COMMANDS, RULES
from pipeline.drivers.command import PLACEHOLDERS
from pipeline.drivers.profiles import FORGE_TOKENS, PROFILES
from pipeline.drivers.registry import DRIVERS

PAGE = Path(ROOT, "docs/reference/drivers.md").read_text("utf-8")
GUIDE = Path(ROOT, "docs/how-to/run-headless.md").read_text("utf-8")
CELLS = [[cell.strip() for cell in line.split("|")[1:-1]] for line in PAGE.splitlines()]


def code(text: str) -> str:
    """Return a text as the page shows it in a cell; nothing stays nothing."""
    return f"`{text}`" if text else ""


@pytest.mark.parametrize("name", PROFILES)
def test_every_client_has_its_row_and_its_section(name: str) -> None:
    row = PROFILES[name]
    shown = (row.name, " ".join(row.argv), row.mode, row.reading, row.dispatching)
    section = GUIDE.partition(f"--client {name}`")

    assert [code(each) for each in shown] in CELLS
    assert section[1] != ""
    assert f"`{row.definitions[0]}" in section[2].partition("\n## ")[0]


@pytest.mark.parametrize(
    "text", [*DRIVERS, *RULES, *FORGE_TOKENS, *(" ".join(words) for words in COMMANDS)]
)
def test_every_name_of_the_tables_is_on_the_page(text: str) -> None:
    assert f"`{text}`" in PAGE


def test_every_placeholder_has_its_row() -> None:
    assert [cells[0] for cells in CELLS if cells and cells[0].startswith("`{")] == [
        code(f"{{{name}}}") for name in PLACEHOLDERS
    ]
