"""Annotations and the step summary are what GitHub's runner and its Markdown make of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from verify.model import PASSED, Finding, failed
from verify.reporters.github import MOST_SUMMARY, plain, render

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.reporters.base import Run, View

COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)
CUT = "\n\n(shortened: the page is full)\n"


def last_line(summary: str) -> list[tuple[str, str]]:
    """Return what Markdown makes of a summary's last line: kinds and texts, in their order."""
    tokens = MarkdownIt("commonmark").enable("table").parse(summary)
    parts = [token.children or [] for token in tokens if token.type == "inline"][-1]
    return [(part.type, part.content) for part in parts if part.type != "text" or part.content]


def last_item(*parts: tuple[str, str]) -> list[tuple[str, str]]:
    """Return the parts of an item of the first check."""
    return [("strong_open", ""), ("text", "F01.1"), ("strong_close", ""), *parts]


def run_on(run_of: Callable[..., Run], *findings: Finding) -> Run:
    return run_of(failed(*findings), PASSED, PASSED, PASSED, PASSED)


@pytest.mark.parametrize(
    ("payload", "data", "file"),
    [
        ("50%", "50%25", "50%25"),
        ("a\nb\rc", "a\\u{a}b\\u{d}c", "a\\u{a}b\\u{d}c"),
        ("x,line=1::forged", "x,line=1::forged", "x%2Cline=1%3A%3Aforged"),
    ],
    ids=ascii,
)
def test_an_annotation_is_escaped_as_the_runner_unescapes_it(
    run_of: Callable[..., Run], view: View, payload: str, data: str, file: str
) -> None:
    run = run_on(run_of, Finding(payload, file=payload, action="Step."))

    assert render(run, view).text == (
        f"::error file={file},title=F01.1 plan.json is where the pipeline looks for it::"
        f"{data}%0AStep.\n"
    )


def test_no_more_annotations_of_a_kind_are_printed_than_the_runner_keeps(
    run_of: Callable[..., Run], view: View
) -> None:
    five = failed(*(Finding(str(number)) for number in range(5)))
    one, three = run_of(five, five, PASSED, PASSED, PASSED), run_of(five, five, five, five, five)
    runs = [one, three, three._replace(reports=three.reports * 3)]
    shown = [render(run, view).text.splitlines() for run in runs]
    notice = "::notice::{} more findings are in the step's summary"

    assert [[line.partition(" title=")[0] for line in lines] for lines in shown] == [
        ["::error"] * 10,
        [*["::error"] * 10, *["::warning"] * 5, notice.format(10)],
        [*["::error"] * 10, *["::warning"] * 10, notice.format(55)],
    ]


@pytest.mark.parametrize(
    ("payload", "shown"),
    [
        ("a|b", "a|b"),
        ("`` a ` b ``` c", "`` a ` b ``` c"),
        ("` [x](https://e.org) `", "` [x](https://e.org) `"),
        (" padded ", " padded "),
        ("\\`", "\\`"),
        ("@everyone @org/team #1 www.evil.example", "@everyone @org/team #1 www.evil.example"),
        ("<img src=x onerror=y><!-- ", "<img src=x onerror=y><!-- "),
        ("a\n\n# b", "a\\u{a}\\u{a}# b"),
        ("&lt;b&gt;", "&lt;b&gt;"),
        ("a\n::error::forged", "a\\u{a}::error::forged"),
        ("##[error]forged", "#\\u{23}[error]forged"),
    ],
    ids=ascii,
)
def test_what_a_submission_holds_is_in_code_spans(
    run_of: Callable[..., Run], view: View, payload: str, shown: str
) -> None:
    finding = Finding("wrong", payload, payload, payload, payload, action="Step.")
    summary = render(run_on(run_of, finding), view).summary

    assert last_line(summary) == last_item(
        ("text", " "),
        ("code_inline", f"{shown}  {shown}"),
        ("text", " wrong. Expected "),
        ("code_inline", shown),
        ("text", ". Found "),
        ("code_inline", shown),
        ("text", ". Step."),
    )
    assert COMMAND.findall(summary) == []


@pytest.mark.parametrize(
    ("words", "escaped", "parts"),
    [
        ("a|b", "a\\|b", [("text", "a|b")]),
        ("*bold* _it_ ~gone~", "\\*bold\\* \\_it\\_ \\~gone\\~", [("text", "*bold* _it_ ~gone~")]),
        ("www.e.org", "www\\.e.org", [("text", "www.e.org")]),
        ("<img src=x>", "&lt;img src=x\\>", [("text", "<img src=x>")]),
        (
            "![x](https://e.org)",
            "\\!\\[x\\]\\(https\\://e.org\\)",
            [("text", "![x](https://e.org)")],
        ),
        ("# big", "\\# big", [("text", "# big")]),
        ("\\| &lt;", "\\\\\\| \\&lt;", [("text", "\\| &lt;")]),
        ("::error::x", "\\:\\:error\\:\\:x", [("text", "::error::x")]),
        ("a@b.c", "a`@`b.c", [("text", "a"), ("code_inline", "@"), ("text", "b.c")]),
        ("see #1", "see `#`1", [("text", "see "), ("code_inline", "#"), ("text", "1")]),
        ("GH-1", "GH`-`1", [("text", "GH"), ("code_inline", "-"), ("text", "1")]),
        ("`@`", "\\``@`\\`", [("text", "`"), ("code_inline", "@"), ("text", "`")]),
    ],
    ids=ascii,
)
def test_our_own_words_are_shown_as_written_and_name_no_person_and_no_issue(
    words: str, escaped: str, parts: list[tuple[str, str]]
) -> None:
    (paragraph,) = [each for each in MarkdownIt("commonmark").parse(plain(words)) if each.children]
    shown = [(part.type, part.content) for part in paragraph.children or []]

    assert plain(words) == escaped
    assert "".join(text for _, text in shown) == "".join(text for _, text in parts)
    assert [kind for kind, _ in shown if kind != "text"] == [k for k, _ in parts if k != "text"]


def test_a_summary_that_is_too_large_is_cut_at_the_end_of_a_line(
    run_of: Callable[..., Run], view: View
) -> None:
    run = run_on(run_of, *[Finding("\u00e9" * 999, "\u00e9" * 999)] * 5)
    whole = "\n".join([render(run, view).summary] * 200)
    summary = render(run._replace(reports=run.reports * 200), view).summary
    kept = summary.removesuffix(CUT)
    left_out = whole.removeprefix(f"{kept}\n")

    assert len(summary.encode()) <= MOST_SUMMARY
    assert summary == f"{kept}{CUT}"
    assert whole == f"{kept}\n{left_out}"
    assert len(f"{kept}\n{left_out.partition(chr(10))[0]}\n".encode()) > MOST_SUMMARY - 100
