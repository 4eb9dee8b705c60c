"""What a remote prints and shows is read; nothing is guessed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pipeline.forges.base import ForgeFault
from pipeline.forges.markdown import code_span, plain, quotation
from pipeline.forges.pushed import option, request_in
from pipeline.forges.registry import forge


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ("remote:   https://f.example/a/pulls/5        \n", "https://f.example/a/pulls/5"),
        ("remote: http://localhost:3000/a/pulls/5 merges into main", "http://localhost:3000/a/pulls/5"),
        ("remote: https://f.example/a/pulls/5\nremote: https://f.example/a/pulls/6", "https://f.example/a/pulls/6"),
        ("https://f.example/a/pulls/5", ""),
        ("remote: https://f.example/a/pulls/new?x=5", ""),
        ("remote: https://f.example/a/pulls/5/files", ""),
        ("remote: https://f.example/a/issues/5", ""),
        ("remote: ftp://f.example/a/pulls/5", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_the_address_is_the_last_that_the_remote_printed(said: str, address: str) -> None:
    assert request_in(said, "pulls") == address


def test_an_option_is_one_visible_line() -> None:
    assert option("title", " a\n\tb\r\nc \x00") == "title=a b c \\u{0}"
    assert len(option("x", "y" * 100_000)) == 20_000


def test_an_unknown_name_lists_the_choices() -> None:
    with pytest.raises(ForgeFault) as refused:
        forge("gerrit", remote="origin")

    assert refused.value.usage
    assert str(refused.value) == ('no forge is named "gerrit": choose local, github, gitlab, gitea')


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
