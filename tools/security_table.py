"""The tables of the page on security: promises, peers as measured, this project's own corpus."""

from __future__ import annotations

import json
import os
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PEERS = "fixtures/peers/hostile.json"
CORPUS = "fixtures/hostile"
PROMISES = "tools/promises.json"  # each with the test that shows it


def peers_table(_: str = "") -> str:
    """Return the table of odd and hostile artifacts: five peers, and what the corpus proves here.

    Raises:
        KeyError: a row names no case of the corpus.
    """
    peers, cases = _read(PEERS), _cases()
    head = ["`plan.json` is", *peers["columns"], "here"]
    rows = [
        [row["input"], *row["peers"], _result(cases[row["case"]]["grade"])] for row in peers["rows"]
    ]
    return _table(head, rows)


def others_table(_: str = "") -> str:
    """Return the table of what befell other graders; raises `KeyError` as `peers_table`."""
    cases = _cases()
    rows = [
        [
            row["system"],
            f"{row['what']} ({row['source']})",
            row["here"],
            f"`{cases[row['case']]['name']}`",
        ]
        for row in _read(PEERS)["others"]
    ]
    return _table(["grader", "what happened", "here", "case"], rows)


def corpus_table(_: str = "") -> str:
    """Return how many cases each file of the corpus has."""
    names = sorted(os.listdir(os.path.join(ROOT, CORPUS)))
    files = [(name, _read(f"{CORPUS}/{name}")) for name in names]
    rows = [
        [
            f"[`{name}`](../../{CORPUS}/{name})",
            str(len(file["cases"])),
            file["about"].removesuffix("."),
        ]
        for name, file in files
    ]
    total = sum(len(file["cases"]) for _, file in files)
    return _table(["file", "cases", "what they are"], [*rows, ["all", str(total), ""]])


def promises_table(_: str = "") -> str:
    """Return what is promised and which test shows it; raises `KeyError` if a test is gone."""
    promises = _read(PROMISES)
    for test in promises.values():
        path, _, name = test.partition("::")
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            if f"def {name or 'test_'}" not in file.read():
                raise KeyError(test)
    rows = [[promise, f"`{test}`"] for promise, test in promises.items()]
    return _table(["promise", "shown by"], rows)


def _result(grade: list[str]) -> str:
    if grade[0] == "pass":
        return "accepted, as documented"
    return f"fails: {grade[2]}"


def _cases() -> dict[str, dict[str, Any]]:
    names = os.listdir(os.path.join(ROOT, CORPUS))
    return {case["name"]: case for name in names for case in _read(f"{CORPUS}/{name}")["cases"]}


def _read(path: str) -> dict[str, Any]:
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines
    )
