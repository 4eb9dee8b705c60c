"""Reads the prompt that starts a pipeline (specification, section 1)."""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.protocol.layout import is_issue_id
from pipeline.terminal.display import visible

FORM = "work on issue <issue_id>: <task description>"
_EXAMPLE = "work on issue ISSUE-7: add a GET /health endpoint"
_PROMPT = re.compile(r"\s*work\s+on\s+issue\s+([^\s:]+)\s*:\s*(\S.*)", re.IGNORECASE | re.DOTALL)
_ALMOST_ID = re.compile(r"\b([A-Za-z][A-Za-z0-9]*-[0-9]+)\b")
_MAX_TASK = 10_000  # characters: a task is a sentence or a few, the rest stands in the issue


class Prompt(NamedTuple):
    """The issue that a prompt names, and the task."""

    issue: str
    task: str


class NotAPrompt(Exception):
    """A text that does not start a pipeline; the message says what is expected instead."""


def parse_prompt(text: str) -> Prompt:
    """Return what a prompt of the form `work on issue <issue_id>: <task>` asks for.

    Upper and lower case of the words and the space between them make no difference; the issue id
    is taken as it is, since it becomes the name of a folder.

    Raises:
        NotAPrompt: another text.
    """
    match = _PROMPT.fullmatch(text)
    if match is None or not is_issue_id(match[1]):
        raise NotAPrompt(_expectation(text, match[1] if match else ""))
    if len(match[2]) > _MAX_TASK:
        raise NotAPrompt(f"the task has {len(match[2])} characters (expected at most {_MAX_TASK})")
    return Prompt(match[1], match[2].strip())


def _expectation(text: str, issue: str) -> str:
    almost = _ALMOST_ID.search(text)
    if issue and is_issue_id(issue.upper()):
        return f"{visible(issue)} is no issue id (did you mean {issue.upper()}?)"
    if issue:
        return f"{visible(issue)} is no issue id (expected capitals, a hyphen, digits: ISSUE-7)"
    if almost and is_issue_id(almost[1].upper()):
        form = f"work on issue {almost[1].upper()}: <task description>"
    else:
        form = f"{FORM}, such as: {_EXAMPLE}"
    return f"this prompt starts no pipeline: {visible(text, 60) or '(empty)'} (expected {form})"
