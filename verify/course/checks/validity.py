"""Checks of any artifact: it exists, is strict JSON, is valid, and is by the right agent.

If it is missing, the failure says where it seems to be: in a different folder, or misspelt.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import reduce, wraps
from itertools import islice
from operator import getitem
from typing import TYPE_CHECKING, Concatenate, ParamSpec

from pipeline.files import DENIED, MISSING, NOT_REGULAR, TOO_LARGE, Unreadable
from pipeline.protocol.agreement import is_by
from pipeline.protocol.json_text import NotStrictJson, parse
from pipeline.protocol.layout import GIT_RESULT, PLAN, in_target
from pipeline.protocol.problems import JSON_RULE, KEY_RULE, Problem
from pipeline.protocol.validate import kind_of
from pipeline.terminal.display import listed, named, quoted, visible
from verify.grading.artifacts import likely_path, names_in
from verify.grading.model import PASSED, Finding, Verdict, failed, not_checked
from verify.submissions.history.faults import BUNDLE, GIT, MAKE_BUNDLE, way_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from verify.grading.artifacts import Artifact, ArtifactRef, CheckFunction, Context
    from verify.submissions.history.history import History
    from verify.submissions.submission import Submission

P = ParamSpec("P")

_ROOTS = (".pipeline/", "sandbox/.pipeline/")  # where the course's exercises have artifacts
_MOST_ISSUES = 20  # folders of other issues that are searched for a missing artifact
_ALIKE = 0.8  # difflib's ratio: plans.json is like plan.json, git-result.json is not
_AGENTS = ("x-planner", "x-subplanner", "x-worker", "x-git", "x-worker-fast", "x-reviewer")
_LONGEST = 40  # characters of a marker that may be a misspelt one
TO_DO = {  # about a file that cannot be read, by the reason
    NOT_REGULAR: "Put a regular file there, not a link, a pipe or a folder.",
    TOO_LARGE: "Write the artifact again. It needs only a few kilobytes.",
    DENIED: "Make the file readable (chmod u+r).",
}
_NO_HISTORY = Finding(
    "the submission has no git history",
    f"a {GIT} folder, or a bundle at {BUNDLE}",
    action=f"In your clone, run {MAKE_BUNDLE}, and submit that file, too.",
)


@dataclass(frozen=True, slots=True)
class ArtifactCheck:
    """A check of one artifact alone: a cohort uses it to compare artifacts with each other."""

    source: ArtifactRef
    check: CheckFunction

    def __call__(self, context: Context) -> Verdict:
        """Return the verdict on a context."""
        return self.check(context)


def passes_without_problems(
    find: Callable[Concatenate[Context, ArtifactRef, P], Iterable[Problem]],
) -> Callable[Concatenate[ArtifactRef, P], CheckFunction]:
    """Make a check of a function that finds the problems of an artifact, without their lines.

    The check is made for the artifact, and for what else the function is given.
    """

    def check_of(source: ArtifactRef, /, *args: P.args, **kwargs: P.kwargs) -> CheckFunction:
        @wraps(find)
        def check(context: Context) -> Verdict:
            problems = list(find(context, source, *args, **kwargs))
            return context.artifact(source).failed_at(problems)

        return check

    return check_of


def with_history(
    compare: Callable[Concatenate[Context, Artifact, History, P], Verdict],
) -> Callable[Concatenate[ArtifactRef, P], CheckFunction]:
    """Make a check of a function that compares an artifact with the history; without one it fails.

    The check is made for the artifact, and for what else the function is given.
    """

    def check_of(source: ArtifactRef, /, *args: P.args, **kwargs: P.kwargs) -> CheckFunction:
        def check(context: Context) -> Verdict:
            try:
                history = context.submission.history()
                if history is not None:
                    artifact = context.artifact(source)
                    return compare(context, artifact, history, *args, **kwargs)
            except Unreadable as error:
                if error.reason == TOO_LARGE:  # a limit of ours never costs a point
                    return not_checked(f"{visible(str(error), 200)}. {way_out(error)}")
                message, found = "the git history cannot be read", visible(str(error), 200)
                return failed(Finding(message, "", found, action=way_out(error)))
            return failed(_NO_HISTORY)

        return check

    return check_of


def is_there(source: ArtifactRef) -> CheckFunction:
    """Pass if the artifact is a regular file that can be read."""

    def check(context: Context) -> Verdict:
        unreadable = context.artifact(source).unreadable
        return _missing(unreadable, context, source) if unreadable else PASSED

    return ArtifactCheck(source, check)


def _missing(unreadable: Unreadable, context: Context, source: ArtifactRef) -> Verdict:
    file = source.located(context.exercise)
    if unreadable.reason != MISSING:
        message, expected = f"{source.name} {unreadable}", "a readable file"
        return failed(Finding(message, expected, file=file, action=TO_DO[unreadable.reason]))
    instead = found_instead(context, source)
    verb = "Rename" if instead.rpartition("/")[0] == file.rpartition("/")[0] else "Move"
    action = f"{verb} {instead} to {file}." if instead else f"Write the file to {file}."
    message, found = f"{source.name} is missing", instead or "no such file"
    if not instead and (neighbour := _of_another_exercise(context)):
        found = f"{found}, but {neighbour}"
        action = f"Grade that exercise instead, or write the file to {file}."
    return failed(Finding(message, "the file", found, file, action=action))


def is_json(source: ArtifactRef) -> CheckFunction:
    """Pass if the artifact is strict JSON: UTF-8, no key twice, finite numbers."""
    return keeps_rules(source, JSON_RULE)


def is_there_as_json(source: ArtifactRef) -> CheckFunction:
    """Pass if the artifact is there and is strict JSON."""
    return all_of(source, is_there(source), is_json(source))


def has_no_problem(source: ArtifactRef, concerns: Callable[[Problem], bool]) -> CheckFunction:
    """Pass if validation finds nothing that concerns the check."""

    def check(context: Context) -> Verdict:
        artifact = context.artifact(source)
        if not artifact.problems:
            return PASSED
        problems = [problem for problem in artifact.problems if concerns(problem)]
        return artifact.failed([_informed(context, artifact, problem) for problem in problems])

    return ArtifactCheck(source, check)


def _informed(context: Context, artifact: Artifact, problem: Problem) -> Problem:
    """Return a problem with what the issue or the submission's files show about it."""
    action = ""
    if problem.rule == KEY_RULE and context.issue:
        from pipeline.protocol.advice import label_action  # most labels are right

        mapping = artifact.value["acceptance_mapping"]
        labels = {label: "" for label in context.issue.criteria if label not in mapping}
        action = label_action(str(problem.path[-1]), labels)
    elif problem.rule in ("files-steps", "mapping", "path") and problem.path:
        file = reduce(getitem, problem.path, artifact.value)
        action = _file_action(context, file, problem.rule)
    return problem._replace(action=action) if action else problem


