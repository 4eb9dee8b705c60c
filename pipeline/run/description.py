"""What the reader of a pull request needs beside its summary: template, tests, artifacts, issue."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pipeline.protocol.layout import GIT_RESULT, TEST_RESULT
from pipeline.protocol.markdown_issue import seen
from pipeline.run.artifacts import find
from pipeline.run.message import inactive
from pipeline.schema import KINDS
from pipeline.terminal.display import visible
from pipeline.terminal.markdown import code, code_span

if TYPE_CHECKING:
    from pipeline.git import Repository
    from pipeline.run.assignment import Assignment

_TEMPLATE = re.compile(
    r"(?:\.github/|\.gitea/|\.forgejo/|docs/)?pull_request_template\.md"
    r"|\.gitlab/merge_request_templates/default\.md",
    re.IGNORECASE,
)
_PLACE = re.compile(r"(?im)^#+ .*\b(?:description|summary|what|changes?)\b.*$")
_MOST_LINES, _MOST_LETTERS = 200, 20_000


def closing(about: Assignment) -> str:
    """Return the line by which a forge closes the issue, empty where no forge has it."""
    return f"Closes {about.closes}" if about.closes else ""


def described(repository: Repository, base_ref: str, *texts: str) -> str:
    """Return the parts of a pull request's text in the template of the base, if it has one.

    It comes below the first heading that asks for it, or before the template. The comments of a
    template are for who fills it in: they are left out.
    """
    names = repository.entries("ls-tree", "-r", "-z", "--name-only", base_ref)
    name = next(filter(_TEMPLATE.fullmatch, names), None)
    template = seen(repository.run("show", f"{base_ref}:{name}")[:_MOST_LETTERS]) if name else ""
    place = _PLACE.search(template)
    at = place.end() if place else 0
    parts = (template[:at], *texts, template[at:])
    return "\n\n".join(filter(None, (part.strip("\n") for part in parts)))


def to_reproduce(about: Assignment, branch: str, sha: str) -> str:
    """Return how to run the tests that the run has run, empty if it ran none."""
    tests = find(about, TEST_RESULT)
    command = tests.says("command")
    if not command or tests.says("verdict") == "not run":
        return ""
    where = f"{code_span(branch)}, commit {code_span(sha[:12])}"
    folder = "" if about.target == "." else f", in {code_span(about.target)}"
    return f"To reproduce the test result, run this on {where}{folder}:\n\n{code(command)}"


def folded(about: Assignment) -> str:
    """Return the artifacts as folded blocks, so that a reader need not have the work tree.

    Each line of JSON begins with a quotation mark, a bracket or a number: none closes the fence.
    """
    parts = []
    for name in (f"{kind}.json" for kind in KINDS):
        found = find(about, name)
        if found.is_valid and name != GIT_RESULT:
            lines = json.dumps(found.value, indent=2, ensure_ascii=False).split("\n")
            shown = [visible(inactive(line), 1000) for line in lines[:_MOST_LINES]]
            shown += ["…"] * (len(lines) > _MOST_LINES)
            text = "\n".join(shown)
            parts.append(
                f"<details><summary>{name}</summary>\n\n```json\n{text}\n```\n\n</details>"
            )
    return "\n\n".join(parts)
