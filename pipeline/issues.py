"""Reads an issue's text: its title, its acceptance criteria, the domains that it spans."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import NamedTuple

from pipeline.layout import is_issue_id
from pipeline.reading import MISSING, Unreadable, read_file
from pipeline.schema import CRITERION

_TITLE = re.compile(r"^# ([A-Z][A-Z0-9]*-[0-9]+): (\S.*)$", re.MULTILINE)
_NO_CRITERIA = "expected '## Acceptance criteria' and '- AC1_name: …' lines"
_SECTION = re.compile(r"^## Acceptance criteria$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


class Issue(NamedTuple):
    """An issue of the course; `criteria` maps each label, in order, to its sentence."""

    id: str
    title: str
    criteria: dict[str, str]


class MalformedIssue(Exception):
    """An issue file that does not have the form of the course's issues."""


@cache
def read_issue(folder: str, issue: str) -> Issue | None:
    """Return the issue `<folder>/<issue>.md`, None where there is no such file.

    Raises:
        MalformedIssue: the file has no title line or no criteria, or cannot be read.
    """
    path = os.path.join(folder, f"{issue}.md")
    if not is_issue_id(issue):
        return None
    try:
        text = read_file(path).decode("utf-8")
    except Unreadable as error:
        if error.reason == MISSING:
            return None
        raise MalformedIssue(f"{path}: {error}") from None
    except UnicodeDecodeError:
        raise MalformedIssue(f"{path}: is not UTF-8 text") from None
    return parse_issue(text, path)


def parse_issue(text: str, path: str) -> Issue:
    """Return the issue that a text describes; `path` names it in errors.

    Raises:
        MalformedIssue: no line `# <id>: <title>`, or no `## Acceptance criteria` with criteria.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")  # as an editor on Windows writes them
    title = _TITLE.search(text)
    section = _SECTION.search(text)
    if title is None:
        raise MalformedIssue(f"{path}:1: expected a title line '# ISSUE-7: Title'")
    if section is None or not section[1].strip():
        raise MalformedIssue(f"{path}: {_NO_CRITERIA}")
    first = text.count("\n", 0, section.start(1)) + 1
    criteria = _criteria(section[1], path, first)
    return Issue(id=title[1], title=title[2].strip(), criteria=criteria)


def _criteria(section: str, path: str, first: int) -> dict[str, str]:
    """Return the criteria of a section that begins on line `first`: every list item is one."""
    criteria: dict[str, str] = {}
    numbers: set[str] = set()
    for line, text in enumerate(section.split("\n"), start=first):
        if not text.lstrip().startswith(("- ", "* ", "+ ")):
            continue
        label, _, sentence = text.removeprefix("- ").partition(":")
        number = re.match("AC([0-9]+)", label)
        if not re.fullmatch(CRITERION.pattern, label) or not sentence.strip() or number is None:
            raise MalformedIssue(f"{path}:{line}: expected a line '- AC1_name: …'")
        if number[1] in numbers:
            raise MalformedIssue(f"{path}:{line}: AC{number[1]} stands twice")
        numbers.add(number[1])
        criteria[label] = sentence.strip()
    if not criteria:
        raise MalformedIssue(f"{path}: {_NO_CRITERIA}")
    return criteria
