"""The site: every link leads somewhere; in a browser it is offline, accessible, fit for a phone."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from contextlib import asynccontextmanager, suppress
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from playwright.async_api import TimeoutError as NotYet
from playwright.async_api import async_playwright

from tools.site_hooks import shown_elsewhere

if TYPE_CHECKING:
    import subprocess
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping

    from playwright.async_api import BrowserContext, Page

pytestmark = pytest.mark.slow  # MkDocs builds the site for all of them

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {str(p.relative_to(ROOT / "docs")): p for p in sorted(ROOT.glob("docs/**/*.md"))} | {
    place: ROOT / path for path, place in shown_elsewhere().items()
}
SHAPES = ("h1", "h2", "h3", "h4", "li", "tr", "td", "th", "pre", "blockquote", "strong", "em")
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
# preload would read the style sheets again, which a browser refuses to the pages of a folder
RUN_AXE = """chosen => {
  const found = {preload: false, resultTypes: ["violations"]};
  return axe.run(chosen.within, {...found, ...chosen.rules});
}"""
EVERY_RULE = {"within": "html", "rules": {}}
ALL_BUT_CONTRAST = {"within": "html", "rules": {"rules": {"color-contrast": {"enabled": False}}}}
CONTRAST = {"within": "article", "rules": {"runOnly": ["color-contrast"]}}
WIDER = "() => document.scrollingElement.scrollWidth - document.documentElement.clientWidth"
# commands that are cut, and tables whose first column is
CUT = """() => {
  const width = document.documentElement.clientWidth;
  const cut = [];
  for (const code of document.querySelectorAll(".language-sh pre > code")) {
    const words = code.textContent.trim();
    if (code.scrollWidth > code.clientWidth + 1 && !words.includes("  #")) cut.push(words);
  }
  for (const table of document.querySelectorAll("article table")) {
    const rights = [...table.rows].map((row) => row.cells[0].getBoundingClientRect().right);
    if (Math.max(...rights) > width) cut.push(table.innerText.slice(0, 60));
  }
  return cut;
}"""
SHOWN = "colours => document.body.dataset.mdColorScheme === colours"
SETTLED = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))"
# a page has thousands of coloured words of code: one of each colour is enough, and twice as fast
ONE_OF_EACH_COLOUR = """() => {
  const seen = new Set();
  for (const word of document.querySelectorAll(".highlight code span:not([id])")) {
    const again = seen.has(word.className) && word.childElementCount === 0;
    if (again) word.replaceWith(word.textContent);
    seen.add(word.className);
  }
}"""
# contrast takes most of axe's time, and a paragraph, item or row that has no new kind of element
# (its name, its classes, its parent's) shows no new contrast
ONE_OF_EACH_KIND = """() => {
  const seen = new Set();
  const kind = (part) => part.tagName + part.className;
  for (const block of document.querySelectorAll("article :is(p, li, tr, .highlight span)")) {
    const parts = [block, ...block.querySelectorAll("*")];
    const kinds = parts.map((part) => kind(part) + " in " + kind(part.parentElement));
    if (kinds.every((each) => seen.has(each))) block.remove();
    kinds.forEach((each) => seen.add(each));
  }
}"""
SEARCH = "input.md-search__input"
FOUND = "a.md-search-result__link"
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
)
AT_ONCE = 2  # pages that are looked at side by side
PATIENCE = 60_000  # milliseconds, for a machine that is busy


class View(NamedTuple):
    """One way to look at a page."""

    width: int
    colours: Literal["light", "dark"]


PHONE, DESKTOP = View(390, "light"), View(1280, "dark")
# what frames the text is the same on all pages: two show all of it
ALL = (PHONE, DESKTOP, View(390, "dark"), View(1280, "light"))
WHOLE = ("index.html", "foundation/tutorials/01-plan.html")


class Survey(NamedTuple):
    """What was seen of all pages: requests, axe's findings, what is too wide, what is cut."""

    requests: list[str]
    violations: list[str]
    too_wide: list[str]
    cut: list[str]


@asynccontextmanager
async def browsing(chromium: str) -> AsyncIterator[BrowserContext]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=QUIET)
        # without motion, so that no colour is looked at half-way
        context = await browser.new_context(reduced_motion="reduce")
        context.set_default_timeout(PATIENCE)
        yield context
        await browser.close()


async def show(page: Page, name: str, view: View, seen: Survey) -> None:
    """Show a page that is open in one view, and note whether it is too wide."""
    await page.set_viewport_size({"width": view.width, "height": 900})
    await page.emulate_media(color_scheme=view.colours)
    await page.wait_for_function(SHOWN, arg={"light": "default", "dark": "slate"}[view.colours])
    await page.evaluate(SETTLED)
    if (wider := await page.evaluate(WIDER)) > 0:
        seen.too_wide.append(f"{name} at {view.width}, {view.colours}: {wider} pixels too wide")
    if view.width == PHONE.width:
        seen.cut.extend(f"{name}: {words}" for words in await page.evaluate(CUT))


