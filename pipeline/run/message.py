"""The rule for commit messages, Conventional Commits 1.0.0, and messages found or made by it."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from pipeline.protocol.patterns import COMMIT_MESSAGE
from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

# Rule 14 allows any type; in prose only these make a message (`Note: …` is not one).
TYPES = (
    *("feat", "fix", "build", "chore", "ci", "docs", "perf", "refactor", "revert", "style"),
    "test",
)
_HEADER_LETTERS = 72  # of a message of ours; what git's own tools show on one line
_MOST_LETTERS = 200  # of a header that is taken from an answer
_MOST_SEARCHED = 100_000  # characters of an answer

# Rules 8 and 9: a word token and `: ` or ` #`; `BREAKING CHANGE` alone may contain a space.
_FOOTER = re.compile(
    r"(?P<token>BREAKING CHANGE|[A-Za-z0-9][A-Za-z0-9-]*)(?:: | (?=#))(?P<value>\S.*)"
)
_FENCE = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[\w-]*)")
_PLAIN_BLOCKS = {"", "text", "txt", "plaintext", "commit", "gitcommit", "git-commit"}
_AROUND = "`\"'*"  # of a message that is quoted or stressed in running text


def is_message(text: str) -> bool:
    """Return whether a text is a commit message by the rule, of printable lines.

    The form is the contract's (`pipeline.schema.COMMIT_MESSAGE`): what passes here is valid in
    git-result.json. Control characters could drive the terminal of a person who reads the log.
    """
    plain = text.replace("\r\n", "\n")
    printable = all(line.isprintable() for line in plain.replace("\t", " ").split("\n"))
    return printable and re.match(COMMIT_MESSAGE.pattern, plain) is not None


def references(text: str, issue: str) -> bool:
    """Return whether a commit's message, conventional or not, has a footer `Refs: <issue>`."""
    _, _, rest = text.replace("\r\n", "\n").strip().partition("\n")
    footers = _footers(rest.strip("\n"))
    return any(
        token.lower() == "refs" and issue in re.split(r"[,\s]+", value) for token, value in footers
    )


def with_reference(text: str, issue: str) -> str:
    """Return a message that ends with the footer `Refs: <issue>`, added only if it is missing."""
    text = text.replace("\r\n", "\n").strip()
    if references(text, issue):
        return text
    footers = _footers(text.partition("\n")[2].strip("\n"))
    return f"{text}{chr(10) if footers else chr(10) * 2}Refs: {issue}"


def first_message_in(reply: str) -> str:
    """Return the first commit message in an agent's answer, empty if there is none.

    Looked for in this order: a fenced block, the whole answer, a line of it. In running text only
    a usual type makes a message; a fenced block that is not marked as code may have any type.
    """
    reply = reply[:_MOST_SEARCHED].replace("\r\n", "\n")
    blocks = list(_blocks(reply.split("\n")))
    lines = (line.strip().lstrip("-> ").strip(_AROUND) for line in reply.split("\n"))
    candidates = (*(text for _, text in blocks), reply.strip(), *lines)
    usual = (text for text in candidates if _is_usual(text))
    unusual = (text for info, text in blocks if info in _PLAIN_BLOCKS and _is_short(text))
    return next(usual, "") or next(unusual, "")


def default_message(issue: str, title: str, summary: str, type: str = "feat") -> str:  # noqa: A002  # the specification's word
    """Return a message made without an agent, of the issue's title and the worker's summary."""
    description = visible(" ".join(title.split()), 400).rstrip(".") or f"work on {issue}"
    first = description.partition(" ")[0]
    if first == "A" or first[1:].islower():  # no acronym, no name with capitals inside
        description = description[0].lower() + description[1:]
    header = textwrap.shorten(f"{type}: {description}", _HEADER_LETTERS, placeholder=" …")
    body = textwrap.fill(visible(" ".join(summary.split()), 1000), _HEADER_LETTERS)
    return with_reference("\n\n".join(part for part in (header, body) if part), issue)


def _blocks(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the language and the text of each fenced block that is closed, not indented."""
    fence, info, held = "", "", list[str]()
    for line in lines:
        match = _FENCE.match(line)
        if not fence and match:
            fence, info, held = match["fence"], match["info"].lower(), []
        elif fence and match and match["fence"].startswith(fence) and not match["info"]:
            yield info, textwrap.dedent("\n".join(held)).strip()
            fence = ""
        elif fence:
            held.append(line)


def _is_short(text: str) -> bool:
    return is_message(text) and len(text.partition("\n")[0]) <= _MOST_LETTERS


def _is_usual(text: str) -> bool:
    return _is_short(text) and re.split(r"[(!:]", text, maxsplit=1)[0].lower() in TYPES


def _footers(rest: str) -> list[tuple[str, str]]:
    """Return the footers of what follows the header: the last paragraphs that begin like one."""
    paragraphs = re.split(r"\n{2,}", rest) if rest else []
    first = len(paragraphs)
    while first and _FOOTER.match(paragraphs[first - 1]):
        first -= 1
    footers: list[tuple[str, str]] = []
    for line in "\n".join(paragraphs[first:]).split("\n"):
        match = _FOOTER.fullmatch(line)
        if match:
            footers.append((match["token"], match["value"]))
        elif footers:  # rule 10: a value may contain newlines, up to the next token
            footers[-1] = (footers[-1][0], f"{footers[-1][1]}\n{line}")
    return footers
