"""Work that was not done gets no full points once it is run, whatever it does instead."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.jails import needs_jail
from verify.cli import main
from verify.course import catalog
from verify.grading.ways import JAIL
from verify.learner.check import answer_of
from verify.learner.request import GradingRequest
from verify.running.criteria import Place
from verify.selftest import cheaters
from verify.selftest.cheaters import UndoneWork, kinds, submit, tried
from verify.selftest.shipped import the_course

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = needs_jail
WORK = (
    *("foundation/02", "foundation/04", "practitioner/03"),
    *("practitioner/04", "expert/02", "expert/04"),
)


@pytest.fixture(autouse=True)
def _with_packages(monkeypatch: pytest.MonkeyPatch, installed: Path) -> None:
    monkeypatch.setattr(Place, "installed", str(installed / "node_modules"))


def outcomes(name: str, kind: str, copy: Path, run: str = JAIL) -> list[str]:
    """Return the outcomes of an exercise for a cheater's work, of its criteria only if run."""
    exercise = catalog.named(name)
    submit(exercise, str(copy), kinds()[kind])
    words = GradingRequest(
        level=exercise.level, number=str(exercise.number), project=str(copy), run=run
    )
    return [verdict.outcome.value for _, verdict, _ in answer_of(words).results]


def test_there_are_at_least_thirty_kinds_and_six_exercises_that_ask_for_work() -> None:
    asked = [exercise.name for exercise in the_course().exercises if exercise.asks]

    assert asked == list(WORK)
    assert len(kinds()) >= 30


def test_the_page_on_what_a_pass_proves_names_each_kind() -> None:
    page = Path(ROOT, "docs/explanation/what-a-pass-proves.md").read_text("utf-8")

    assert [kind for kind in kinds() if f"`{kind}`" not in page] == []


@pytest.mark.parametrize("kind", ["forges-tap", "echoes-requests", "back-dated-filler"])
def test_a_cheater_that_passes_every_other_check_gets_no_full_points(
    tmp_path: Path, kind: str
) -> None:
    found = outcomes("foundation/02", kind, tmp_path / "copy")

    assert found[:8] == ["pass"] * 8  # without --run it would be enough
    assert "fail" in found[8:]
    assert "error" not in found


def test_filler_is_seen_only_if_it_is_run_and_without_that_the_criteria_are_not_checked(
    tmp_path: Path,
) -> None:
    found = outcomes("foundation/02", "filler", tmp_path / "copy", run="")

    assert found == ["pass"] * 8 + ["not checked"] * 4


def test_the_self_test_names_a_cheater_that_gets_full_points(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def honest(work: UndoneWork) -> None:
        """Do the work."""

    monkeypatch.setattr(cheaters, "kinds", lambda _: {"honest": honest})
    code = main(["self-test", "--exercise", "foundation/02"])
    said = capsys.readouterr()

    assert code == 1
    assert "\ncheaters: foundation/02 honest\n  a cheater gets full points\n" in said.out
    assert said.err.startswith("verify: 1 of 1 cheaters were run: 1 with full points\n")


def test_a_machine_without_a_jail_says_that_no_cheater_was_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("verify.running.criteria.missing", lambda: "no jail here")

    assert tried(the_course(), is_whole=False) == "no jail here"


def test_a_course_without_cheaters_has_none_to_run(tmp_path: Path) -> None:
    assert tried(replace(the_course(), root=str(tmp_path)), is_whole=True) == (0, 0, ())


@pytest.mark.slow
@pytest.mark.figure
def test_no_kind_of_cheater_gets_full_points_in_an_exercise_that_asks_for_work(
    how_many: Callable[[int, int], int],
) -> None:
    found = tried(the_course(), is_whole=how_many(0, 1) == 1)

    assert not isinstance(found, str)
    print(f"{found.tried} of {found.there} cheaters x exercises: {len(found.defects)} full points")
    assert found.defects == ()
