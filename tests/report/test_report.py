"""The cohort report in a real browser, opened from its folder: used, looked at, and overheard."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, NamedTuple

import pytest

from tests.report.conftest import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
# preload would read the style sheets again, which the pages' policy refuses
RUN_AXE = "() => axe.run(document, {preload: false, resultTypes: ['violations']})"
WIDER = "() => document.scrollingElement.scrollWidth - document.documentElement.clientWidth"
ROWS = "#map tbody tr"
OUTCOME = "select[name=outcome]"
NAMES = f"{ROWS} th a"
# the legend has the colours of all rows, and axe looks at each of two thousand cells for long
FEW_ROWS = (
    "() => document.querySelectorAll('#map tbody tr:nth-child(n+3)').forEach((r) => r.remove())"
)
HASH = "() => location.hash"


class Opened(NamedTuple):
    """A page, and what was overheard while it was open: requests, and faults on its console."""

    page: Page
    requests: list[str]
    faults: list[str]


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Yield a fresh context without motion."""
    made = browser.new_context(
        reduced_motion="reduce", viewport={"width": 1200, "height": 900}, locale="en-GB"
    )
    made.set_default_timeout(PATIENCE)
    yield made
    made.close()


@pytest.fixture
def opened(context: BrowserContext, report: Path) -> Opened:
    """Open the overview of a thousand learners."""
    return open_index(context, report)


def open_index(context: BrowserContext, report: Path) -> Opened:
    """Open a report's overview and wait for its table."""
    seen = Opened(context.new_page(), [], [])
    seen.page.on("request", lambda request: seen.requests.append(request.url))
    seen.page.on("console", lambda message: seen.faults.append(message.text))
    seen.page.on("pageerror", lambda error: seen.faults.append(str(error)))
    seen.page.goto((report / "index.html").as_uri())
    seen.page.wait_for_selector(ROWS)
    return seen


def column(page: Page, number: int) -> list[str]:
    """Return the words of a column of the table, heard or seen, from 1."""
    cells = page.locator(f"{ROWS} > :nth-child({number})")
    return [text.strip() for text in cells.all_text_contents()]


def words_of(page: Page, number: int) -> set[str]:
    """Return the outcomes in a column."""
    return {re.sub(r"\W", "", text) for text in column(page, number)}


def scores(page: Page) -> list[float]:
    """Return the scores of the rows that are shown, a thousand for none."""
    return [float(re.split(r" of |–", text)[0] or 1000) for text in column(page, 2)]  # noqa: RUF001  # a dash


def test_the_table_is_sorted_by_score_by_check_and_by_name(opened: Opened) -> None:
    page = opened.page
    page.get_by_role("button", name="Score").click()
    rising = scores(page)

    assert rising == sorted(rising)
    assert rising[0] < 8
    assert page.locator("th[aria-sort=ascending]").inner_text() == "Score"

    page.get_by_role("button", name="Score").click()

    assert scores(page)[:16] == [1000] * 16
    assert page.locator("th[aria-sort=descending]").inner_text() == "Score"

    page.get_by_role("button", name="P04.7 affected_files").click()

    assert words_of(page, 11) == {"fail"}

    page.get_by_role("button", name="Learner").click()
    page.get_by_role("button", name="Next").click()
    names = page.locator(NAMES).all_inner_texts()

    assert names == sorted(names)
    assert len(set(names)) > 1


def test_the_table_is_filtered_by_text_and_outcome(opened: Opened) -> None:
    page = opened.page
    page.get_by_label("Name, key or email").fill("s0001")

    assert (
        page.locator("#status").inner_text()
        == "1 to 10 of 10 learners that match, of 1,000 in all."
    )

    page.locator(OUTCOME).select_option("fail")

    assert words_of(page, 4) == {"fail"}
    assert 0 < page.locator(ROWS).count() < 10

    page.get_by_role("button", name="Show all").click()

    assert page.locator("#status").inner_text() == "1 to 50 of 1,000 learners."

    page.get_by_label("Name, key or email").fill("s00011")

    assert page.locator("#status").inner_text() == "1 learner that matches, of 1,000 in all."

    page.get_by_label("Name, key or email").fill("nobody is called this")

    assert page.locator("#status").inner_text() == "None of the 1,000 learners match."
    assert page.locator(ROWS).count() == 0


def test_a_learner_is_opened_and_the_way_back_keeps_filter_order_and_place(
    opened: Opened,
) -> None:
    page = opened.page
    page.locator(OUTCOME).select_option("fail")
    page.get_by_role("button", name="Score").click()
    page.get_by_role("button", name="Next").click()
    before = page.locator(NAMES).all_inner_texts()
    link = page.locator(NAMES).nth(7)
    name, file = link.inner_text(), link.get_attribute("data-file")
    link.click()

    assert page.locator("h1").inner_text() == name

    page.get_by_role("link", name="Back to the overview").click()
    page.wait_for_selector(ROWS)

    assert page.evaluate(HASH) == "#outcome=fail&sort=score&page=2"
    assert page.locator(NAMES).all_inner_texts() == before
    assert page.evaluate("() => document.activeElement.dataset.file") == file

    page.locator(NAMES).nth(3).click()
    page.locator("h1").wait_for()
    page.go_back()
    page.wait_for_selector(ROWS)

    assert page.locator(NAMES).all_inner_texts() == before


