"""What a cohort says is data in every format: re-read by others, nothing of it takes effect."""

from __future__ import annotations

import csv
import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import polars as pl
import pytest
from markdown_it import MarkdownIt

from tests.hostile.outputs.conftest import BENIGN, EXERCISE, kept
from tests.stubs.payloads import PAYLOADS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.hostile.outputs.conftest import Graded

PARTS = {BENIGN: (BENIGN, BENIGN), **PAYLOADS}
# a reason has no blanks around it
TRIMMED = {
    "tab": "=1+1",
    "command indented": "::add-mask::x",
    "private and wide": "\\u{e000}\\u{f0000}",
}
SHOWN = {name: TRIMMED.get(name, shown) for name, (_, shown) in PARTS.items()}
# cells that a spreadsheet would take for a formula, or for two cells, one of them a formula
DEFUSED = {
    "tab": "'=1+1",
    "formula": '\'=HYPERLINK("https://e.example","x")',
    "formula plus": "'+1+cmd|' /C calc'!A0",
    "formula minus": "'-1+1",
    "formula at": "'@SUM(1)",
    "formula full width": "'\uff1d1+1",
    "formula full width at": "'\uff20SUM(1)",
    "formula after spaces": "x  ;'  =1+1",
    "formula defused": "''=1+1",
    "comment": "'--><!-- <style>*{display:none}</style>",
    "mentions": "'@everyone #123 GH-7 a@b.example owner/repo#5",
    "sql": "'; DROP TABLE learner;'-- \" OR 1=1",
}
FORMULA = re.compile("(?:^|;)\\s*[=+\\-@\uff1d\uff0b\uff0d\uff20](?![0-9]+\\Z)")
# what no file and no terminal is given raw, but for the line ends of our own
RAW = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e01ef]"
)
COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)
ANNOTATION = re.compile(
    r"^::(?:(?:error|warning) (?:file=[^:,]*,(?:line=[0-9]+,col=[0-9]+,)?)?title=[^:,]*::[^\r\n]*"
    r"|notice::[0-9]+ more findings? (?:is|are) not annotated)$",
    re.MULTILINE,
)
# what GitHub makes of plain text: a mention, an address, a reference
LINKED = re.compile(r"@\w|\w@|#\w|\bGH-[0-9]", re.IGNORECASE)
# and of Markdown outside of code: a link, without any brackets
BARE = re.compile(r"(?<!\\):(?=//)|www\.|mailto:|xmpp:", re.IGNORECASE)
CODE = re.compile(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
INLINE = {"text", "code_inline", "strong_open", "strong_close"}
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'"
)


@pytest.fixture(params=PARTS)
def name(request: pytest.FixtureRequest) -> str:
    """Return the name of a payload."""
    given: str = request.param
    return given


