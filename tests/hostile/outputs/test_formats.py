"""What a cohort says is data in every format: re-read by others, nothing of it takes effect."""

from __future__ import annotations

import csv
import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from markdown_it import MarkdownIt

from tests.hostile.outputs.conftest import BENIGN, EXERCISE, kept
from tests.stubs.payloads import PAYLOADS, RAW

if TYPE_CHECKING:
    from pathlib import Path

    from markdown_it.token import Token

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
COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)
ANNOTATION = re.compile(
    r"^::(?:error|warning) (?:file=[^:,]*,(?:line=[0-9]+,col=[0-9]+,)?)?title=[^:,]*::[^\r\n]*$",
    re.MULTILINE,
)
# what GitHub makes of plain text: a mention, an address, a reference
LINKED = re.compile(r"@\w|\w@|#\w|\bGH-[0-9]", re.IGNORECASE)
# and of Markdown outside of code: a link, without any brackets
BARE = re.compile(r"(?<!\\):(?=//)|www\.|mailto:|xmpp:", re.IGNORECASE)
CODE = re.compile(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
LINKS = {"href", "src", "action"}
INLINE = {"text", "code_inline", "strong_open", "strong_close"}
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'"
)


def rows(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def by_payload(graded: Graded, found: dict[str, Any]) -> dict[str, Any]:
    """Return what was found by learners' keys by the names of their payloads; no key is lost."""
    assert {key[:2] for key in found} == {key[:2] for key in graded.keys.values()}
    numbers = {key[:2]: value for key, value in found.items()}
    return {name: numbers[key[:2]] for name, key in graded.keys.items()}


@pytest.mark.parametrize("which", ["csv", "csv-wide"])
def test_a_table_has_a_reason_as_people_see_it_and_no_formula(graded: Graded, which: str) -> None:
    column = "override_reason" if which == "csv" else f"{EXERCISE} override_reason"
    reasons: dict[str, set[str]] = {}
    for row in rows(graded.folder / "out" / which):
        reasons.setdefault(row["learner"], set()).add(row[column])

    assert by_payload(graded, reasons) == {name: {DEFUSED.get(name, SHOWN[name])} for name in PARTS}


@pytest.mark.parametrize("which", ["csv", "csv-wide", "canvas"])
def test_another_reader_finds_the_same_table(graded: Graded, which: str) -> None:
    path = graded.folder / "out" / which
    ours, data = rows(path), path.read_bytes()
    theirs = pl.read_csv(path, infer_schema=False).fill_null("")

    assert theirs.to_dicts() == ours
    assert len(ours) >= len(PARTS)
    assert [cell for row in ours for cell in row.values() if FORMULA.match(cell)] == []
    assert data.count(b"\r") == data.count(b"\n") == data.count(b"\r\n")


@pytest.mark.parametrize("which", ["json", "jsonl"])
def test_json_keeps_a_reason_as_it_was(graded: Graded, which: str) -> None:
    text = (graded.folder / "out" / which).read_text("ascii")
    standings = (
        json.loads(text)["standings"]
        if which == "json"
        else [json.loads(line) for line in text.split("\n")[:-1]]
    )
    overrides = {each["learner"]: each["marks"][0]["override"] for each in standings}

    assert {
        name: (each["reason"], each["by"]) for name, each in by_payload(graded, overrides).items()
    } == {name: (kept(text).strip(), f"x{kept(text)}") for name, (text, _) in PARTS.items()}


def test_gradescope_gets_a_reason_as_text(graded: Graded) -> None:
    listed = rows(graded.folder / "out" / "gradescope" / "files.csv")
    documents = {
        row["learner"]: json.loads(
            (graded.folder / "out" / "gradescope" / row["file"]).read_text("ascii")
        )
        for row in listed
    }
    message = {
        key: each["output"].partition("(the checks gave 3): ")[2] for key, each in documents.items()
    }

    assert by_payload(graded, message) == SHOWN
    for document in documents.values():
        assert {document[key] for key in document if key.endswith("format")} == {"text"}
    for row in listed:
        assert re.fullmatch(r"[a-z0-9][a-z0-9_.-]*/results\.json", row["file"])


def test_a_page_of_feedback_is_the_same_markdown_for_everybody(graded: Graded) -> None:
    reasons = {}
    for row in rows(graded.folder / "out" / "feedback" / "files.csv"):
        page = (graded.folder / "out" / "feedback" / row["file"]).read_text("utf-8")
        tokens = assert_without_effect(page)
        lines = ["".join(part.content for part in token.children or []) for token in tokens]
        (message,) = [line for line in lines if line.startswith("score set to 1 by ")]
        reasons[row["learner"]] = message.partition("(the checks gave 3): ")[2]

        assert [token.tag for token in tokens if token.type == "heading_open"] == ["h1", "h2"]

    assert by_payload(graded, reasons) == SHOWN


def assert_without_effect(page: str) -> list[Token]:
    """Return the tokens of a Markdown page that has no links, no HTML, no mentions."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(page)
    inline = [part for token in tokens for part in token.children or []]
    assert {part.type for part in inline} <= INLINE
    assert not {token.type for token in tokens} & {"html_block", "code_block", "blockquote_open"}
    assert [p.content for p in inline if p.type == "text" and LINKED.search(p.content)] == []
    assert BARE.findall(CODE.sub("", page)) == []
    assert COMMAND.findall(page) == []
    return tokens


def test_a_step_of_a_job_gets_annotations_and_a_page_without_effect(graded: Graded) -> None:
    assert_without_effect((graded.folder / "summary.md").read_text("utf-8"))

    for name in PARTS:
        out, err = graded.printed[f"github {name}"]

        assert ANNOTATION.sub("", out).strip() == err == ""
        assert out.count("\n::error ") > 3


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


def test_a_page_of_the_report_has_a_policy_a_reason_as_text_and_no_element_of_its_own(
    graded: Graded,
) -> None:
    pages = {}
    for path in (graded.folder / "out" / "html").rglob("*.html"):
        page = pages[path.name] = Page()
        page.feed(path.read_text("utf-8"))
        page.close()
    index = pages.pop("index.html")
    reasons = {name: re.findall(r"Reason: (.*)\n", page.text) for name, page in pages.items()}
    (benign,) = [page for name, page in pages.items() if reasons[name] == [BENIGN]]
    own_links = re.compile(r"(?:\.\./|assets/)[\w./#-]+")

    assert sorted(reasons.values()) == sorted([text] for text in SHOWN.values())
    for page in (index, *pages.values()):
        attributes = [each for tag, each in page.elements if tag == "meta"]

        assert [each["content"] for each in attributes if "http-equiv" in each] == [POLICY]
        assert page.comments == []
    for page in pages.values():
        links = [each[key] or "" for _, each in page.elements for key in LINKS & each.keys()]

        assert shapes(page) <= shapes(index) | shapes(benign)
        assert [link for link in links if not (own_links.fullmatch(link) or link in pages)] == []


def shapes(page: Page) -> set[tuple[str, tuple[str, ...]]]:
    return {(tag, tuple(sorted(attributes))) for tag, attributes in page.elements}


def test_no_file_has_what_drives_a_terminal_or_hides(graded: Graded) -> None:
    files = [path for path in (graded.folder / "out").rglob("*") if path.is_file()]
    texts = {
        str(path): path.read_text("utf-8").replace("\xa0%", " %")  # the report's own
        for path in files
        if "assets" not in path.parts
    }
    raw = {path: found for path, text in texts.items() if (found := RAW.findall(text))}

    assert raw == {}
    assert len(files) > 3 * len(PARTS)


def test_nothing_printed_drives_a_terminal_or_commands_a_runner(graded: Graded) -> None:
    for command, texts in graded.printed.items():
        for text in texts:
            plain = ANNOTATION.sub("", text) if command.startswith("github ") else text

            assert RAW.findall(plain) == [], command
            assert COMMAND.findall(plain) == [], command
            assert "Traceback" not in plain, command
            assert "\r" not in plain, command
