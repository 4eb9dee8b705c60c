"""Commit messages (Conventional Commits 1.0.0): found in an answer, or made from the issue."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from pipeline.protocol.patterns import COMMIT_MESSAGE, is_usual_type
from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADER_LETTERS = 72  # of a message of ours; what git's own tools show on one line
_MOST_LETTERS = 200  # of a header that is taken from an answer
_MOST_SEARCHED = 100_000  # characters of an answer

_FOOTER = re.compile(r"(?:BREAKING CHANGE|[A-Za-z0-9][A-Za-z0-9-]*)(?:: | #)\S")  # rules 8 and 9
_REFS = re.compile(r"^refs(?:: | (?=#))(.*(?:\n[ \t]+.*)*)", re.IGNORECASE | re.MULTILINE)
_FENCE = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[\w-]*)")
_AROUND = "`\"'*"  # around a message that is quoted or emphasised

# What a forge acts on in a text: mentions, and keywords before a reference that close it (GitHub,
# "Linking a pull request to an issue"; GitLab, "Default closing pattern"; Jira, "Smart Commits").
_MENTION = re.compile(r"(?<![\w@])@(?=\w)")
_CLOSING = re.compile(
    r"\b((?i:clos|fix|resolv|implement)\w{0,3}:?\s+(?:(?i:issues?)\s+)?)"
    r"((?:[\w./-]*[#!](?=[0-9])|(?!(?:AES|CVE|HTTP|ISO|MD|RFC|SHA|TLS|UTF)-)[A-Z][A-Z0-9]*-(?=[0-9])"
    r"|https?://)[^\s,;]*\w)"
)
_SMART = re.compile(r"(\b[A-Z][A-Z0-9]+-[0-9]+\b[^\n]*?\s)#(?=[A-Za-z])")
# What keeps a server from testing a commit, in the forms of the usual ones.
_SWITCH = re.compile(
    r"[ \t]*(?:\[(?:(?:skip|no)[ _-][\w -]{1,30}|[\w-]{1,30}[ _-]skip)\]|\*\*\*NO_CI\*\*\*)",
    re.IGNORECASE,
)
# Trailers that say who made or saw a commit, what is not tested, and which issue it belongs to.
_TRAILER = re.compile(r"(?:[\w-]+-by|skip-checks|refs)(?:\s*:|\s+#)", re.IGNORECASE)
_BREAKING = re.compile(r"BREAKING[ -]CHANGE: ")


def is_message(text: str) -> bool:
    """Return whether a text follows the contract's rule for commit messages.

    Every line must be printable: control characters could drive a terminal that shows the log.
    """
    plain = text.replace("\r\n", "\n")
    printable = all(line.isprintable() for line in plain.replace("\t", " ").split("\n"))
    return printable and re.match(COMMIT_MESSAGE.pattern, plain) is not None


def references(text: str, issue: str) -> bool:
    """Return whether a commit's message, conventional or not, has a footer `Refs: <issue>`."""
    _, _, rest = text.replace("\r\n", "\n").strip().partition("\n")
    return any(issue in re.split(r"[,\s]+", value) for value in _REFS.findall(rest))


def with_reference(text: str, issue: str) -> str:
    """Return a message that ends with the footer `Refs: <issue>`, added only if it is missing."""
    text = text.replace("\r\n", "\n").strip()
    if references(text, issue):
        return text
    _, *paragraphs = text.split("\n\n")
    gap = "\n" if paragraphs and _FOOTER.match(paragraphs[-1].lstrip("\n")) else "\n\n"
    return f"{text}{gap}Refs: {issue}"


def first_message_in(reply: str) -> str:
    """Return the first commit message of a usual type in an agent's answer, empty if there is none.

    Looked for in this order: a fenced block, the whole answer, a line of it.
    """
    reply = reply[:_MOST_SEARCHED].replace("\r\n", "\n")
    lines = reply.split("\n")
    plain = (line.strip().lstrip("-> ").strip(_AROUND) for line in lines)
    found = map(publishable, (*_blocks(lines), reply.strip(), *plain))
    return next(filter(_is_usual, found), "")


def inactive(text: str) -> str:
    """Return a text without what a forge acts on: `@a` becomes `@ a`, `Closes #1` `Closes "#1"`."""
    return _SMART.sub(r"\1# ", _CLOSING.sub(r'\1"\2"', _MENTION.sub("@ ", text)))


def publishable(message: str) -> str:
    """Return a message without what an agent may not decide: trailers, CI switches, closed issues.

    A note on a breaking change stays: it is a part of Conventional Commits (rule 12).
    """
    text = inactive(_SWITCH.sub("", message.replace("\r\n", "\n"))).strip()
    header, *paragraphs = re.split(r"\n(?:[ \t]*\n)+", text)
    if paragraphs and all(map(_FOOTER.match, _unfolded(paragraphs[-1]))):
        paragraphs[-1] = "\n".join(filter(_BREAKING.match, _unfolded(paragraphs[-1])))
    kept = ("\n".join(_kept(paragraph)) for paragraph in paragraphs)
    return "\n\n".join([header, *filter(None, kept)])


def _unfolded(paragraph: str) -> list[str]:
    """Return the lines of a paragraph, each with what continues it (git-interpret-trailers)."""
    return re.split(r"\n(?![ \t])", paragraph)


def _kept(paragraph: str) -> list[str]:
    return [line for line in _unfolded(paragraph) if not _TRAILER.match(line)]


def default_message(issue: str, title: str, summary: str, type: str = "feat") -> str:  # noqa: A002  # the specification's word
    """Return a message made of the issue's title and the worker's summary."""
    description = visible(" ".join(title.split()), 400).rstrip(".") or f"work on {issue}"
    first = description.partition(" ")[0]
    if first == "A" or first[1:].islower():  # no acronym, no name with capitals inside
        description = description[0].lower() + description[1:]
    header = textwrap.shorten(f"{type}: {description}", _HEADER_LETTERS, placeholder=" …")
    body = textwrap.fill(visible(" ".join(summary.split()), 1000), _HEADER_LETTERS)
    made = publishable("\n\n".join(part for part in (header, body) if part))
    return with_reference(made, issue)


def _blocks(lines: list[str]) -> Iterator[str]:
    """Yield the text of each fenced block that is closed, not indented."""
    fence, held = "", list[str]()
    for line in lines:
        match = _FENCE.match(line)
        if not fence and match:
            fence, held = match["fence"], []
        elif fence and match and match["fence"].startswith(fence) and not match["info"]:
            yield textwrap.dedent("\n".join(held)).strip()
            fence = ""
        elif fence:
            held.append(line)


def _is_usual(text: str) -> bool:
    is_short = len(text.partition("\n")[0]) <= _MOST_LETTERS
    return is_short and is_message(text) and is_usual_type(text)
