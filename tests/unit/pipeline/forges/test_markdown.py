"""Texts of others stay texts in Markdown, as a parser reads it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pipeline.forges.markdown import code, code_span, plain, quotation

MARKS = st.text(alphabet="\\`*_{}[]()<>#+-.!|~&;:/=\"' \t\r\n\x0b\x85\u2028abx1", max_size=60)
END = "\n\nEnd\n"


def blocks(text: str) -> list[str]:
    """Return the kinds of the blocks on the outermost level, closing ones left out."""
    tokens = MarkdownIt("commonmark").parse(text)
    return [t.type for t in tokens if t.level == 0 and t.nesting >= 0]


def has_html(text: str) -> bool:
    tokens = MarkdownIt("commonmark").parse(text)
    inline = [child.type for token in tokens for child in token.children or ()]
    return "html_inline" in inline or any(token.type == "html_block" for token in tokens)


@settings(deadline=None)
@given(MARKS)
def test_a_plain_text_is_one_paragraph_of_text_alone(text: str) -> None:
    shown = f"Text: {plain(text)}{END}"

    inline = MarkdownIt("commonmark").parse(shown)[1].children or []
    assert blocks(shown) == ["paragraph_open", "paragraph_open"]
    assert {child.type for child in inline} <= {"text", "text_special"}


@settings(deadline=None)
@given(MARKS)
def test_nothing_ends_a_quotation(text: str) -> None:
    shown = f"{quotation(text)}{END}"

    assert blocks(shown) == ["blockquote_open", "paragraph_open"]
    assert not has_html(shown)


@settings(deadline=None)
@given(MARKS)
def test_a_code_span_is_one_code_span(text: str) -> None:
    inline = MarkdownIt("commonmark").parse(f"x {code_span(text)} y\n")[1].children or []

    assert [child.type for child in inline] == ["text", "code_inline", "text"]


def test_lines_of_code_stay_code() -> None:
    assert code("a | 1\n```\n\n# b\x1b") == "    a | 1\n    ```\n\n    # b\\u{1b}"
