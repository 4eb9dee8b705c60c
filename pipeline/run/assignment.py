"""What a run is about, known before any agent works: issue, criteria, target project, tier."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pipeline.classify.rules import classify
from pipeline.files import system_path
from pipeline.git import GitFault, Repository
from pipeline.protocol.layout import artifact_folder, in_target, is_issue_id
from pipeline.protocol.markdown_issue import issue_in_file
from pipeline.protocol.patterns import BRANCH
from pipeline.terminal.display import quoted, visible
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipeline.protocol.issue import Issue

PLANNER = "x-planner"
COPY = "issue.md"  # in an issue's folder: the text that came from a forge
_ISSUE_FOLDERS = ("issues", "sandbox/issues")
_FORM = (
    '"work on issue <issue_id>: <task description>", such as '
    '"work on issue ISSUE-7: add a GET /health endpoint", or, for an issue of a forge, '
    '"work on issue #12" or its address'
)
_PROMPT = re.compile(
    r"\s*work\s+on\s+issue\s+"
    r"(?:(?P<place>#[1-9][0-9]{0,8}|https?://\S*[^\s:])\s*(?::\s*(?P<words>\S.*)?)?"
    r"|(?P<mark>`?)(?P<id>[^\s:`#]+)(?P=mark)\s*:\s*(?P<task>\S.*))",
    re.IGNORECASE | re.DOTALL,
)
_MAX_TASK = 10_000  # characters: a task is a sentence or a few, the rest is in the issue
_OF_AN_ISSUE = re.compile(r"feature/([A-Za-z][A-Za-z0-9]*-[0-9]+)(?![A-Za-z0-9])")


class Prompt(NamedTuple):
    """The issue that a prompt names, and the task."""

    issue: str  #: its id, empty where a forge has it
    task: str  #: may be empty where a forge has the issue
    place: str = ""  #: `#123` or the address of an issue of a forge


def parse_prompt(text: str) -> Prompt:
    """Return what a prompt of the form `work on issue <issue_id>: <task>` asks for.

    In the place of an id, it may have `#123` or an address of a forge, then also without a task.
    Upper and lower case of the words and the space between them make no difference; the issue id
    is taken as it is, since it becomes the name of a folder, but without backticks around it.
    """
    match = _PROMPT.fullmatch(text)
    if match is None:
        raise unusable(f"the prompt {quoted(text)} does not start a run (expected {_FORM})")
    issue, place = match["id"] or "", match["place"] or ""
    task = (match["task"] or match["words"] or "").strip()
    if not (place or is_issue_id(issue)):
        raise unusable(
            f"{visible(issue)} is not an issue id "
            "(expected capital letters, a hyphen and digits, such as ISSUE-7, or the number of a "
            "forge's issue, such as #12)"
        )
    if len(task) > _MAX_TASK:
        raise unusable(f"the task has {len(task)} characters (expected at most {_MAX_TASK})")
    return Prompt(issue, task, place)


@dataclass(frozen=True, kw_only=True, slots=True)
class Assignment:
    """One issue to take to a pull request."""

    issue: str
    task: str  #: the task's words in the prompt
    title: str
    text: str  #: the whole issue
    criteria: tuple[tuple[str, str], ...]  #: labels and sentences, in the issue's order
    root: str  #: the repository's absolute path
    target: str  #: the target project relative to it, `.` for the root itself
    tier: str
    reason: str  #: why the task has its tier
    closes: str = ""  #: what the request closes

    @property
    def folder(self) -> str:
        """The folder of the issue's artifacts, relative to the root (section 2.1)."""
        return artifact_folder(self.target, self.issue)

    @property
    def folder_on_disk(self) -> str:
        """The absolute path of the issue's folder."""
        return system_path(self.root, self.folder)

    def path(self, name: str) -> str:
        """Return the path of an artifact, relative to the root."""
        return f"{self.folder}/{name}"

    def on_disk(self, name: str) -> str:
        """Return the absolute path of an artifact."""
        return os.path.join(self.folder_on_disk, name)

    def in_target(self, files: Iterable[str]) -> tuple[str, ...]:
        """Return files of the target project by their paths from the root, each once."""
        return tuple(dict.fromkeys(in_target(self.target, file) for file in files))


def root_of(project: str) -> str:
    """Return the absolute root of the repository of a target project, empty for this folder."""
    if project and not os.path.isdir(project):
        raise unusable(f"--project {visible(project)}: is not a folder")
    folder = project or "."
    try:
        return Repository.toplevel(folder)
    except GitFault as fault:
        if "not a git repository" not in str(fault):
            raise unusable(str(fault)) from None
        raise unusable(
            f"{visible(os.path.abspath(folder), 300)}: is not in a git repository (make one: git "
            "init, then commit your files)"
        ) from None


def assign(
    prompt: Prompt, root: str, project: str = "", issue_file: str = "", tier: str = ""
) -> Assignment:
    """Return the assignment of a prompt in the repository `root`, an absolute path.

    `project` and `issue_file` are paths, empty for the root and for `issues/<id>.md`, which is
    looked for in the target project, in the root and in the sandbox. An empty `tier` is classified.
    """
    target = target_of(root, project)
    issue = issue_named(prompt.issue, root, target, issue_file)
    reason = "chosen with --tier"
    if not tier:
        judgement = classify(prompt.task or issue.title, issue_text=issue.text)
        tier, reason = judgement.rule.tier, judgement.rule.sentence
    return Assignment(
        issue=prompt.issue,
        task=prompt.task or "what the issue describes",
        title=issue.title,
        text=issue.text,
        criteria=tuple(issue.criteria.items()),
        root=root,
        target=target,
        tier=tier,
        reason=reason,
        closes=prompt.place,
    )


def target_of(root: str, project: str) -> str:
    """Return the target project's folder relative to the root; `.` for an empty `project`."""
    target = os.path.relpath(os.path.realpath(project or root), os.path.realpath(root))
    return target.replace(os.sep, "/")


def issue_named(name: str, root: str, target: str, path: str) -> Issue:
    """Return the issue that a prompt names; an empty `path` is looked for as in `assign`."""
    return issue_in_file(path or _issue_path(root, target, name), name)


def issue_of(branch: str) -> str:
    """Return the id of the issue whose branch this is by its name, empty where it has none."""
    match = _OF_AN_ISSUE.match(branch)
    return match[1].upper() if match and re.match(BRANCH.pattern, branch) else ""


def labels_of(root: str, target: str, issue: str) -> list[str] | None:
    """Return the labels of an issue's criteria, None where its file is missing or damaged."""
    try:
        return list(issue_named(issue, root, target, "").criteria)
    except Fault:
        return None


def _issue_path(root: str, target: str, issue: str) -> str:
    folders = dict.fromkeys((in_target(target, "issues"), *_ISSUE_FOLDERS))
    places = [system_path(root, f"{folder}/{issue}.md") for folder in folders]
    for place in (system_path(root, f"{artifact_folder(target, issue)}/{COPY}"), *places):
        if os.path.exists(place):
            return place
    shown = " or ".join(os.path.relpath(place, root) for place in places)
    raise unusable(f"{issue}: the issue file is missing (create {shown}, or use --issue-file)")
