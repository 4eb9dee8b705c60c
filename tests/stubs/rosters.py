"""Rosters of a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.intake.roster import Roster, read_roster

if TYPE_CHECKING:
    from pathlib import Path


def roster_in(folder: Path, text: str) -> Roster:
    """Return a roster that is written to a folder and read from there."""
    path = folder / "roster.csv"
    path.write_text(text, encoding="utf-8")
    return read_roster(str(path))
