"""The text of a pull request, in which nothing that an agent or an issue says acts."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pipeline.protocol.agreement import fails_anew, is_gone, new_failures
from pipeline.protocol.conventions import is_test_path
from pipeline.protocol.layout import GIT_RESULT, TEST_RESULT
from pipeline.protocol.markdown_issue import seen
from pipeline.run.artifacts import find
from pipeline.run.message import inactive
from pipeline.schema import KINDS
from pipeline.terminal.display import visible
from pipeline.terminal.markdown import code, code_span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pipeline.git import Repository
    from pipeline.run.assignment import Assignment
    from pipeline.schema import Plan, ReviewFinding, ReviewResult, TestResult, WorkerResult

_SHOWN = 20  # lines of a list
# Files that a server, git, a package manager, an editor or an agent acts on without being asked.
_FOLDERS = (
    *(".buildkite", ".circleci", ".claude", ".codex", ".cursor", ".devcontainer", ".drone"),
    *(".forgejo", ".gemini", ".gitea", ".githooks", ".github", ".gitlab", ".husky", ".idea"),
    *(".mvn", ".qwen", ".vscode", ".woodpecker", "git-hooks", "githooks", "hooks"),
)
_FILES = re.compile(
    r"\.(?:drone|gitlab-ci|lefthook|pre-commit-config|travis|woodpecker)\.ya?ml|jenkinsfile.*"
    r"|(?:appveyor|azure-pipelines|bitbucket-pipelines|cloudbuild|lefthook|taskfile)\.ya?ml"
    r"|(?:docker-)?compose.*\.ya?ml|.*dockerfile.*|\.(?:gitattributes|gitmodules|envrc)"
    r"|\.(?:npm|yarn|pnpm)rc|\.yarnrc\.yml|\.pnpmfile\.c?js|package\.json|deno\.jsonc?|binding\.gyp"
    r"|.*\.config\.[cm]?[jt]s|\.?(?:eslint|babel|mocha|lintstaged|prettier)rc.*|gruntfile.*|gulpfile.*"
    r"|setup\.(?:py|cfg)|(?:pyproject|pipeline)\.toml|(?:tox|pytest)\.ini|noxfile\.py|conftest\.py|tasks\.py|manage\.py"
    r"|(?:site|user)customize\.py|.*\.pth|(?:gnu)?makefile.*|.*\.mk|cmakelists\.txt|.*\.cmake|justfile|meson\.build"
    r"|configure(?:\.ac)?|build\.(?:rs|zig|sbt|xml)|.*\.gradle(?:\.kts)?|gradlew.*|mvnw.*|pom\.xml|cargo\.toml"
    r"|go\.(?:mod|work)|gemfile|rakefile|\.rspec|.*\.gemspec|composer\.json|mix\.exs|.*\.(?:sln|csproj|fsproj|vbproj)|.*\.(?:props|targets)"
    r"|(?:agents|claude|gemini|qwen)\.md|\.cursorrules|\.?mcp\.json|\.windsurfrules"
)
_TEMPLATE = re.compile(
    r"(?:\.github/|\.gitea/|\.forgejo/|docs/)?pull_request_template\.md"
    r"|\.gitlab/merge_request_templates/default\.md",
    re.IGNORECASE,
)
_PLACE = re.compile(r"(?im)^#+ .*\b(?:description|summary|what|changes?)\b.*$")
_MOST_LINES, _MOST_LETTERS = 200, 20_000


def body_of(
    about: Assignment,
    plan: Plan,
    result: WorkerResult,
    tests: TestResult | None = None,
    review: ReviewResult | None = None,
    escalations: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Return the Markdown of the pull request: what was done, and where each criterion is met.

    What the agents and the issue say is inline code: forges link, mention and close nothing in it.
    """
    mapping = plan.get("acceptance_mapping", {})
    sentences = {
        label: f", {_quoted(visible(' '.join(text.split()), 400))}"
        for label, text in about.criteria
    }
    items = [
        f"{_quoted(label)}{sentences.get(label, '')}: {code_span(inactive(file))}"
        for label, file in mapping.items()
    ]
    return "\n".join(
        [
            f"The worker's summary: {_quoted(result['summary'])}",
            "",
            f"Issue {about.issue}, {_quoted(about.title)}. Tier {about.tier}: {about.reason}",
            *_listed(
                "What agents of another tier could not do:",
                (_quoted(": ".join(map(str, found["reason"][:2]))) for found in escalations),
            ),
            *_listed("Where each criterion is met:", items),
            *(_of_tests(tests) if tests else []),
            *_listed(
                "What the reviewer found, and is not fixed:",
                map(_found, review["findings"] if review else ()),
            ),
        ]
    )


