"""The parts of a pull request around its summary: nothing in them acts, and nothing is lost."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from pipeline.git import Repository
from pipeline.run.request import described, folded
from tests.stubs.agents import Scripted, plan
from tests.stubs.repositories import user_repository

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.pipeline.run.conftest import Bench

HOSTILE = "cc @octocat```\n</details>\n@octocat Closes #1 <img src=x> ~~~ /merge \x1b[2J\u202e"


@pytest.mark.parametrize(
    ("name", "template", "text"),
    [
        ("", "", "BODY"),
        (".github/pull_request_template.md", "- [ ] tested", "BODY\n\n- [ ] tested"),
        ("docs/PULL_REQUEST_TEMPLATE.md", "# Summary\n\nx", "# Summary\n\nBODY\n\nx"),
        (".gitlab/merge_request_templates/Default.md", "<!-- all of it -->", "BODY"),
        (".github/PULL_REQUEST_TEMPLATE/one.md", "# Summary", "BODY"),
    ],
)
def test_the_text_comes_where_the_template_of_the_base_asks_for_it(
    tmp_path: Path, name: str, template: str, text: str
) -> None:
    user = user_repository(tmp_path)
    if name:
        user.commit(**{name: template})
        user.folder.joinpath(name).write_text("# Summary of a worker")

    assert described(Repository(str(tmp_path)), "refs/heads/main", "BODY\n") == text


def test_artifacts_are_folded_and_nothing_in_them_ends_the_block_or_acts(bench: Bench) -> None:
    os.makedirs(bench.folder)
    value = plan() | {"x": HOSTILE, "y": [HOSTILE], HOSTILE: ["a"] * 500}
    (bench.folder / "plan.json").write_text(json.dumps(value))
    text = folded(bench.about)

    tokens = MarkdownIt("commonmark").parse(text)
    assert [token.type for token in tokens] == ["html_block", "fence", "html_block"]
    assert text.count("</details>\n") == 0
    assert not re.search(r"(?:^|[^\w@])@\w", text)
    assert "Closes #1" not in text
    assert all(line.isprintable() for line in text.split("\n"))
    assert tokens[1].content.endswith("\n…\n")
    assert len(text.split("\n")) < 220


def test_an_artifact_that_is_missing_or_broken_is_left_out(bench: Bench) -> None:
    os.makedirs(bench.folder)
    (bench.folder / "plan.json").write_text("{")

    assert folded(bench.about) == ""


def test_the_forge_gets_what_the_user_wants_and_what_it_lacks_is_reported(bench: Bench) -> None:
    bench = bench._replace(about=replace(bench.about, closes="#7"))

    assert bench.run(Scripted(), draft=True, labels=["a"], reviewers=["b"]) == 0
    (change,) = bench.forge.opened.values()
    assert (change.draft, change.labels, change.reviewers) == (True, ["a"], ["b"])
    assert change.body.startswith("Closes #7\n\nThe worker's summary: ")
    assert change.description == f"{change.body}\n\n{change.artifacts}"
