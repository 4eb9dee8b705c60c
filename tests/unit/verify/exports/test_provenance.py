"""The level of provenance stands beside an outcome where somebody asked for it."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

from verify.exports import feedback, json_file, long_csv, wide_csv

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import Standing


def test_a_level_is_told_in_tables_json_and_feedback(
    cohort_of: Callable[..., Cohort],
    standing_of: Callable[..., Standing],
    settings: Settings,
    tmp_path: Path,
) -> None:
    standing = standing_of("bob")
    trace, classify = standing.marks
    traced = standing._replace(marks=(trace._replace(provenance="L1"), classify))
    cohort = cohort_of(traced)
    for export, name in ((long_csv, "long"), (wide_csv, "wide"), (json_file, "json")):
        export.write(cohort, str(tmp_path / name), settings)
    with open(tmp_path / "long", encoding="utf-8", newline="") as file:
        long = {(row["exercise"], row["provenance"]) for row in csv.DictReader(file)}
    with open(tmp_path / "wide", encoding="utf-8", newline="") as file:
        (wide,) = csv.DictReader(file)
    (told,) = json.loads((tmp_path / "json").read_text("ascii"))["standings"]
    line = "Provenance of the artifacts: L1. It changes no score."

    assert long == {("expert/04", "L1"), ("expert/01", "")}
    assert (wide["expert/04 provenance"], wide["expert/01 provenance"]) == ("L1", "")
    assert [mark["provenance"] for mark in told["marks"]] == ["L1", None]
    assert feedback.page([traced]).splitlines().count(line) == 1
    assert feedback.page([standing]).splitlines().count(line) == 0
