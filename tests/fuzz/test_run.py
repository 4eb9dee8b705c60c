"""The fuzzer tries every target, and a defect ends it with the bytes that show it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.fuzz import run
from tests.stubs.hostile import targets, witnessed

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("runs", [50, pytest.param(1000, marks=pytest.mark.slow)])
def test_every_target_is_tried_from_a_seed(capsys: pytest.CaptureFixture[str], runs: int) -> None:
    code = run.main(["all", "--runs", str(runs), "--seed", "1"])
    told = re.findall(rf"^(\S+): {runs:,} runs in ", capsys.readouterr().out, re.MULTILINE)

    assert code == 0
    assert told == [*targets.TARGETS, *witnessed.TARGETS]


def test_a_defect_ends_the_run_and_keeps_the_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tried: list[bytes] = []

    def broken(data: bytes) -> str:
        tried.append(data)
        if len(tried) == 3:
            raise LookupError
        return "sound"

    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(targets.TARGETS, "roster", broken)
    with pytest.raises(LookupError):
        run.main(["roster", "--runs", "20", "--seed", "1"])

    assert "roster: run 2 with --seed 1: " in capsys.readouterr().err
    assert (tmp_path / "fuzz-roster.bin").read_bytes() == tried[-1]


def test_a_seed_makes_the_same_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[bytes] = []

    def noted(data: bytes) -> str:
        tried.append(data)
        return "sound"

    monkeypatch.setitem(targets.TARGETS, "roster", noted)
    for _ in range(2):
        run.main(["roster", "--runs", "10", "--seed", "3"])

    assert tried[:10] == tried[10:]
