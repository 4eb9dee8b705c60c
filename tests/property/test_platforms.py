"""A realistic collection of every platform: each entry is its learner's, or a person decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.stubs.platforms import MAKERS
from verify.commands.entries import ledger_of
from verify.intake.roster import read_roster

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.stubs.platforms import Made

    Make = Callable[[Callable[[int], bytes]], Made]

CERTAIN = {"graded", "part", "older attempt", "duplicate"}


def owners(collection: str, roster: str) -> dict[str, str]:
    """Return whose each entry is that is certain."""
    ledger = ledger_of([collection], read_roster(roster), "", None)
    try:
        for _ in ledger.submissions(lambda found: [one.inner for one in found]):
            pass
        return {row.name: row.learner for row in ledger.rows() if row.disposition in CERTAIN}
    finally:
        ledger.close()


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: str(make.__name__))
def test_t7_each_entry_of_a_platform_is_its_learners_or_a_person_decides(
    make: Make, tmp_path: Path
) -> None:
    made = make(lambda at: b"%d" % at)
    (tmp_path / "roster.csv").write_text(made.roster, "utf-8")
    found = owners(made.as_folder(str(tmp_path)), str(tmp_path / "roster.csv"))
    zipped = owners(made.as_zip(str(tmp_path)), str(tmp_path / "roster.csv"))
    held = {name: key for name, key in made.truth.items() if key}

    assert found == zipped
    assert {name: key for name, key in found.items() if key != made.truth[name]} == {}
    assert len(held) >= 22
    assert len(found) >= 0.95 * len(held)
