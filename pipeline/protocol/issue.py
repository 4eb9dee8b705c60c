"""Reads an issue's text: its title, its acceptance criteria, the domains that it spans."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pipeline.files import Unreadable, read_file
from pipeline.protocol.layout import is_issue_id
from pipeline.protocol.patterns import CRITERION
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import UNUSABLE
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

TITLE = re.compile(r"# ([A-Z][A-Z0-9]*-[0-9]+): (\S.*)")
_ITEM = re.compile(r"\s*[-*+] ")
LABELLED = re.compile(rf"- ({CRITERION.pattern[1:-1]}):\s*(\S.*)")
_FOLDER = r"`(?:(?!\.\.?/)[\w.@ -]+/)+`"
_DOMAIN = re.compile(rf"- ([a-z][a-z0-9-]*): ({_FOLDER}(?:, {_FOLDER})*)\s*")


class Issue(NamedTuple):
    """An issue of the course."""

    id: str
    title: str
    criteria: dict[str, str]  #: the sentence of each label, in order
    domains: Mapping[str, tuple[str, ...]] = {}  #: the folders of each, with a slash at the end
    text: str = ""  #: all of it


class MalformedIssue(Fault):
    """An issue's file that cannot be read, or does not have the form of the course's issues."""

    def __init__(self, line: str) -> None:
        super().__init__(line, code=UNUSABLE)


def read_issue(folder: str, issue: str) -> Issue | None:
    """Return the issue `<folder>/<issue>.md` as `issue_at`, None if the file does not exist."""
    path = os.path.join(folder, f"{issue}.md")
    return issue_at(path) if is_issue_id(issue) and os.path.lexists(path) else None


@cache
def issue_at(path: str) -> Issue:
    """Return the issue in a file; raises `MalformedIssue`, also where it cannot be read."""
    return parse_issue(text_at(path), visible(path, 300))


def text_at(path: str) -> str:
    """Return the text of an issue's file; raises `MalformedIssue` where it cannot be read."""
    shown = visible(path, 300)
    try:
        return read_file(path).decode()
    except Unreadable as error:
        raise MalformedIssue(f"{shown}: {error}") from None
    except UnicodeDecodeError:
        raise MalformedIssue(f"{shown}: is not UTF-8 text") from None


def parse_issue(text: str, path: str) -> Issue:
    """Return the issue that a text describes; raises `MalformedIssue`, which names it by `path`."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")  # as Windows writes them
    title = next(filter(None, map(TITLE.fullmatch, lines)), None)
    if title is None:
        raise MalformedIssue(f"{path}:1: expected a title line '# ISSUE-7: Title'")
    criteria = _items(lines, "## Acceptance criteria", LABELLED, "- AC1_name: …", path)
    if not criteria:
        raise MalformedIssue(f"{path}: expected '## Acceptance criteria' and '- AC1_name: …' lines")
    found = _items(lines, "## Domains", _DOMAIN, "- name: `src/name/`, `test/name/`", path)
    domains = {name: tuple(at.replace("`", "").split(", ")) for name, at in found.items()}
    return Issue(title[1], title[2].strip(), criteria, domains, text)


def _items(
    lines: list[str], heading: str, form: re.Pattern[str], expected: str, path: str
) -> dict[str, str]:
    """Return the items of the list below a heading: what is before the colon, and what is after."""
    items: dict[str, str] = {}
    seen: set[str] = set()
    section = ""
    for number, line in enumerate(lines, 1):
        if line.startswith("## "):
            section = line
        elif section == heading and _ITEM.match(line):
            match = form.fullmatch(line)
            if match is None:
                raise MalformedIssue(f"{path}:{number}: expected a line '{expected}'")
            word = match[1].partition("_")[0]  # AC1 of a criterion
            if word in seen:
                raise MalformedIssue(f"{path}:{number}: {word} is listed twice")
            seen.add(word)
            items[match[1]] = match[2].strip()
    return items
