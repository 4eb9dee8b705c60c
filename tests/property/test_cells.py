"""Whoever takes an apostrophe away, as the page of exports says, has a cell's text again."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.terminal.display import visible
from verify.exports.base import cell

TEXTS = st.text("=+-@\uff1d\uff20';, a1.\"|\t\r\u201c\uff1b", max_size=12) | st.text(max_size=30)
SIGNS = "[=+\\-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b]"
DEFUSED = re.compile(f"(^|[,;|\uff0c\uff1b])'(?=['\"\u2018-\u201f\\s]*{SIGNS})")
FORMULA = re.compile(f'(?:^|[,;|\t\r\n\uff0c\uff1b])["\u201c\u201d\\s]*{SIGNS}')
NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


@given(TEXTS)
@example("'=1")
@example("a;';=1")
@example("-1")
def test_a_cell_without_its_apostrophes_is_the_text_as_people_see_it(text: str) -> None:
    assert DEFUSED.sub(r"\1", cell(text)) == visible(text, 30_000)


@given(TEXTS)
@example("1;-1")
@example('x;"=1')
@example('x,"" =1')
@example("x|@y")
@example("x\t=1")
@example('x\r\n"=1')
@example("x\uff1b\uff1dSUM(A1)")
def test_g15_no_cell_is_a_formula_unless_it_is_a_number(text: str) -> None:
    written = cell(text)

    assert NUMBER.fullmatch(written) or not FORMULA.search(written)