def _file_action(context: Context, file: str, rule: str) -> str:
    """Return what to do about a wrong path, empty where the submission does not show it."""
    target = context.exercise.target or "."
    if rule != "path":
        right = likely_path(context.submission, in_target(target, file)).removeprefix(f"{target}/")
        return f"Write {named(right)} everywhere." if right and right != file else ""
    before, folder, _ = file.replace("\\", "/").partition(f"/{target}/")
    is_absolute = before[:1] in ("", "~") or before[1:2] == ":"
    if target == "." or not folder or not is_absolute:
        return ""
    return f"Remove {visible(file[: len(before + folder)])} from the start of each path."


def follows_schema(
    source: ArtifactRef, apart_from: frozenset[str] = frozenset(), apart_field: str = ""
) -> CheckFunction:
    """Pass if validation finds nothing, apart from what has its own check.

    That is the problems of some rules (`apart_from`) and of one field (`apart_field`). A text that
    says nothing, such as `x`, is not content: the protocol accepts it with a note.
    """
    is_valid = has_no_problem(
        source, lambda p: p.rule not in apart_from and p.path[:1] != (apart_field,)
    )
    return all_of(source, is_valid, has_no_note(source, "says-nothing"))


def keeps_rules(source: ArtifactRef, *rules: str) -> CheckFunction:
    """Pass if validation finds nothing against these rules."""
    return has_no_problem(source, lambda problem: problem.rule in rules)


@passes_without_problems
def has_no_note(context: Context, source: ArtifactRef, rule: str) -> Iterator[Problem]:
    """Pass if the artifact has nothing of a kind that is accepted, but probably not meant."""
    for note in source.kind.notes:
        if note.name == rule:
            yield from note.problems(context.artifact(source).value)


def is_sound(source: ArtifactRef) -> CheckFunction:
    """Pass if the artifact is there and is valid, which includes that it is strict JSON."""
    return all_of(source, is_there(source), follows_schema(source))


def all_of(source: ArtifactRef, *parts: CheckFunction) -> CheckFunction:
    """Pass if every part passes; the first that does not is the verdict."""

    def check(context: Context) -> Verdict:
        for part in parts:
            verdict = part(context)
            if verdict != PASSED:
                return verdict
        return PASSED

    return ArtifactCheck(source, check)


@passes_without_problems
def produced_by(context: Context, source: ArtifactRef, *agents: str) -> Iterator[Problem]:
    """Pass if the marker names one of the agents (specification, sections 2.2 to 2.4).

    The marker is self-declared: a pass shows that delegation is claimed, not that it happened.
    """
    artifact = context.artifact(source).value
    if is_by(artifact, agents):
        return
    marker = artifact.get("produced_by")
    if not isinstance(marker, str):
        message, found = "the marker is missing", f"only {listed(artifact)}"
        action = f'Add "produced_by": {quoted(agents[0])}, if that agent wrote the file.'
    else:
        message, found = f"no agent of this name writes {source.name}", named(marker)
        action = _marker_action(marker, agents, source.name)
    expected = " or ".join(quoted(agent) for agent in agents)
    yield Problem("produced-by", ("produced_by",), message, expected, found, action=action)