def test_a_tile_and_a_group_of_failures_show_their_learners_in_the_table(opened: Opened) -> None:
    page = opened.page
    tile, group = page.locator(".tiles .missing"), page.locator("#failures + ol > li").first
    missing, failing = (int(each.locator(".count").inner_text()) for each in (tile, group))
    tile.get_by_role("link").click()
    page.wait_for_function("() => document.activeElement.id === 'learners'")

    assert page.locator(ROWS).count() == missing

    group.get_by_role("link", name="Show in the table").click()
    page.wait_for_function("() => !document.getElementById('only').hidden")
    output = page.locator("#status").inner_text()

    assert output.endswith(f" of {failing} learners that match, of 1,000 in all.")
    assert page.locator("#only").inner_text().startswith("Only: P04.7 this step's file")


def test_all_of_it_can_be_done_by_keyboard(opened: Opened) -> None:
    page = opened.page
    page.get_by_label("Name, key or email").focus()
    page.keyboard.type("ada")
    for _ in range(5):  # exercise, outcome, section, show all, the table
        page.keyboard.press("Tab")
    region = page.evaluate("() => document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    assert region == "Table of learners and checks"
    assert page.evaluate(HASH) == "#q=ada&sort=name"
    assert page.evaluate("() => document.activeElement.textContent") == "Learner"


@pytest.mark.slow
def test_an_exercise_is_picked_out_with_its_own_scores(
    context: BrowserContext, small_report: Path
) -> None:
    page = open_index(context, small_report).page
    page.locator("select[name=exercise]").select_option(label="expert/04")
    page.locator(OUTCOME).select_option("pass")

    assert page.locator("#map .group").all_text_contents() == [
        "expert/04 Trace a run with evidence"
    ]
    assert words_of(page, 4) == {"pass"}
    assert {text.split(" of ")[1] for text in column(page, 2)} == {"20"}


@pytest.mark.slow
def test_t6_a_section_is_picked_out_and_the_way_to_the_neighbours_keeps_it(
    context: BrowserContext, small_report: Path
) -> None:
    page = open_index(context, small_report).page
    page.locator("select[name=section]").select_option("B")

    assert page.locator("#status").inner_text() == (
        "1 to 10 of 10 learners that match, of 30 in all."
    )

    page.locator(NAMES).first.click()
    page.get_by_role("link", name="Next: ").click()
    page.get_by_role("link", name="Back to the overview").click()
    page.wait_for_selector(ROWS)

    assert page.evaluate(HASH) == "#section=B"
    assert page.locator("select[name=section]").input_value() == "B"


@pytest.mark.slow
def test_hostile_names_are_text_every_page_opens_and_no_request_leaves(opened: Opened) -> None:
    page = opened.page
    page.locator(OUTCOME).select_option("unknown")
    names = page.locator(NAMES).all_inner_texts()
    for number in range(len(names)):
        page.locator(NAMES).nth(number).click()
        page.locator("h1").wait_for()

        assert page.locator("h1").inner_text()[:79] == names[number][:79]

        page.go_back()
        page.wait_for_selector(ROWS)

    assert len(names) == 10
    assert "<script>alert(1)</script>" in names
    assert page.title() == "Cohort report"
    assert len(opened.requests) >= 9
    assert [url for url in opened.requests if not url.startswith("file:///")] == []
    assert opened.faults == []


# each colour and each width once: no rule of the style sheets is about both
@pytest.mark.parametrize(
    ("width", "colours"),
    [(390, "light"), pytest.param(1280, "dark", marks=pytest.mark.slow)],
)
def test_axe_finds_nothing_and_no_page_is_too_wide(
    context: BrowserContext, small_report: Path, width: int, colours: Literal["light", "dark"]
) -> None:
    page = open_index(context, small_report).page
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=colours)
    for details in page.locator("summary").all()[:3]:
        details.click()
    assert problems(page) == []

    failing = page.evaluate("() => document.querySelector('.names a').href")
    by_hand = page.evaluate(
        "() => JSON.parse(document.getElementById('data').textContent)"
        ".rows.find((row) => row[10].length)[0]"
    )
    for address in (failing, (small_report / "learners" / f"{by_hand}.html").as_uri()):
        page.goto(address)

        assert problems(page) == []


def problems(page: Page) -> list[str]:
    """Return what axe finds on a page, and by how many pixels it is wider than the screen."""
    page.evaluate(AXE)
    page.evaluate(FEW_ROWS)
    found = [
        f"{violation['id']}: {[node['html'][:120] for node in violation['nodes'][:3]]}"
        for violation in page.evaluate(RUN_AXE)["violations"]
    ]
    wider = page.evaluate(WIDER)
    return found + ([f"{wider} pixels too wide"] if wider else [])


@pytest.mark.slow
def test_it_prints_dark_on_white_whole_and_without_controls(
    context: BrowserContext, report: Path
) -> None:
    page = open_index(context, report).page
    page.emulate_media(media="print", color_scheme="dark")
    found = page.evaluate(
        "() => { const of = (part) => getComputedStyle(document.querySelector(part));"
        " return [of('body').color, of('body').backgroundColor, of('.map').overflowY] }"
    )

    assert found == ["rgb(0, 0, 0)", "rgb(255, 255, 255)", "visible"]
    assert not page.locator("#filter").is_visible()
    assert page.locator(".bars .bar").first.is_visible()


@pytest.mark.slow
def test_without_scripts_the_figures_are_there_and_the_way_to_the_learners_is_reported(
    browser: Browser, report: Path
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((report / "index.html").as_uri())

    assert "This table needs JavaScript." in page.locator("noscript").inner_text()
    assert not page.locator("#filter").is_visible()
    assert page.locator(".bars .counts").first.is_visible()

    context.close()
