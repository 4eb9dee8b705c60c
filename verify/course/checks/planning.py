"""Checks of what a plan says beyond its schema: criteria, tests, domains, roots of its paths."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pipeline.files import Unreadable
from pipeline.protocol.agreement import unmapped
from pipeline.protocol.conventions import is_document_path, is_test_path
from pipeline.protocol.layout import in_target
from pipeline.protocol.problems import Problem
from pipeline.terminal.display import listed, named, quoted, visible
from verify.course.checks.validity import passes_without_problems

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pipeline.protocol.problems import Path
    from pipeline.schema import Plan
    from verify.grading.artifacts import ArtifactRef, Context

_SHOWN = 6  # domains of a plan that a finding shows: a hostile one has any number
_PROJECT = "sandbox"  # the course's one project in a folder of the repository
_ROOTS = frozenset({"src", "lib", "app", "test", "tests", "__tests__"})


@passes_without_problems
def maps_every_criterion(context: Context, source: ArtifactRef) -> Iterator[Problem]:
    """Pass if each acceptance criterion of the course's issue has a label with its number."""
    if context.issue is None:
        raise LookupError(f"no issue text for {context.exercise.issue}")
    plan: Plan = context.artifact(source).value
    missing = unmapped(context.issue.criteria, plan)
    if not missing:
        return
    message = "an acceptance criterion of the issue is not mapped"
    found = f"labels {listed(plan.get('acceptance_mapping', {}))}"
    for label in missing:
        action = f"Add {quoted(label)} with the planned file that verifies or implements it."
        yield Problem("criteria", ("acceptance_mapping",), message, label, found, action=action)


@passes_without_problems
def plans_a_test(context: Context, source: ArtifactRef) -> Iterator[Problem]:
    """Pass if at least one step is a test step; a document among the tests does not count."""
    plan: Plan = context.artifact(source).value
    if not any(map(is_test_path, _code_of(plan))):
        found = listed([step["file"] for step in plan["steps"]])
        action = "Plan a test of the criteria: add its file, and a step for it at the end."
        message, expected = "no step is a test", "at least one test file"
        yield Problem("tests", ("steps",), message, expected, found, action=action)


@passes_without_problems
def spans_domains(context: Context, source: ArtifactRef, *, at_least: int) -> Iterator[Problem]:
    """Pass if enough domains have both an implementation step and a test step.

    The domains are those that the issue declares. If it declares none, a domain is a folder
    directly below a source or test root, for example `src/auth/`, `test/auth/`. Documents
    are neither implementation nor test.
    """
    files = _code_of(context.artifact(source).value)
    declared = context.issue.domains if context.issue else {}
    needed = min(at_least, len(declared)) if declared else at_least
    domains = _declared(files, declared) if declared else _by_folder(files)
    lacks = {name: _lacking(paths) for name, paths in domains.items()}
    if list(lacks.values()).count("") < needed:
        places = [f"{name} ({', '.join(folders)})" for name, folders in declared.items()]
        of = f"of these domains: {', '.join(places)}" if places else "domains or more"
        message = "the steps do not span enough domains"
        expected = f"implementation and test steps in {needed} {of}"
        found, action = _lacks_shown(lacks), _first_lack(lacks, declared)
        yield Problem("domains", ("steps",), message, expected, found, action=action)


def _code_of(plan: Plan) -> list[str]:
    """Return the files of the steps, without documents."""
    files = [step["file"] for step in plan["steps"]]
    return [file for file in files if not is_document_path(file)]


