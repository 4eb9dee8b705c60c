"""The page of the command lines leaves no command out."""

from __future__ import annotations

import os
import re

from pipeline.bootstrap import ROOT
from tools.references import COMMANDS

FORM = re.compile(r"^## ([^\n]+)\n\n```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_command_has_its_help_on_the_page_as_wide_as_the_page_shows_it() -> None:
    with open(os.path.join(ROOT, "docs", "reference", "commands.md"), encoding="utf-8") as file:
        page = file.read()
    sections = dict(FORM.findall(page))
    listed = sections["pipeline"].partition("positional arguments:")[2].partition("options:")[0]
    names = re.findall(r"^    ([a-z-]+) ", listed, re.MULTILINE)
    usages = re.findall(r"^usage: .*?\n\n", page, re.MULTILINE | re.DOTALL)

    assert list(sections) == list(COMMANDS)
    assert names == ["run", "status", "classify", "agents", "witness", "doctor"]
    assert {f"pipeline {name}" for name in names if name not in ("agents", "witness")} <= {
        *sections
    }
    assert len(usages) == len(COMMANDS)
    assert [line for usage in usages for line in usage.splitlines() if len(line) > 88] == []
