"""Text for GitHub: Markdown without effect, the runner's commands, a step summary's limit."""

from __future__ import annotations

import re

from pipeline.display import visible

MOST_SUMMARY = 1 << 20  # bytes per step; beyond it the whole summary is refused

_BACKTICKS = re.compile("`+")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-!|@~&$:])")


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
    """Return our own words, with what may be quoted in them shown as it is."""
    escaped = _MARKDOWN.sub(r"\\\1", visible(text, 1_000))
    return escaped.replace("\\<", "&lt;").replace("\\@", "&#64;")


def cut_page(summary: str) -> str:
    """Return a step summary cut to the size that GitHub takes, at the end of a line."""
    data = summary.encode()
    if len(data) <= MOST_SUMMARY:
        return summary
    whole = data[: MOST_SUMMARY - 100].rpartition(b"\n")[0]  # a code span cut open quotes nothing
    return whole.decode() + "\n\n(cut: the page is full)\n"
