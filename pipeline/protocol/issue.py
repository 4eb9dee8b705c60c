"""Reads an issue's text: its title, its acceptance criteria, the domains that it spans."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pipeline.files import MISSING, Unreadable, read_file
from pipeline.protocol.layout import is_issue_id
from pipeline.protocol.patterns import CRITERION, PATH

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TITLE = re.compile(r"^# ([A-Z][A-Z0-9]*-[0-9]+): (\S.*)$", re.MULTILINE)
_NO_CRITERIA = "expected '## Acceptance criteria' and '- AC1_name: …' lines"
_DOMAIN = re.compile(r"- ([a-z][a-z0-9-]*): (`[^`]+/`(?:, `[^`]+/`)*)")
_ALMOST_DOMAINS = re.compile(r"^(?!## Domains$)#+[ \t]*(?i:domains?)[ \t]*:?[ \t]*$", re.MULTILINE)
_A_DOMAIN = "expected a line '- name: `src/name/`, `test/name/`'"


class Issue(NamedTuple):
    """An issue of the course; `criteria` maps each label, in order, to its sentence.

    `domains` maps the name of each domain, in order, to its folders, each ending with a slash;
    it is empty where the issue declares none.
    """

    id: str
    title: str
    criteria: dict[str, str]
    domains: Mapping[str, tuple[str, ...]] = {}


class MalformedIssue(Exception):
    """An issue file that does not have the form of the course's issues."""


@cache
def read_issue(folder: str, issue: str) -> Issue | None:
    """Return the issue `<folder>/<issue>.md`, None if the file does not exist.

    Raises:
        MalformedIssue: as `parse_issue`, or the file cannot be read.
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
        MalformedIssue: no line `# <id>: <title>`, no `## Acceptance criteria` with criteria, or a
            section `## Domains` with anything but domains, one a line.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")  # as an editor on Windows writes them
    title = _TITLE.search(text)
    if title is None:
        raise MalformedIssue(f"{path}:1: expected a title line '# ISSUE-7: Title'")
    criteria = _criteria(_lines(text, "Acceptance criteria"), path)
    if not criteria:
        raise MalformedIssue(f"{path}: {_NO_CRITERIA}")
    return Issue(title[1], title[2].strip(), criteria, _domains(text, path))


def _lines(text: str, title: str) -> Iterator[tuple[int, str]]:
    """Yield the lines below each heading of the second level with a title, by their numbers."""
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("## "):
            inside = line == f"## {title}"
        elif inside:
            yield number, line


def _criteria(lines: Iterator[tuple[int, str]], path: str) -> dict[str, str]:
    """Return the criteria of a section: every list item is one."""
    criteria: dict[str, str] = {}
    numbers: set[str] = set()
    for line, text in lines:
        if not text.lstrip().startswith(("- ", "* ", "+ ")):
            continue
        label, _, sentence = text.removeprefix("- ").partition(":")
        number = label.partition("_")[0]
        if not re.fullmatch(CRITERION.pattern, label) or not sentence.strip():
            raise MalformedIssue(f"{path}:{line}: expected a line '- AC1_name: …'")
        if number in numbers:
            raise MalformedIssue(f"{path}:{line}: {number} is there twice")
        numbers.add(number)
        criteria[label] = sentence.strip()
    return criteria


def _domains(text: str, path: str) -> dict[str, tuple[str, ...]]:
    """Return the domains of an issue; empty without a section `## Domains`."""
    almost = _ALMOST_DOMAINS.search(text)
    if almost:
        line = text.count("\n", 0, almost.start()) + 1
        raise MalformedIssue(f"{path}:{line}: expected '## Domains'")
    domains: dict[str, tuple[str, ...]] = {}
    seen: set[str] = set()
    first = 0
    for line, item in _lines(text, "Domains"):
        first = first or line
        if not item.strip():
            continue
        match = _DOMAIN.fullmatch(item.rstrip())
        folders = tuple(match[2].replace("`", "").split(", ")) if match else ()
        if match is None or not all(re.match(PATH.pattern, f.removesuffix("/")) for f in folders):
            raise MalformedIssue(f"{path}:{line}: {_A_DOMAIN}")
        for word in (match[1], *folders):
            if word in seen:
                raise MalformedIssue(f"{path}:{line}: {word} is there twice")
            seen.add(word)
        domains[match[1]] = folders
    if first and not domains:
        raise MalformedIssue(f"{path}:{first - 1}: {_A_DOMAIN}")
    return domains
