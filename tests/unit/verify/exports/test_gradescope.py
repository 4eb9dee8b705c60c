"""The document for Gradescope is of its specification."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.unit.verify.exports.conftest import OVERRIDE, standing_of, whole
from verify.exports.gradescope import FORMAT, results

if TYPE_CHECKING:
    from pathlib import Path

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort


def test_the_whole_document_for_gradescope() -> None:
    assert results(standing_of("ada", "pffs", "p")) == json.loads(whole("gradescope.json"))


def test_what_was_not_graded_or_set_by_hand_is_explained() -> None:
    ungraded = results(standing_of("cyd", "pppp", "e"))
    overridden = results(standing_of("dan", "pfps", "p", override=OVERRIDE))

    assert "score" not in ungraded
    assert [test for test in ungraded["tests"] if "score" in test] == []
    assert ungraded["output"] == "expert/01: not graded: the grader failed, not the learner"
    assert overridden["score"] == 11.5
    assert overridden["output"] == (
        "expert/04: score set to 7.5 by Dr. Grace, 2026-11-01T10:00:00Z (the checks gave 2):"
        " late, but argued, well"
    )


def test_one_learner_may_be_one_file(sole: Cohort, tmp_path: Path, settings: Settings) -> None:
    path = tmp_path / "results.json"
    FORMAT.write(sole, str(path), settings)

    assert json.loads(path.read_text())["score"] == 6
