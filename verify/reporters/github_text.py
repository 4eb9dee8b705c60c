"""Text for GitHub: Markdown without effect, the runner's commands, a step summary's limit."""

from __future__ import annotations

import re

from pipeline.terminal.display import visible

MOST_SUMMARY = 1 << 20  # bytes per step; beyond it the whole summary is refused

_BACKTICKS = re.compile("`+")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-!|~&$:]|(?<=www)\.)", re.IGNORECASE)
# GitHub looks for mentions, addresses and references in the text that Markdown has made
_REFERENCE = re.compile(r"((?:@|#(?=\w)|(?<=\bgh)-(?=[0-9]))+)", re.IGNORECASE)


def command_data(text: str) -> str:
    """Escape a command's message as the runner unescapes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def command_property(text: str) -> str:
    """Escape the value of a command's property as the runner unescapes it."""
    return command_data(text).replace(":", "%3A").replace(",", "%2C")


def span(text: str) -> str:
    """Return a code span: no markup, link, image, mention or HTML of the text takes effect."""
    shown = visible(text, 1_000)
    mark = "`" * (longest_fence(shown) + 1)
    return f"{mark} {shown} {mark}"


def longest_fence(text: str) -> int:
    """Return the length of the longest run of backticks in a text."""
    return max(map(len, _BACKTICKS.findall(text)), default=0)


def plain(text: str) -> str:
    """Return our own words, with what may be quoted in them shown as it is.

    Nothing in them is markup or a link, and nothing names a person or an issue to GitHub: what
    would is broken by a code span, in which it looks for neither.
    """
    parts = _REFERENCE.split(visible(text, 1_000))
    return "".join(f"`{part}`" if at % 2 else _escaped(part) for at, part in enumerate(parts))


def _escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text).replace("\\<", "&lt;")


def cut_page(summary: str) -> str:
    """Return a step summary cut to the size that GitHub takes, at the end of a line."""
    data = summary.encode()
    if len(data) <= MOST_SUMMARY:
        return summary
    whole = data[: MOST_SUMMARY - 100].rpartition(b"\n")[0]  # a code span cut open quotes nothing
    return whole.decode() + "\n\n(cut: the page is full)\n"
