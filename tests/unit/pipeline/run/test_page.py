"""The page of a run shows what its files say, and lets none of their texts act."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from pipeline.cli import main
from pipeline.run.page import MARK, page_of
from pipeline.run.status import state_of
from tests.stubs.agents import Scripted, plan, put, result, write

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.drivers.base import Turn
    from tests.unit.pipeline.run.conftest import Bench

HOSTILE = '</pre><script>alert(1)</script><img src="//x" onerror=x> & \u202e \x1b[2J'
SHOWN = '</pre><script>alert(1)</script><img src="//x" onerror=x> & \\u{202e}'
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "q", "dl", "dt"),
    *("dd", "code", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "pre"),
    "blockquote",
}


class Tags(HTMLParser):
    """The names of a page's tags and attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


@pytest.fixture
def page(bench: Bench) -> str:
    """Return the page of a run whose agents write hostile texts wherever they can."""

    def plans(turn: Turn) -> None:
        steps = [{**step, "description": HOSTILE} for step in plan()["steps"]]
        write(turn, {**plan(), "steps": steps})

    def works(turn: Turn) -> None:
        for name in result()["files_changed"]:
            put(turn, f"app/{name}", f"// {HOSTILE.encode(errors='replace').decode()}\n")
        write(turn, {**result(), "summary": HOSTILE})

    driver = Scripted(plan=plans, implement=works, review=lambda _: f"approved\n\n{HOSTILE}")
    assert bench.run(driver, transcript=True) == 0, bench.stop
    state = state_of(str(bench.root / "app"), "ISSUE-7")
    return page_of(replace(state, stopped=HOSTILE, escalated=f"{HOSTILE}\ud800")).decode()


def test_u1_the_page_of_a_blocked_worker_begins_with_what_blocks_it(bench: Bench) -> None:
    def is_blocked(turn: Turn) -> None:
        write(turn, {**result(), "status": "blocked", "blockers": ["the route is taken", HOSTILE]})

    assert bench.run(Scripted(implement=is_blocked)) == 1
    top = page_of(state_of(str(bench.root / "app"), "ISSUE-7")).decode().partition("<h2>")[0]

    assert "<blockquote>the route is taken</blockquote>" in top
    assert Tags(top).tags <= TAGS


def test_i31_no_text_of_a_run_acts_in_its_page(page: str) -> None:
    tags = Tags(page)

    assert tags.tags <= TAGS
    assert tags.attributes <= {
        *("lang", "charset", "name", "content", "http-equiv", "class", "open", "scope"),
        "data-label",
    }
    assert "default-src 'none'" in page
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202a-\u202e]", page)


def test_i31_a_page_has_stages_artifacts_diff_tests_cost_prompts_and_answers(page: str) -> None:
    shown = unescape(re.sub("<[^>]+>", "", page))

    assert page.encode().startswith(MARK)
    titles = re.findall("<h2>(.*?)</h2>", page)
    assert titles == [
        *("Stages", "Cost", "Artifacts", "Tests", "Review", "Sent back", "Refused requests"),
        *("Changes", "Prompts and answers"),
    ]
    assert shown.count(SHOWN) >= 5
    assert "+++ b/app/src/health.js" in shown
    assert "Issue: ISSUE-7" in shown
    assert "not reported" in shown


def test_i31_an_issue_without_a_run_has_a_page(bench: Bench) -> None:
    page = page_of(state_of(str(bench.root / "app"), "ISSUE-7")).decode()

    assert "<h1>ISSUE-7: issue received</h1>" in page
    assert "There are none yet." in page


@pytest.fixture
def issue(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the words that ask for the state of an issue whose run has ended."""
    assert bench.run(Scripted()) == 0
    monkeypatch.chdir(bench.root)
    monkeypatch.setenv("COLUMNS", "80")
    return ["status", "ISSUE-7", "--project", "app"]


def test_i31_a_page_replaces_a_page_and_nothing_else(
    issue: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, folder, link = tmp_path / "page.html", tmp_path / "folder", tmp_path / "link.html"
    folder.mkdir()
    assert [main([*issue, "--html", str(file)]) for _ in range(2)] == [0, 0]
    written = file.read_bytes()
    file.write_text("mine")
    link.symlink_to(file)
    capsys.readouterr()
    codes = [main([*issue, "--html", str(path)]) for path in (file, folder, link, file / "x.html")]

    assert written.startswith(MARK)
    assert (codes, file.read_text()) == ([2, 2, 2, 2], "mine")
    assert [line.split(": ")[-1] for line in capsys.readouterr().err.splitlines()[:3]] == [
        "another file is there (choose another name)",
        "is a folder, not a regular file",
        "is a link, not a regular file",
    ]


def test_i31_the_state_of_an_issue_says_what_its_turns_have_used(
    issue: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(issue)
    lines = re.sub(r"[\d.]+ s", "1.0 s", capsys.readouterr().out).splitlines()

    assert lines[-6:] == [
        "used                4 turns, 1.0 s, tokens and price not reported",
        "  plan      x-subplanner     1 turn, 1.0 s, tokens and price not reported",
        "  test      runner           1.0 s",
        "  implement x-worker         1 turn, 1.0 s, tokens and price not reported",
        "  review    x-reviewer       1 turn, 1.0 s, tokens and price not reported",
        "  publish   x-git            1 turn, 1.0 s, tokens and price not reported",
    ]
    assert max(map(len, lines[-6:])) < 80
