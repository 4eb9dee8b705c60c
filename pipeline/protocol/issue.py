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
    from collections.abc import Mapping

_TITLE = re.compile(r"^# ([A-Z][A-Z0-9]*-[0-9]+): (\S.*)$", re.MULTILINE)
_CRITERION = re.compile(rf"- ({CRITERION.pattern[1:-1]}):\s*(\S.*)")
_ITEM = re.compile(r"\s*[-*+] ")
_DOMAIN = re.compile(r"- ([a-z][a-z0-9-]*): (`[^`]+/`(?:, `[^`]+/`)*)\s*")
_ALMOST_DOMAINS = re.compile(r"(?!## Domains$)#+[ \t]*(?i:domains?)[ \t]*:?[ \t]*")
_CRITERIA, _DOMAINS = "## Acceptance criteria", "## Domains"
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
    criteria, domains = _sections(text, path)
    if not criteria:
        raise MalformedIssue(f"{path}: expected '{_CRITERIA}' and '- AC1_name: …' lines")
    return Issue(title[1], title[2].strip(), criteria, domains)


def _sections(text: str, path: str) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    criteria: dict[str, str] = {}
    domains: dict[str, tuple[str, ...]] = {}
    seen: set[str] = set()
    section, domains_at = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        place = f"{path}:{number}"
        if _ALMOST_DOMAINS.fullmatch(line):
            raise MalformedIssue(f"{place}: expected '{_DOMAINS}'")
        if line.startswith("## "):
            section, domains_at = line, number if line == _DOMAINS else domains_at
        elif section == _CRITERIA and _ITEM.match(line):
            _add_criterion(criteria, seen, line, place)
        elif section == _DOMAINS and line.strip():
            _add_domain(domains, seen, line, place)
    if domains_at and not domains:
        raise MalformedIssue(f"{path}:{domains_at}: {_A_DOMAIN}")
    return criteria, domains


def _add_criterion(criteria: dict[str, str], seen: set[str], line: str, place: str) -> None:
    match = _CRITERION.fullmatch(line)
    if match is None:
        raise MalformedIssue(f"{place}: expected a line '- AC1_name: …'")
    _see(seen, match[1].partition("_")[0], place)
    criteria[match[1]] = match[2].strip()


def _add_domain(domains: dict[str, tuple[str, ...]], seen: set[str], line: str, place: str) -> None:
    match = _DOMAIN.fullmatch(line)
    folders = tuple(match[2].replace("`", "").split(", ")) if match else ()
    if match is None or not all(re.match(PATH.pattern, f.removesuffix("/")) for f in folders):
        raise MalformedIssue(f"{place}: {_A_DOMAIN}")
    for word in (match[1], *folders):
        _see(seen, word, place)
    domains[match[1]] = folders


def _see(seen: set[str], word: str, place: str) -> None:
    if word in seen:
        raise MalformedIssue(f"{place}: {word} is listed twice")
    seen.add(word)
