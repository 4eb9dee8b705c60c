"""Columns are those of a terminal, whatever the letters of a name."""

from __future__ import annotations

from functools import partial

import pytest
from tabulate import tabulate

from pipeline.terminal.widths import aligned, fitted, width_of


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("Ada", 3),
        ("李伟", 4),
        ("\uff37\uff49\uff44\uff45", 8),  # the wide letters of Wide
        ("é", 1),
        ("e\u0301", 1),
        ("한", 2),
        ("\u1112\u1161\u11ab", 2),  # the same, as a Mac writes it
        ("สมชาย", 5),
        ("น้ำ", 2),
        ("\u0645\u06cc\u200c\u062e\u0648", 4),  # a joiner between letters of Persian
        ("🎓", 2),
        ("\x1b[31m✓ fail\x1b[0m", 6),
        ("", 0),
    ],
)
def test_a_width_is_that_on_a_terminal(text: str, width: int) -> None:
    assert width_of(text) == width


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("李伟李伟", "李伟…"),
        ("李伟", "李伟"),
        ("abcdefg", "abcde…"),
        ("e\u0301" * 6, "e\u0301" * 6),
    ],
)
def test_a_line_is_cut_to_columns(text: str, shown: str) -> None:
    assert fitted(text, 6) == shown


def test_a_table_is_aligned_by_columns() -> None:
    rows = [("名", "b"), ("李伟", "x\ne\u0301"), ("", "y"), ("ada", "한")]
    found = aligned(rows, partial(tabulate, tablefmt="plain", colalign=("left", "right")))

    assert found.splitlines() == ["名     b", "李伟   x", f"{'':7}e\u0301", f"{'':7}y", "ada   한"]
