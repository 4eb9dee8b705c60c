"""The page of the command lines leaves no command out."""

from __future__ import annotations

import re

import pytest

from tools.references import COMMANDS, commands_page


@pytest.fixture(scope="module")
def page() -> str:
    return commands_page()


def commands_in(section: str) -> list[str]:
    """Return the names that a console script's help lists."""
    listed = section.partition("positional arguments:")[2].partition("options:")[0]
    return re.findall(r"^    ([a-z-]+) ", listed, re.MULTILINE)


def test_every_command_of_the_pipeline_has_its_help_on_the_page(page: str) -> None:
    form = re.compile(r"^## ([^\n]+)\n\n```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    sections = dict(form.findall(page))
    names = commands_in(sections["pipeline"])

    assert list(sections) == list(COMMANDS)
    assert names == ["run", "status", "classify", "agents", "witness", "doctor"]
    groups = {"pipeline agents", "pipeline witness"}
    assert {f"pipeline {name}" for name in names} - groups <= sections.keys()
    within = {"pipeline agents export", "pipeline agents lint", "pipeline witness keygen"}
    assert within <= sections.keys()


def test_a_help_is_as_wide_as_the_page_shows_it(page: str) -> None:
    usages = re.findall(r"^usage: .*?\n\n", page, re.MULTILINE | re.DOTALL)

    assert len(usages) == len(COMMANDS)
    assert [line for usage in usages for line in usage.splitlines() if len(line) > 88] == []
