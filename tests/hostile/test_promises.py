"""The page about security promises nothing that no test shows."""

from __future__ import annotations

import os
import re

from pipeline.bootstrap import ROOT

HEADING = "## What is promised, and how it is tested\n"
PAGE = os.path.join(ROOT, "docs", "explanation", "security.md")


def promises() -> list[list[str]]:
    with open(PAGE, encoding="utf-8") as file:
        section = file.read().partition(HEADING)[2].partition("\n## ")[0]
    table = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def test_each_promise_names_tests_that_are_there() -> None:
    lacking = []
    for promise, tests in promises():
        named = re.findall(r"`(tests/[^`]+)`", tests)
        lacking += [] if named else [promise]
        for name in named:
            path, _, function = name.partition("::")
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                lacking += [] if f"def {function or 'test_'}" in file.read() else [name]

    assert lacking == []
    assert len(promises()) > 15
