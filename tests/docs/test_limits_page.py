"""The page of limits has the values that are in the code, all of them."""

from __future__ import annotations

import os
from importlib import import_module

import pytest

from pipeline.bootstrap import ROOT
from pipeline.limits import KNOWN, Limit, size_of

PAGE = os.path.join(ROOT, "docs", "reference", "limits.md")
# what is fixed, by its place in the code, and in which unit the page has it
FIXED = {
    "pipeline.agents.documents MAX_BYTES": "bytes",
    "pipeline.front_matter MAX_BYTES": "bytes",
    "pipeline.witness.statement MAX_ENVELOPE": "bytes",
    "verify.batch.bounds MEGABYTES": "MB",
    "verify.batch.bounds SECONDS": "seconds",
    "verify.history.branches MAX_BRANCHES": "",
    "verify.history.bundles MAX_INFLATED": "bytes",
    "verify.history.bundles MAX_OBJECTS": "",
    "verify.history.changes MAX_CHANGED": "",
    "verify.history.history MAX_COMMIT": "bytes",
    "verify.history.history MAX_COMMITS": "",
    "verify.history.history MAX_READ": "bytes",
    "verify.history.history MAX_STEPS": "",
    "verify.history.history MAX_TREES": "",
    "verify.history.packs MAX_OBJECT": "bytes",
    "verify.history.packs MAX_RECENT": "bytes",
    "verify.history.readers MAX_HELD": "bytes",
    "verify.history.repositories MAX_OPEN": "",
    "verify.history.repositories MAX_PACKS": "",
    "verify.history.work MAX_CALLED": "",
    "verify.own_course.effort MAX_STEPS": "",
    "verify.provenance.dispatches MAX_LINES": "",
    "verify.sources.archive_limits MAX_EXTENSION": "bytes",
    "verify.sources.archive_limits MAX_NAME": "",
    "verify.sources.csv_table MAX_COLUMNS": "",
    "verify.sources.csv_table MAX_IDENTITY": "",
    "verify.sources.csv_table MAX_TABLE": "bytes",
}


@pytest.fixture(scope="module")
def lines() -> list[str]:
    with open(PAGE, encoding="utf-8") as file:
        return file.read().splitlines()


def row_of(name: str, limit: Limit) -> str:
    value, least, most = (_value(each, limit.unit) for each in (limit.value, *limit[1:3]))
    return f"| `{name}` | {value} | {least} to {most} | {limit.bounds} | {_said(limit)} |"


def _value(number: int, unit: str) -> str:
    return size_of(number) if unit == "bytes" else f"{number:,}"


def _said(limit: Limit) -> str:
    return limit.said.replace("{}", "…")


def test_the_page_has_every_limit_that_can_be_set_as_it_is(lines: list[str]) -> None:
    rows = [line for line in lines if line.startswith("| `")]

    assert [row for row in rows if row.split("`")[1] in KNOWN] == [
        row_of(name, limit) for name, limit in KNOWN.items()
    ]


@pytest.mark.parametrize("place", FIXED)
def test_the_page_has_a_fixed_bound_as_it_is(lines: list[str], place: str) -> None:
    module, _, name = place.partition(" ")
    number = getattr(import_module(module), name)
    unit = FIXED[place]
    value = size_of(number) if unit == "bytes" else f"{number:,g}{f' {unit}' if unit else ''}"
    (row,) = [line for line in lines if line.endswith(f"| `{module}.{name}` |")]

    assert row.split(" | ")[1] == value