def _declared(files: list[str], domains: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """Return the files of each domain; whether a path begins at the right root is not asked."""
    return {
        name: [file for file in files if any(f"/{folder}" in f"/{file}" for folder in folders)]
        for name, folders in domains.items()
    }


def _by_folder(files: list[str]) -> dict[str, list[str]]:
    domains: dict[str, list[str]] = {}
    for file in sorted(files, key=domain_of):
        domains.setdefault(domain_of(file), []).append(file)
    domains.pop("", None)
    return domains


def _lacking(files: list[str]) -> str:
    """Return which steps a domain lacks, empty if it has both."""
    tests = sum(map(is_test_path, files))
    kinds = {"an implementation step": len(files) - tests, "a test step": tests}
    missing = [kind for kind, count in kinds.items() if not count]
    return f"lacks {' and '.join(missing)}" if missing else ""


def _first_lack(lacks: dict[str, str], declared: Mapping[str, tuple[str, ...]]) -> str:
    for name, lack in lacks.items():
        if lack:
            places = declared.get(name, (f"src/{name}/", f"test/{name}/"))
            steps, folders = lack.removeprefix("lacks "), " and ".join(map(named, places))
            return f"Add {steps} for {visible(name, 60)} (its folders are {folders})."
    return "Add steps in src/ and test/ for another domain."


def _lacks_shown(lacks: dict[str, str]) -> str:
    """Return what each domain lacks, those that lack nothing last."""
    shown = [
        f"{visible(name, 60)} {lack or 'is complete'}"
        for name, lack in sorted(lacks.items(), key=lambda item: not item[1])[:_SHOWN]
    ]
    more = [f"{len(lacks) - _SHOWN} more domains"] if len(lacks) > _SHOWN else []
    return "; ".join([*shown, *more]) or "no domain"


def domain_of(path: str) -> str:
    """Return the domain of a file, empty if it is in no domain's folder."""
    parts = path.split("/")
    for index, part in enumerate(parts[:-2]):
        if part in _ROOTS:
            return parts[index + 1]
    return ""


@passes_without_problems
def begin_at_target(context: Context, source: ArtifactRef) -> Iterator[Problem]:
    """Pass if no path of a plan shows that it begins at a different root.

    If the target project is a folder, such a path begins with the folder's name, unless the folder
    has another one of that name in it, as in Django. If it is the root of the repository, such a
    path leads to a file from the sandbox, but not from the root; where the submission has no
    sources, nothing shows the mistake.
    """
    target, places = context.exercise.target or ".", _places(context.artifact(source).value)
    find = _with_sandbox if target == "." else _without_target
    message = "this path is not relative to the target project"
    for file, right in find(context, places, target).items():
        action = _move_action(file, right)
        yield Problem("roots", places[file], message, named(right), named(file), action=action)


def _places(plan: Plan) -> dict[str, Path]:
    """Return the first place of each path of a plan."""
    places: dict[str, Path] = {}
    for index, file in enumerate(plan["affected_files"]):
        places.setdefault(file, ("affected_files", index))
    for index, step in enumerate(plan["steps"]):
        places.setdefault(step["file"], ("steps", index, "file"))
    return places


def _without_target(context: Context, files: Iterable[str], target: str) -> dict[str, str]:
    """Return the right path for each that begins with the folder of the target project."""
    prefix = f"{target}/"
    right = {file: file.removeprefix(prefix) for file in files if file.startswith(prefix)}
    with suppress(Unreadable):
        if right and context.submission.names(prefix + target):
            return {}
    return right


def _with_sandbox(context: Context, files: Iterable[str], _: str) -> dict[str, str]:
    """Return the right path for each that is a file of the sandbox, and none of the root."""
    is_file = context.submission.is_file
    inside = {f: in_target(_PROJECT, f) for f in files if not f.startswith(f"{_PROJECT}/")}
    return {file: place for file, place in inside.items() if not is_file(file) and is_file(place)}


def _move_action(file: str, right: str) -> str:
    if len(right) < len(file):
        prefix = file[: -len(right)]
        return f"Remove {prefix} from the start of each path. Paths are relative to {prefix[:-1]}."
    prefix = right[: -len(file)]
    return f"Begin each path with {prefix}: the target project is the whole repository."
