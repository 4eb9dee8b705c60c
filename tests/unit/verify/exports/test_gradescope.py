"""Gradescope's documents follow the rules that its specification of results.json publishes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.unit.verify.exports.conftest import OVERRIDE, standing_of, whole
from verify.exports.base import UnusableExport
from verify.exports.gradescope import results, write

if TYPE_CHECKING:
    from pathlib import Path

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort


def test_the_whole_document() -> None:
    assert results(standing_of("ada", "pffs", "p")) == json.loads(whole("gradescope.json"))


def test_what_was_not_graded_or_set_by_hand_is_explained() -> None:
    ungraded = results(standing_of("cyd", "pppp", "e"))
    overridden = results(standing_of("dan", "pfps", "p", override=OVERRIDE))

    assert "score" not in ungraded
    assert [test for test in ungraded["tests"] if "score" in test] == []
    assert ungraded["output"] == "expert/01: not graded: grading itself failed, which is our fault"
    assert overridden["score"] == 11.5
    assert overridden["output"] == (
        "expert/04: score set to 7.5 by Dr. Grace, 2026-11-01T10:00:00Z (checks gave 2):"
        " late, but argued, well"
    )


def test_one_learner_may_be_one_file_and_several_may_not(
    sole: Cohort, cohort: Cohort, tmp_path: Path, settings: Settings
) -> None:
    path = str(tmp_path / "results.json")

    assert write(sole, path, settings) == [path]
    assert json.loads((tmp_path / "results.json").read_text())["score"] == 6
    with pytest.raises(UnusableExport, match=r"results\.json is one file and takes one learner"):
        write(cohort, path, settings)