def rows(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def said(name: str) -> str:
    """Return what a payload's learner is told of the score set by hand, as data has it."""
    return kept(PARTS[name][0]).strip()


def number(graded: Graded, name: str) -> str:
    return graded.keys[name][:2]


def standing(standings: list[dict[str, Any]], graded: Graded, name: str) -> dict[str, Any]:
    (own,) = [each for each in standings if each["learner"] == graded.keys[name]]
    return own


@pytest.mark.parametrize("which", ["csv", "csv-wide"])
def test_a_table_has_a_reason_as_people_see_it_and_no_formula(
    graded: Graded, name: str, which: str
) -> None:
    column = "override_reason" if which == "csv" else f"{EXERCISE} override_reason"
    own = [
        r for r in rows(graded.folder / "out" / which) if r["learner"][:2] == number(graded, name)
    ]

    assert {row[column] for row in own} == {DEFUSED.get(name, SHOWN[name])}
    assert [cell for row in own for cell in row.values() if FORMULA.match(cell)] == []


@pytest.mark.parametrize("which", ["csv", "csv-wide", "canvas"])
def test_another_reader_finds_the_same_table(graded: Graded, which: str) -> None:
    path = graded.folder / "out" / which
    ours = rows(path)
    theirs = pl.read_csv(path, infer_schema=False).fill_null("")

    assert theirs.to_dicts() == ours
    assert len(ours) > len(PARTS) - 1


def test_json_keeps_a_reason_as_it_was(graded: Graded, name: str) -> None:
    document = json.loads((graded.folder / "out" / "json").read_text("ascii"))
    (mark,) = standing(document["standings"], graded, name)["marks"]

    assert mark["override"]["reason"] == said(name)
    assert mark["override"]["by"] == f"x{kept(PARTS[name][0])}"


def test_a_line_of_json_is_a_learner(graded: Graded, name: str) -> None:
    lines = (graded.folder / "out" / "jsonl").read_text("ascii").split("\n")
    (mark,) = standing([json.loads(line) for line in lines[:-1]], graded, name)["marks"]

    assert len(lines) == len(PARTS) + 1
    assert mark["override"]["reason"] == said(name)


def test_sarif_keeps_a_reason_as_it_was(graded: Graded, name: str) -> None:
    (run,) = json.loads((graded.folder / "out" / "sarif").read_text("ascii"))["runs"]
    own = standing(run["properties"]["scores"], graded, name)

    assert own["override"]["reason"] == said(name)


def test_junit_is_xml_that_shows_a_reason(graded: Graded, name: str) -> None:
    suites = ET.parse(graded.folder / "out" / "junit").getroot()  # noqa: S314  # our own file
    (own,) = [s for s in suites if properties(s)["learner"][:2] == number(graded, name)]

    assert properties(own)["override_reason"] == SHOWN[name]
    assert {each.tag for each in own.iter()} <= {
        *("testsuite", "properties", "property", "testcase", "failure", "skipped"),
    }


def properties(suite: ET.Element) -> dict[str, str]:
    return {each.get("name", ""): each.get("value", "") for each in suite.iter("property")}


def test_gradescope_is_told_a_reason_as_text(graded: Graded, name: str) -> None:
    listed = rows(graded.folder / "out" / "gradescope" / "files.csv")
    (file,) = [row["file"] for row in listed if row["learner"][:2] == number(graded, name)]
    document = json.loads((graded.folder / "out" / "gradescope" / file).read_text("ascii"))

    assert document["output"].endswith(f"(checks gave 3): {SHOWN[name]}")
    assert {document[key] for key in document if key.endswith("format")} == {"text"}
    assert re.fullmatch(r"[a-z0-9][a-z0-9_.-]*/results\.json", file)


def test_a_page_of_feedback_is_the_same_markdown_for_everybody(graded: Graded, name: str) -> None:
    listed = rows(graded.folder / "out" / "feedback" / "files.csv")
    (file,) = [row["file"] for row in listed if row["learner"][:2] == number(graded, name)]
    page = (graded.folder / "out" / "feedback" / file).read_text("utf-8")
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(page)
    inline = [part for token in tokens for part in token.children or []]
    lines = [plain_text(token.children) for token in tokens if token.children]
    told = [line for line in lines if line.startswith("score set to 1 by ")]

    assert told[0].endswith(f"(checks gave 3): {SHOWN[name]}")
    assert {part.type for part in inline} <= INLINE
    assert {token.type for token in tokens} & {
        "html_block",
        "code_block",
        "blockquote_open",
    } == set()
    assert [p.content for p in inline if p.type == "text" and LINKED.search(p.content)] == []
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h1", "h2"]
    assert BARE.findall(CODE.sub("", page)) == []
    assert COMMAND.findall(page) == []


def plain_text(parts: Any) -> str:
    return "".join(part.content for part in parts)


def test_a_summary_of_a_step_is_markdown_without_effect(graded: Graded) -> None:
    page = (graded.folder / "summary.md").read_text("utf-8")
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(page)
    inline = [part for token in tokens for part in token.children or []]

    assert {part.type for part in inline} <= INLINE
    assert {token.type for token in tokens} & {
        "html_block",
        "code_block",
        "blockquote_open",
    } == set()
    assert [p.content for p in inline if p.type == "text" and LINKED.search(p.content)] == []
    assert BARE.findall(CODE.sub("", page)) == []
    assert COMMAND.findall(page) == []
    assert page.count("\n### ") == len(PARTS)


class Page(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.comments: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


@pytest.fixture(scope="session")
def pages(graded: Graded) -> dict[str, Page]:
    """Return the pages of the report by their names."""
    return dict(_pages(graded))


def _pages(graded: Graded) -> Iterator[tuple[str, Page]]:
    for path in sorted((graded.folder / "out" / "html").rglob("*.html")):
        page = Page()
        page.feed(path.read_text("utf-8"))
        page.close()
        yield path.relative_to(graded.folder / "out" / "html").as_posix(), page


def test_every_page_of_the_report_forbids_what_is_not_its_own(pages: dict[str, Page]) -> None:
    policies = {
        attributes["content"]
        for page in pages.values()
        for tag, attributes in page.elements
        if (tag, attributes.get("http-equiv")) == ("meta", "Content-Security-Policy")
    }

    assert len(pages) == len(PARTS) + 1
    assert policies == {POLICY}


def test_a_page_of_the_report_is_made_of_the_same_elements_for_everybody(
    pages: dict[str, Page],
) -> None:
    shown = dict(pages)
    index = shown.pop("index.html")
    (benign,) = [page for page in shown.values() if "Reason: benign" in page.text]
    known = {shape for page in (index, benign) for shape in shapes(page)}
    links = {
        value
        for page in shown.values()
        for _, attributes in page.elements
        for key, value in attributes.items()
        if key in ("href", "src", "action")
    }

    for page in shown.values():
        assert shapes(page) <= known
        assert page.comments == []
    assert {
        link for link in links if not re.fullmatch(r"(?:\.\./|assets/)[\w./#-]+", link or "")
    } == set()


def shapes(page: Page) -> set[tuple[str, tuple[str, ...]]]:
    return {(tag, tuple(sorted(attributes))) for tag, attributes in page.elements}


def test_a_page_of_the_report_shows_a_reason_as_text(pages: dict[str, Page], name: str) -> None:
    texts = [page.text for file, page in pages.items() if file != "index.html"]
    told = [text for text in texts if f"Reason: {SHOWN[name]}\n" in text]

    assert len(told) == 1


def test_no_file_has_what_drives_a_terminal_or_hides(graded: Graded) -> None:
    files = [path for path in (graded.folder / "out").rglob("*") if path.is_file()]
    raw = {
        str(path): found
        for path in [*files, graded.folder / "summary.md"]
        if "assets" not in path.parts and (found := RAW.findall(path.read_text("utf-8")))
    }

    assert raw == {}
    assert len(files) > 3 * len(PARTS)


def test_a_table_has_no_line_end_but_its_own(graded: Graded) -> None:
    for which in ("csv", "csv-wide", "canvas"):
        data = (graded.folder / "out" / which).read_bytes()

        assert data.count(b"\r") == data.count(b"\n") == data.count(b"\r\n")


def test_nothing_printed_drives_a_terminal_or_commands_a_runner(graded: Graded) -> None:
    for command, texts in graded.printed.items():
        for text in texts:
            plain = ANNOTATION.sub("", text) if command == "export" else text

            assert RAW.findall(plain) == [], command
            assert COMMAND.findall(plain) == [], command
            assert "Traceback" not in plain, command
            assert "\r" not in plain, command
