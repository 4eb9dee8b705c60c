"""Reads an issue as people write it: headings of any level, list items and check boxes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.protocol.issue import LABELLED, TITLE, Issue, MalformedIssue, parse_issue, text_at
from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 65_536  # characters: GitHub's own limit
_HIDDEN = re.compile(
    r"<!--(?:.*?-->|.*)"  # what a page of the issue does not show: comments in HTML,
    r"|^ {0,3}\[[^\]\n]{1,999}\]: *(?:#|<>)[^\n]*",  # and those that are references to nothing
    re.DOTALL | re.MULTILINE,
)
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t](.*)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_BOLD = re.compile(r"(?:\*\*|__)([^*_]+)(?:\*\*|__):?[ \t]*")
_BOLD_LEVEL = 7
_CRITERIA = re.compile(r"acceptance criteri(?:a|on)\b", re.IGNORECASE)
_ITEM = re.compile(r"(\s*)(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(?:\[([ xX])\][ \t]+)?(\S.*)")
_NUMBERED = re.compile(r"AC[ -]?([1-9][0-9]{0,3})[ \t]*[:.)-][ \t]*(\S.*)")
_WORDS, _LETTERS = 4, 20  # of a label
_DIGITS = 9  # of the number in one: Python reads no number of 5,000


def issue_in_file(path: str, name: str = "") -> Issue:
    """Return the issue in a file as `issue_in`; raises `MalformedIssue`."""
    return issue_in(text_at(path), name, visible(path, 300))


def issue_in(text: str, name: str, path: str) -> Issue:
    """Return the issue `name` that a text describes, in the course's form or in Markdown.

    It has no criteria if none are listed. What a reader of its page would not see is left out.

    Raises:
        MalformedIssue: it has nothing to read or too much, is another issue's, or has labels and
            breaks the course's form.
    """
    shown = seen(text) if len(text) <= _MOST else ""
    if not shown:
        raise MalformedIssue(
            f"{path}: has {len(text)} characters (expected 1 to {_MOST}, not all of them hidden)"
        )
    lines = shown.split("\n")
    title = _title(lines)
    found = TITLE.fullmatch(f"# {title}")
    if found and "## Acceptance criteria" in lines and any(map(LABELLED.fullmatch, lines)):
        issue = parse_issue(shown, path)
    else:
        owner, words = found.groups() if found else (name, title)
        issue = Issue(owner, words.strip(), _criteria(lines), text=shown)
    if name and issue.id != name:
        raise MalformedIssue(f"{path}: is the text of {visible(issue.id)} (expected {name})")
    return issue


def seen(text: str) -> str:
    """Return the lines of a text that its page shows, in which no character is hidden."""
    lines = _HIDDEN.sub("", text.removeprefix("\ufeff")).expandtabs(4).splitlines()
    return "\n".join(visible(line.rstrip(), _MOST + 1) for line in lines).strip("\n")


def _title(lines: list[str]) -> str:
    headings = (words for _, level, words in _parts(lines) if 0 < level < _BOLD_LEVEL and words)
    return next(headings, next(line.strip() for line in lines if line.strip()))


def _criteria(lines: list[str]) -> dict[str, str]:
    """Return the items of the sections on acceptance criteria, otherwise the open check boxes."""
    listed, boxes, level = list[str](), list[str](), 0
    for line, depth, heading in _parts(lines):
        if depth and (not level or depth <= level):
            level = depth if _CRITERIA.match(heading) else 0
        if item := _ITEM.fullmatch(line):
            indent, box, sentence = item.groups()
            if level and (box or len(indent) <= 1):
                listed.append(sentence)
            elif box == " ":
                boxes.append(sentence)
    return _labelled(listed or boxes)


def _labelled(sentences: list[str]) -> dict[str, str]:
    """Return sentences by labels: the number that one begins with, or the next, and its words."""
    criteria: dict[str, str] = {}
    used: set[int] = set()
    for sentence in sentences:
        labelled, numbered = LABELLED.fullmatch(f"- {sentence}"), _NUMBERED.fullmatch(sentence)
        digits, words = numbered.groups() if numbered else ("", sentence)
        name = _name(words)
        if labelled:
            label, words = labelled.groups()
            digits, _, name = label.removeprefix("AC").partition("_")
        number = int(digits) if 0 < len(digits) <= _DIGITS else 0
        if not number or number in used:
            number = max(used, default=0) + 1
        used.add(number)
        criteria[f"AC{number}_{name}"] = words.strip()
    return criteria


def _name(sentence: str) -> str:
    words = re.findall(r"[A-Za-z0-9]+", sentence.lower())[:_WORDS]
    return "_".join(word[:_LETTERS] for word in words) or "criterion"


def _parts(lines: list[str]) -> Iterator[tuple[str, int, str]]:
    """Yield the lines outside code, each with its level and its words if it is a heading."""
    fence = ""
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
        elif found:
            fence = found[1]
        elif heading := _HEADING.fullmatch(line):
            words = heading[2].strip()
            bare = words.rstrip("#")  # a heading may be closed as it is opened
            yield line, len(heading[1]), bare.strip() if bare.endswith(" ") else words
        elif line.strip() and _UNDERLINE.fullmatch(following) and not _ITEM.fullmatch(line):
            yield line, 2 if "-" in following else 1, line.strip()
        else:
            bold = _BOLD.fullmatch(line.strip())
            yield line, _BOLD_LEVEL if bold else 0, bold[1].rstrip(":") if bold else ""
