"""Checks of the set-up: definition files in the target project, programs on the machine."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple

from pipeline.files import Unreadable
from pipeline.protocol.layout import in_target
from pipeline.protocol.problems import Problem
from verify.grading.artifacts import names_in
from verify.grading.model import PASSED, Finding, Outcome, Verdict, failed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pipeline.agents.definitions import Document
    from pipeline.terminal.programs import Version
    from verify.grading.artifacts import CheckFunction, Context
    from verify.grading.model import Exercise


_MOST_AROUND = 50  # folders that may be around a misplaced pack


class DefinitionFile(NamedTuple):
    """A definition file of the IDE, its path relative to the target project."""

    kind: Literal["agent", "rule", "skill"]
    name: str  #: in the front matter, and of the file or its folder

    @property
    def path(self) -> str:
        """Return where Cursor looks for it (cursor.com/docs: subagents, rules, skills)."""
        if self.kind == "agent":
            return f".cursor/agents/{self.name}.md"
        if self.kind == "rule":
            return f".cursor/rules/{self.name}.mdc"
        return f".cursor/skills/{self.name}/SKILL.md"

    def located(self, exercise: Exercise) -> str:
        """Return its path relative to the submission root."""
        return in_target(exercise.target or ".", self.path)


def _of_each(
    find: Callable[[Context, DefinitionFile], Iterable[Finding]],
) -> Callable[..., CheckFunction]:
    """Make a check of several definitions of a function that finds what is wrong with one."""

    def check_of(*files: DefinitionFile) -> CheckFunction:
        return lambda context: failed(*chain.from_iterable(find(context, file) for file in files))

    return check_of


def are_installed(
    *files: DefinitionFile, before: Mapping[str, Sequence[DefinitionFile]] | None = None
) -> CheckFunction:
    """Pass if each file is a regular file of the target project; one cause is one finding.

    The check waits for one `before` it, by its code, that has already named the causes.
    """

    def check(context: Context) -> Verdict:
        found = _missing(context, files)
        for code, earlier in (before or {}).items() if found else ():
            if found.keys() <= _missing(context, earlier).keys():
                return Verdict(Outcome.SKIP, waits_for=code)
        return failed(*found.values())

    return check


def _missing(context: Context, files: Sequence[DefinitionFile]) -> dict[str, Finding]:
    """Return a finding for each cause of missing files, by what is to be done or the path."""
    found: dict[str, Finding] = {}
    message = "this definition is not installed"
    for file in files:
        path = file.located(context.exercise)
        if not context.submission.is_file(path):
            place, action = _instead(context, path)
            action = action or f"Copy {path.rpartition('/')[2]} from the IDE pack to this path."
            finding = Finding(message, "a regular file", place or "none", path, action=action)
            found.setdefault((place and action) or path, finding)
    return found


def _instead(context: Context, path: str) -> tuple[str, str]:
    """Return where a missing definition is, and how to put it in its place; empty if nowhere."""
    above, _, below = path.partition(".cursor/")
    around = [f"{above}{name}/.cursor" for name in names_in(context.submission, above[:-1])]
    for wrong in (f"{above}.cursor/cursor", f"{above}cursor", *around[:_MOST_AROUND]):
        if context.submission.is_file(f"{wrong}/{below}"):
            right = f"{above}.cursor"
            return wrong, f"Move everything in {wrong} to {right}, and remove {wrong}."
    stem = path.rpartition(".")[0]
    for place in (f"{stem}{ending}" for ending in (".md", ".mdc", ".markdown", ".txt", ".mdc.md")):
        if place != path and context.submission.is_file(place):
            return place, f"Rename {place} to {path.rpartition('/')[2]}."
    return "", ""


@_of_each
def are_clean(context: Context, file: DefinitionFile) -> Iterator[Finding]:
    """Pass if the lint finds nothing; an agent's model has its own check."""
    path, _, problems = _read(context, file)
    yield from (Finding.of(problem, path) for problem in problems if not _is_model(file, problem))


