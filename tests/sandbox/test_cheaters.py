"""Work that was not done gets no full points once it is run, whatever it does instead."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from pipeline.jail import Limits
from tests.jails import needs_jail
from tests.stubs.solutions import taken_literally
from verify.course import catalog
from verify.grading.model import JAIL
from verify.learner.check import Request, answer_of
from verify.running import service
from verify.running.criteria import Place

if TYPE_CHECKING:
    from collections.abc import Callable

    Change = Callable[[Path, list[str]], object]

pytestmark = needs_jail
CHEATERS = sorted(Path(ROOT, "fixtures", "cheaters").glob("*.js"))
WORK = (
    *("foundation/02", "foundation/04", "practitioner/03"),
    *("practitioner/04", "expert/02", "expert/04"),
)


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch, installed: Path) -> None:
    monkeypatch.setattr(Place, "installed", str(installed / "node_modules"))
    monkeypatch.setattr(service, "STARTING", 3)
    monkeypatch.setattr(service, "ANSWERING", 1)
    limits = {"memory": 300 << 20, "processes": 64, "cpu_seconds": 3}
    monkeypatch.setattr(service, "LIMITS", Limits(**limits, temporary=32 << 20))


def outcomes(name: str, change: Change, copy: Path, run: str = JAIL) -> list[str]:
    """Return the outcomes of an exercise for a cheater's work, of its criteria only if run."""
    exercise = catalog.named(name)
    taken_literally(exercise, copy, change)
    words = Request(level=exercise.level, number=str(exercise.number), project=str(copy), run=run)
    return [verdict.outcome.value for _, verdict, _ in answer_of(words).results]


def serves(path: Path) -> Change:
    """Return the change that puts a cheater's service in the place of the work."""

    def change(sandbox: Path, changed: list[str]) -> None:
        del changed
        shutil.copy(sandbox / "src/server.js", sandbox / "src/solution.js")
        shutil.copy(path, sandbox / "src/server.js")

    return change


def fills(sandbox: Path, changed: list[str]) -> None:
    """Write the letter x to every changed file."""
    for path in changed:
        (sandbox / path).write_text("x", "utf-8")


def links(sandbox: Path, changed: list[str]) -> None:
    """Put links to a solution on the host in the place of every changed file."""
    host = sandbox.parents[1] / "host"
    for path in changed:
        (host / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.move(sandbox / path, host / path)
        (sandbox / path).symlink_to(host / path)


def removes(sandbox: Path, changed: list[str]) -> None:
    """Leave the artifacts only."""
    del changed
    shutil.rmtree(sandbox / "src")
    shutil.rmtree(sandbox / "test")


def empties(sandbox: Path, changed: list[str]) -> None:
    """Leave a comment, and nothing else, in every changed file."""
    for path in changed:
        (sandbox / path).write_text("// done\n", "utf-8")


OTHERS: dict[str, Change] = {each.__name__: each for each in (fills, links, removes, empties)}
QUICK = ("fills", "forges-tap", "links", "writes-results")
KINDS = {path.stem: serves(path) for path in CHEATERS} | OTHERS


def is_caught(found: list[str]) -> bool:
    """Return whether it has no full points, by its own fault and not by ours."""
    return "fail" in found and "error" not in found


@pytest.mark.parametrize("kind", QUICK)
def test_a_cheater_gets_no_full_points(tmp_path: Path, kind: str) -> None:
    refuse_full_points(kind, tmp_path / "copy")


@pytest.mark.slow
@pytest.mark.figure
def test_no_kind_of_cheater_gets_full_points(
    tmp_path: Path, how_many: Callable[[int, int], int]
) -> None:
    others = sorted(KINDS.keys() - set(QUICK))
    chosen = random.Random(30).sample(others, how_many(3, len(others)))  # noqa: S311  # a sample
    for kind in chosen:
        refuse_full_points(kind, tmp_path / kind)
    print(f"{len(chosen)} of {len(KINDS)} kinds of cheaters: 0 with full points")


def refuse_full_points(kind: str, copy: Path) -> None:
    found = outcomes("foundation/02", KINDS[kind], copy)

    assert found[:8] == ["pass"] * 8 or kind in OTHERS, kind  # without --run it would be enough
    assert is_caught(found[8:]), kind


@pytest.mark.slow
@pytest.mark.figure
@pytest.mark.parametrize("name", WORK)
def test_filler_passes_no_exercise_that_asks_for_work(tmp_path: Path, name: str) -> None:
    asked = outcomes(name, fills, tmp_path / "copy")
    unasked = outcomes(name, fills, tmp_path / "again", run="")

    assert is_caught(asked)
    assert "not checked" in unasked


@pytest.mark.slow
@pytest.mark.figure
def test_cheaters_times_exercises(tmp_path: Path, how_many: Callable[[int, int], int]) -> None:
    pairs = [(kind, name) for kind in KINDS for name in WORK]
    chosen = random.Random(7).sample(pairs, how_many(3, len(pairs)))  # noqa: S311  # a sample
    full = [
        pair
        for number, pair in enumerate(chosen)
        if not is_caught(outcomes(pair[1], KINDS[pair[0]], tmp_path / str(number)))
    ]

    print(f"{len(chosen)} of {len(pairs)} cheaters x exercises: {len(full)} with full points")
    assert full == []