def _of_tests(result: TestResult) -> list[str]:
    """Return what the project's tests say of the work, and what failed before it, apart."""
    if is_gone(result):
        how = "Tests ran before the work, and the output shows none now"
        command = _quoted(result["command"] or result["before"]["command"])
        return ["", f"**{how}**, and this was allowed: {command}."]
    if result["verdict"] == "not run":
        return ["", f"The tests were not run: {result['tail']}."]
    command, new = _quoted(result["command"]), new_failures(result)
    counts, before = (_counted(run.get("counts", {})) for run in (result, result.get("before", {})))
    text = f"The tests pass: {command}"
    if result["verdict"] == "failed":
        how = "and this was allowed" if fails_anew(result) else "as they did before the work"
        text = f"**The tests fail**, {how}: {command}, exit code {result['exit_code']}"
    shown = [f"{text}{f', {counts}' if counts else ''}."]
    if before and before != counts:
        shown.append(f"Before the work: {before}.")
    old = [name for name in result.get("failures", ()) if name not in new]
    return [
        "",
        *shown,
        *_listed("Tests that fail since this work:", map(_quoted, new)),
        *_listed("Tests that failed before it, too:", map(_quoted, old)),
        *_listed("Not installed:", map(_quoted, result.get("missing", ()))),
    ]


def _found(finding: ReviewFinding) -> str:
    place = f"{finding['file']}:{finding.get('line', 1)}" if "file" in finding else ""
    return f"{finding['severity']}: {_quoted(' '.join((place, finding['message'])))}"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count)


def to_look_at(repository: Repository, sha: str) -> list[str]:
    """Return the files of a commit that run by themselves, and the tests that were there before."""
    words = ("diff-tree", "-r", "-m", "-z", "--no-commit-id", "--name-status", "--no-renames", sha)
    fields = repository.entries(*words)
    found = zip(fields[::2], fields[1::2], strict=True)
    return [
        path
        for state, path in found
        if runs_by_itself(path) or (state != "A" and is_test_path(path))
    ]


def runs_by_itself(path: str) -> bool:
    """Return whether something acts on a file before anybody has decided to run it."""
    *folders, name = path.lower().split("/")
    return _FILES.fullmatch(name) is not None or not set(_FOLDERS).isdisjoint(folders)


def attention(paths: Iterable[str]) -> str:
    """Return the part of a pull request that lists such files, empty if there is none."""
    title = "Look at these before you merge: they run by themselves, or they are existing tests."
    return "\n".join(_listed(title, map(code_span, paths)))


def _listed(title: str, items: Iterable[str]) -> list[str]:
    """Return a titled list as lines, empty without items; what is too much is counted."""
    found = list(items)
    if not found:
        return []
    more = [f"- and {len(found) - _SHOWN} more"] * (len(found) > _SHOWN)
    return ["", title, "", *(f"- {item}" for item in found[:_SHOWN]), *more]


def _quoted(text: str) -> str:
    """Return a text of somebody else: GitLab looks for closing keywords in code, too."""
    return code_span(inactive(" ".join(text.split())))


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
