"""Regions of pages: filled from the project itself, refused where they cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools import regions, replays
from tools.regions import RegionError, filled, pages

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RUN = "<!-- generated: run foundation/04 solved -->\n<!-- end -->"
PASSED_RUN = """\
<!-- generated: run foundation/04 solved -->
```console
$ python3 docs/foundation/tutorials/verify.py --exercise 04
foundation/04 - Trace a pipeline run - ISSUE-102
"""


@pytest.fixture
def put(tmp_path: Path) -> Callable[[str], str]:
    """Return a function that writes a page and returns its path."""

    def write(text: str) -> str:
        page = tmp_path / "page.md"
        page.write_text(text, encoding="utf-8")
        return str(page)

    return write


def test_a_region_is_filled_and_the_rest_of_the_page_is_kept(put: Callable[[str], str]) -> None:
    text = "# Page\n\n<!-- generated: example worker-result.json -->\nold\n<!-- end -->\n\nAfter.\n"

    assert filled(put(text)) == (
        "# Page\n\n<!-- generated: example worker-result.json -->\n```json\n"
        '{\n  "status": "completed",\n'
        '  "files_changed": ["src/health/routes.js", "test/health/routes.test.js"],\n'
        '  "blockers": [],\n  "summary": "Adds the health endpoint, with its tests",\n'
        '  "produced_by": "x-worker"\n}\n```\n<!-- end -->\n\nAfter.\n'
    )


def test_a_run_is_shown_as_on_the_learners_own_work(put: Callable[[str], str]) -> None:
    shown = filled(put(RUN))

    assert shown.startswith(PASSED_RUN)
    assert "\nPASSED  10 of 10 points (9 passed)\nNext, practitioner/01 - " in shown
    assert "fixtures" not in shown


def test_a_run_of_the_pipeline_is_kept_where_the_sandbox_holds_somebodys_work(
    put: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "<!-- generated: replay run -->\nas it was\n<!-- end -->\n"
    monkeypatch.setattr(replays, "shipped", lambda: "other\n")

    assert filled(put(text)) == text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("<!-- generated: issue ISSUE-101 -->\n", "a generated region is not closed"),
        ("<!-- end -->\n", "a generated region is not closed"),
        (f"<!-- generated: issue ISSUE-101 -->\n{RUN}\n", "a generated region is not closed"),
        ("<!-- generated: weather -->\n<!-- end -->", "no region 'weather' (expected one of issue"),
        ("<!-- generated: issue ISSUE-9 -->\n<!-- end -->", "issue ISSUE-9: "),
        ("<!-- generated: checks foundation/9 -->\n<!-- end -->", "no exercise '9' in foundation"),
        ("<!-- generated: command verify list no -->\n<!-- end -->", "exit code 2: verify: no"),
    ],
    ids=["open", "closed twice", "nested", "unknown", "no issue", "no exercise", "refused"],
)
def test_a_region_that_cannot_be_filled_is_named(
    put: Callable[[str], str], text: str, complaint: str
) -> None:
    with pytest.raises(RegionError) as caught:
        filled(put(text))

    assert complaint in str(caught.value)
    assert "page.md: " in str(caught.value)


def test_the_pages_with_regions_are_found_and_those_that_quote_a_command_come_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    (tmp_path / "docs" / "a.md").write_text("<!-- generated: command verify self-test -->\n")
    (tmp_path / "docs" / "plain.md").write_text("# Plain\n")
    (tmp_path / "docs" / "deep" / "page.md").write_text(RUN)
    (tmp_path / "docs" / "deep" / "page.txt").write_text(RUN)
    monkeypatch.setattr(regions, "ROOT", str(tmp_path))

    assert pages() == ["docs/deep/page.md", "docs/a.md"]