async def check(page: Page, name: str, chosen: Mapping[str, object], seen: Survey) -> None:
    """Note what axe finds on a page as it is shown."""
    for violation in (await page.evaluate(RUN_AXE, chosen))["violations"]:
        places = [node["html"][:120] for node in violation["nodes"][:3]]
        seen.violations.append(f"{name}: {violation['id']}: {places}")


async def look_at(
    context: BrowserContext,
    site: Path,
    paths: Iterator[tuple[int, Path]],
    seen: Survey,
    step: int,
) -> None:
    """Look at the pages that are left, one after the other; axe sees each `step`-th of them.

    Axe sees every second page on a phone and the others on a desktop, with one
    element of each kind where contrast is looked at, and two whole in all views.
    """
    page = await context.new_page()
    page.on("request", lambda request: seen.requests.append(request.url))
    for number, path in paths:
        name = path.relative_to(site).as_posix()
        await page.goto(path.as_uri())
        if name in WHOLE:
            await page.evaluate(AXE)
            await page.evaluate(ONE_OF_EACH_COLOUR)
            for view in ALL:
                await show(page, name, view, seen)
                await check(page, f"{name} in {view}", EVERY_RULE, seen)
            continue
        for view in (PHONE, DESKTOP) if number % 2 else (DESKTOP, PHONE):
            await show(page, name, view, seen)
        if number % step:
            continue
        await page.evaluate(AXE)
        await page.evaluate(ONE_OF_EACH_COLOUR)
        await check(page, f"{name} in {view}", ALL_BUT_CONTRAST, seen)
        await page.evaluate(ONE_OF_EACH_KIND)
        await check(page, f"{name} in {view}", CONTRAST, seen)


@pytest.fixture(scope="module")
def survey(site: Path, chromium: str, how_many: Callable[[int, int], int]) -> Survey:
    """Look at every page of the site, once; with `--figures`, axe sees them all."""
    step = how_many(8, 1)
    paths = iter(enumerate(sorted(site.rglob("*.html"))))

    async def run() -> Survey:
        seen = Survey([], [], [], [])
        async with browsing(chromium) as context:
            looking = (look_at(context, site, paths, seen, step) for _ in range(AT_ONCE))
            await asyncio.gather(*looking)
        return seen

    return asyncio.run(run())


def test_the_site_builds_strictly_and_warns_of_nothing(
    build: subprocess.CompletedProcess[str],
) -> None:
    warnings = [line for line in build.stderr.splitlines() if not line.startswith("INFO")]

    assert (build.returncode, warnings) == (0, [])


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
        self.shapes.update(["h3"] if "__tabbed" in values.get("for", "") else [])  # a tab's title
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
    """Return whether an address of a page leads to a file of the site, and to an anchor in it."""
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


def test_pages_are_offline_accessible_and_no_wider_than_the_screen(survey: Survey) -> None:
    foreign = {url for url in survey.requests if not re.match(r"(file|data|blob|about):", url)}

    assert survey.requests != []
    assert (foreign, survey.violations, survey.too_wide) == (set(), [], [])
    assert survey.cut == []


def test_code_scrolls_by_the_keyboard_and_the_search_needs_no_server(
    site: Path, chromium: str
) -> None:
    async def seen() -> tuple[str, list[str]]:
        async with browsing(chromium) as context:
            page = await context.new_page()
            await page.set_viewport_size({"width": 390, "height": 900})
            await page.goto((site / "reference" / "commands.html").as_uri())
            region = page.get_by_role("region", name="Code 1", exact=True)
            await region.wait_for()
            for _ in range(200):
                await page.keyboard.press("Tab")
                if await region.evaluate("element => element === document.activeElement"):
                    break
            await page.keyboard.press("ArrowRight")
            await page.wait_for_function("() => document.activeElement.scrollLeft > 0")
            label: str = await page.evaluate("() => document.activeElement.ariaLabel")
            await page.set_viewport_size({"width": 1280, "height": 900})
            for _ in range(5):  # what is typed before the page's script listens is lost
                await page.goto((site / "index.html").as_uri())
                await page.fill(SEARCH, "acceptance_mapping")
                with suppress(NotYet):
                    await page.wait_for_selector(FOUND, timeout=15_000)
                    break
            return label, await page.locator(FOUND).all_inner_texts()

    label, texts = asyncio.run(seen())

    assert label == "Code 1"
    assert any("acceptance_mapping" in text for text in texts)