@_of_each
def name_their_models(context: Context, file: DefinitionFile) -> Iterator[Finding]:
    """Pass if each agent has a `model` (specification, section 1)."""
    path, definition, problems = _read(context, file)
    unread = ("front-matter", "definition-file")  # where nothing is read, no model is
    models = [problem for problem in problems if problem.rule in unread or _is_model(file, problem)]
    yield from (Finding.of(problem, path) for problem in models)
    if definition and "model" not in definition.values and not models:
        action = "Add the line `model: inherit` to the front matter, or a model's id."
        yield Finding("the agent names no model", "a model", "none", path, "$.model", 1, 1, action)


def _is_model(file: DefinitionFile, problem: Problem) -> bool:
    return file.kind == "agent" and problem.path == ("model",)


_KEEPS_FROM = {
    "readonly": "this agent must write an artifact, but it may only read",
    "is_background": "this agent runs in the background, so the next stage does not wait for it",
}


@_of_each
def write_and_are_waited_for(context: Context, file: DefinitionFile) -> Iterator[Finding]:
    """Pass if each agent may write, and its caller waits for it."""
    path, definition, _ = _read(context, file)
    for key, message in _KEEPS_FROM.items():
        if definition and definition.values.get(key) is True:
            place, right = definition.spots[key,], f"{key}: false, or no {key}"
            action = f"Write {key}: false, or remove the line."
            yield Finding(message, right, f"{key}: true", path, f"$.{key}", *place, action)


@_of_each
def applies_to_every_prompt(context: Context, file: DefinitionFile) -> Iterator[Finding]:
    """Pass if a rule always applies, so that it sees the prompt that names an issue."""
    path, definition, _ = _read(context, file)
    if not definition or definition.values.get("alwaysApply") is not True:
        message, action = "the rule does not apply to every prompt", "Write alwaysApply: true."
        yield Finding(message, "alwaysApply: true", file=path, action=action)


def _read(
    context: Context, file: DefinitionFile
) -> tuple[str, Document | None, tuple[Problem, ...]]:
    """Return the path of a definition, what could be read of it, and its problems."""
    # imported here: the other exercises of the level do not wait for it
    from pipeline.agents.definitions import read_definition
    from pipeline.agents.lint import lint

    path = file.located(context.exercise)
    try:
        text = context.submission.read(path).decode("utf-8-sig")
    except Unreadable as error:
        return path, None, (Problem("definition-file", (), str(error)),)
    except UnicodeDecodeError:
        return path, None, (Problem("definition-file", (), "this is not UTF-8 text", "UTF-8"),)
    definition = read_definition(text, cursor=True)
    return path, definition, lint(definition, f"cursor-{file.kind}", file.name)


def has_program(program: str, at_least: Version) -> CheckFunction:
    """Pass if the program is on PATH in this version or a newer one."""

    def check(context: Context) -> Verdict:
        version = context.version_of(program)
        if version is not None and version >= at_least:
            return PASSED
        expected = f"{program} {at_least[0]}.{at_least[1]} or newer"
        found = f"{version[0]}.{version[1]}" if version else "none on PATH"
        action = f"Install {expected}, and open a new terminal."
        return failed(Finding(f"{program} is missing or too old", expected, found, action=action))

    return check


def has_folder(path: str) -> CheckFunction:
    """Pass if the target project has a folder that is not empty."""

    def check(context: Context) -> Verdict:
        folder = in_target(context.exercise.target or ".", path)
        with suppress(Unreadable):
            if context.submission.names(folder):
                return PASSED
        message, expected = f"{path} is missing or empty", "the installed dependencies"
        action = f"Run npm ci in the folder {context.exercise.target or '.'}."
        return failed(Finding(message, expected, "nothing", folder, action=action))

    return check
