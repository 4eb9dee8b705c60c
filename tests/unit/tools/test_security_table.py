"""The page on security says of this project what its corpus proves, and all of it is clear."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tools import security_table
from tools.security_table import corpus_table, peers_table

if TYPE_CHECKING:
    from pathlib import Path


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.split("\n")]


def test_nothing_that_peers_stumble_over_is_unclear_here() -> None:
    head, _, *inputs = rows(peers_table())

    assert head == [
        *("`plan.json` is", "check50", "gatorgrade", "gradescope-utils", "check-jsonschema"),
        *("rewardkit", "here"),
    ]
    assert len(inputs) == 19
    assert all(len(each) == 7 for each in inputs)
    told = [each[6] for each in inputs]
    assert [each for each in told if not each.startswith("fails: ")] == ["accepted, as documented"]


def test_all_cases_are_counted() -> None:
    *files, total = rows(corpus_table())[2:]

    assert sum(int(each[1]) for each in files) == int(total[1]) > 250


def test_a_row_without_a_case_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("fixtures/hostile", "fixtures/peers"):
        os.makedirs(tmp_path / folder)
    page = {"columns": [], "rows": [{"input": "x", "case": "nobody", "peers": []}]}
    (tmp_path / "fixtures/peers/hostile.json").write_text(json.dumps(page))
    monkeypatch.setattr(security_table, "ROOT", str(tmp_path))

    with pytest.raises(KeyError, match="nobody"):
        peers_table()
