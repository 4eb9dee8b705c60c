"""Text of the catalogue as Markdown: read back by a parser that is not ours."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from tools.markdown import fenced, plain


@pytest.mark.parametrize("text", ["affected_files and _steps_", "AC<N>_<short_name>", "a*b*c"])
def test_a_plain_text_is_shown_as_it_is(text: str) -> None:
    (inline,) = (t for t in MarkdownIt().parse(plain(text)) if t.type == "inline")
    shown = "".join(child.content for child in inline.children or ())

    assert shown == text


@pytest.mark.parametrize("code", ["plain", "```json\n{}\n```", "a\n````\nb\n````"])
def test_code_with_fences_of_its_own_stays_one_block(code: str) -> None:
    tokens = MarkdownIt().parse(fenced(code, "markdown"))

    assert [(t.type, t.info, t.content) for t in tokens] == [("fence", "markdown", f"{code}\n")]
