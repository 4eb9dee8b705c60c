"""The threat model promises nothing that no test shows."""

from __future__ import annotations

import os
import re

import pytest

from pipeline.bootstrap import ROOT

HEADING = "## What is promised, and how it is tested\n"
PAGE = os.path.join(ROOT, "docs", "explanation", "threat-model.md")


def promises() -> list[list[str]]:
    with open(PAGE, encoding="utf-8") as file:
        section = file.read().partition(HEADING)[2].partition("\n## ")[0]
    table = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


@pytest.mark.parametrize("promise", promises(), ids=lambda promise: str(promise[0])[:40])
def test_a_promise_names_tests_that_are_there(promise: list[str]) -> None:
    _, mechanism, tests = promise
    named = re.findall(r"`(tests/[^`]+)`", tests)

    assert mechanism
    assert named
    for name in named:
        path, _, function = name.partition("::")
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            assert f"def {function or 'test_'}" in file.read(), name


def test_there_are_promises() -> None:
    assert len(promises()) > 15
