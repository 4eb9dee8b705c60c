"""The pages as text: every link leads somewhere, and the site says what a forge shows."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt

from tools.site_hooks import shown_elsewhere

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = {place: ROOT / path for path, place in shown_elsewhere().items()}
INSIDE = {str(p.relative_to(ROOT / "docs")): p for p in sorted(ROOT.glob("docs/**/*.md"))}
SOURCES = INSIDE | OUTSIDE
SHAPES = ("h1", "h2", "h3", "h4", "li", "tr", "td", "th", "pre", "blockquote", "strong", "em")


class Reading(HTMLParser):
    """What stands on a page: its anchors, the addresses it uses, its shapes, its code blocks."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.addresses: list[str] = []
        self.shapes: Counter[str] = Counter()
        self.code: list[str] = []
        self._in_code = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {key: value or "" for key, value in attrs}
        self.anchors |= {values["id"]} if "id" in values else set()
        self.addresses += [values[key] for key in ("href", "src") if key in values]
        self.shapes.update([tag] if tag in SHAPES else [])
        if tag == "pre":
            self._in_code = True
            self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre":
            self._in_code = False

    def handle_data(self, data: str) -> None:
        if self._in_code:
            self.code[-1] += data


@pytest.fixture(scope="module")
def readings(site: Path) -> dict[Path, Reading]:
    """Read every page of the site."""
    return {path: Reading(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def test_every_link_and_every_anchor_leads_somewhere(readings: dict[Path, Reading]) -> None:
    broken = [
        f"{path.name}: {address}"
        for path, reading in readings.items()
        for address in reading.addresses
        if not leads_somewhere(path, address, readings)
    ]

    assert broken == []


def leads_somewhere(page: Path, address: str, readings: dict[Path, Reading]) -> bool:
    """Tell whether an address of a page leads to a file of the site, and to an anchor in it."""
    parts = urlsplit(address)
    if parts.scheme:
        return parts.scheme in ("https", "data")
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not parts.fragment:
        return target.is_file() or target in readings
    return target in readings and parts.fragment in readings[target].anchors


@pytest.mark.parametrize("place", SOURCES)
def test_a_page_has_the_same_shape_on_a_forge_and_on_the_site(place: str, site: Path) -> None:
    html = (site / place).with_suffix(".html")
    html = html.with_name("index.html") if html.name == "README.html" else html
    article = html.read_text(encoding="utf-8").partition("<article")[2].partition("</article>")[0]
    text = SOURCES[place].read_text(encoding="utf-8")
    on_forge = Reading(MarkdownIt("commonmark").enable("table").render(text))
    on_site = Reading(article)

    assert on_site.code == on_forge.code
    assert on_site.shapes == on_forge.shapes


@pytest.mark.parametrize("place", INSIDE)
def test_no_mark_of_a_generated_region_is_left_open(place: str) -> None:
    text = INSIDE[place].read_text(encoding="utf-8")
    marks = [line for line in text.splitlines() if line.startswith(("<!-- generated", "<!-- end"))]

    assert [mark.startswith("<!-- generated: ") for mark in marks] == [True, False] * (
        len(marks) // 2
    )


def test_the_site_shows_no_mark_of_a_generated_region(site: Path) -> None:
    marked = [p.name for p in site.rglob("*.html") if "<!-- generated" in p.read_text("utf-8")]

    assert marked == []
