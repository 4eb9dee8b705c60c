"""Messages that pages quote by hand are those of the code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("run/stages/*.py", "run/*.py", "commands/*.py", "forges/*.py", "git.py")
PAGE = ROOT / "docs" / "how-to" / "when-a-run-stops.md"
SHORTEST = 12  # characters: a shorter piece of a message could be anybody's


def quoted() -> list[str]:
    """Return the lines of the page's blocks of plain text."""
    text = re.sub(r"<!-- generated.*?<!-- end -->", "", PAGE.read_text("utf-8"), flags=re.DOTALL)
    blocks = re.findall(r"^```text\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [line.strip() for block in blocks for line in block.splitlines()]


def pieces() -> set[str]:
    """Return the fixed texts of the code's messages."""
    found = set()
    for source in SOURCES:
        for path in ROOT.glob(f"pipeline/{source}"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found.add(node.value.strip(" ,;:()'"))
    return {piece for piece in found if len(piece) >= SHORTEST}


@pytest.fixture(scope="module")
def messages() -> set[str]:
    return pieces()


def test_the_page_quotes_messages() -> None:
    assert len(quoted()) > 10


@pytest.mark.parametrize("line", quoted())
def test_a_quoted_line_is_made_of_the_codes_own_words(line: str, messages: set[str]) -> None:
    rest = line
    for piece in sorted(messages, key=len, reverse=True):
        rest = rest.replace(piece, "\0")
    said = re.sub(r"pipeline: |[A-Z]+-\d+|stopped|x-[a-z]+|\S*[./\d]\S*|\(.*?\)", "", rest)

    assert "\0" in rest
    assert len(re.findall(r"[A-Za-z]{3,}", said)) <= 2, said  # names that the example fills in