def _marker_action(marker: str, agents: tuple[str, ...], name: str) -> str:
    """Return what to do about a marker: spell the agent right, or have the right one do it."""
    from pipeline.protocol.advice import likeness  # most markers are right

    words = marker[:_LONGEST].lower().replace("_", " ").replace("-", " ").split()
    word = "-".join(("x", *words[words[:1] == ["x"] :]))
    meant = max(_AGENTS, key=lambda agent: likeness(agent, word))
    if meant in agents and likeness(meant, word) > 1:
        return f"Write {quoted(meant)}."
    return f"Have {' or '.join(agents)} write {name}. Do not just change the marker."


def found_instead(context: Context, source: ArtifactRef) -> str:
    """Return the path at which a missing artifact seems to be, empty if there is none."""
    import difflib  # only if something is missing

    expected = source.located(context.exercise)
    folder, _, name = expected.rpartition("/")
    above, _, issue = folder.rpartition("/")
    names, folders = names_in(context.submission, folder), names_in(context.submission, above)
    siblings = [sibling for sibling in folders if sibling != issue]
    kinds = {source.name: source.kind}
    places = [
        *(_shifted(source.path) if source.path else _usual_places(context, source)),
        *(f"{folder}/{near}" for near in difflib.get_close_matches(name, names, cutoff=_ALIKE)),
        *(f"{folder}/{near}" for near in names if kind_of(near, kinds)),
        *(f"{above}/{sibling}/{name}" for sibling in siblings if _plain(sibling) == _plain(issue)),
    ]
    if context.issue and not source.path:
        found = [f"{above}/{sibling}" for sibling in siblings]
        roots = [root for root in _ROOTS if root[:-1] != above]
        found += [
            f"{root}{there}" for root in roots for there in names_in(context.submission, root[:-1])
        ]
        places += _under_another_issue(context, name, found)
    return next((p for p in places if p != expected and _is_listed(context.submission, p)), "")


def _is_listed(submission: Submission, path: str) -> bool:
    """Return whether there is a regular file at a path; where its folders end, no look is taken."""
    steps = path.split("/")
    above = ("/".join(steps[:end]) for end in range(len(steps)))
    listed = all(map(lambda folder, name: name in names_in(submission, folder), above, steps))
    return listed and submission.is_file(path)


def _of_another_exercise(context: Context) -> str:
    """Return which folder of artifacts there is, and the exercises that it belongs to, or ""."""
    expected = {path.rpartition("/")[0] for path in context.exercise.paths}
    folders = (
        f"{root}{name}" for root in _ROOTS for name in names_in(context.submission, root[:-1])
    )
    elsewhere = (
        (f, context.exercises_in(f)) for f in islice(folders, _MOST_ISSUES) if f not in expected
    )
    return next((f"{visible(f, 100)}/ is there, of {names}" for f, names in elsewhere if names), "")


def _shifted(path: str) -> list[str]:
    """Return the places of a file that was put a few folders too high, at either end."""
    parts = path.split("/")
    ends = ["/".join(parts[start:]) for start in range(1, len(parts))]
    return [*ends, *("/".join([*parts[:end], parts[-1]]) for end in range(len(parts) - 2, 0, -1))]


def _usual_places(context: Context, source: ArtifactRef) -> list[str]:
    issue = source.issue_in(context.exercise)
    folders = (f".pipeline/{issue}/", f"pipeline/{issue}/", f"{issue}/", ".pipeline/", "")
    return [f"{target}{folder}{source.name}" for target in ("", "sandbox/") for folder in folders]


def _under_another_issue(context: Context, name: str, folders: list[str]) -> Iterator[str]:
    """Yield the artifact in another issue's folder if the work there is for this issue.

    Its plan has the criteria, or its branch the id. Anything else there belongs to that issue.
    """
    criteria = context.issue.criteria.keys() if context.issue else set()
    issue = f"{(context.exercise.issue or '').lower()}-"
    for folder in folders[:_MOST_ISSUES] if criteria else ():
        plan, published = (_object(context, f"{folder}/{file}") for file in (PLAN, GIT_RESULT))
        mapping, branch = plan.get("acceptance_mapping"), f"{published.get('branch')}-".lower()
        if (isinstance(mapping, dict) and criteria <= mapping.keys()) or issue in branch:
            yield f"{folder}/{name}"


def _object(context: Context, path: str) -> dict[str, object]:
    """Return the JSON object in a file, empty where there is none."""
    with suppress(Unreadable, NotStrictJson):
        value = parse(context.submission.read(path))
        return value if isinstance(value, dict) else {}
    return {}


def _plain(name: str) -> str:
    """Return a name without case and without what differs between words."""
    return name.casefold().replace("_", "-").replace(" ", "-")
