"""Finds every definition of every known client below a folder, and says what is wrong with each."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from pipeline.agents.definition_lint import FILE
from pipeline.agents.documents import MAX_BYTES
from pipeline.agents.format_lint import problems_of
from pipeline.agents.hooks import HOOKS
from pipeline.agents.hooks_lint import FORMAT, hook_problems
from pipeline.agents.places import DEFINITIONS, PLACES, SKILL, SKILL_FILE
from pipeline.files import MISSING, Unreadable, read_file
from pipeline.protocol.problems import Problem
from pipeline.terminal.display import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.agents.places import Place

MAX_FILES = 200  # of one folder: nobody has as many agents
MAX_PROBLEMS = 50  # of one file


class Checked(NamedTuple):
    """A definition that was looked at: its path relative to the folder, with `/`."""

    path: str
    format: str
    problems: tuple[Problem, ...]


class _Found(NamedTuple):
    path: str
    name: str


def lint_trees(root: str) -> tuple[Checked, ...]:
    """Return all definitions below `root` where a client looks for them, in the order of `PLACES`.

    The clients' files of hooks come last. A link is followed as long as it stays below `root`; one
    that leads out of it is a problem.
    """
    inside = os.path.realpath(root)
    definitions = (each for place in PLACES for each in _place(inside, place))
    return (*definitions, *_hooks(inside))


def _hooks(root: str) -> Iterator[Checked]:
    for client, hooks in HOOKS.items():
        path = os.path.join(root, *hooks.config.split("/"))
        if os.path.lexists(path):
            problem = _outside(root, path)
            problems = (problem,) if problem else hook_problems(root, client)
            yield Checked(hooks.config, FORMAT.format(client=client), _capped(problems))


def _place(root: str, place: Place) -> Iterator[Checked]:
    folder = os.path.join(root, *place.folder.split("/"))
    if not os.path.lexists(folder):
        return
    if problem := _outside(root, folder):
        yield Checked(place.folder, place.format, (problem,))
        return
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        reason = Problem(
            FILE, (), f"cannot be listed: {(error.strerror or '').lower()}", "a folder"
        )
        yield Checked(place.folder, place.format, (reason,))
        return
    if len(names) > MAX_FILES:
        limit = f"at most {MAX_FILES} files"
        many = Problem(FILE, (), "too many files to look at", limit, f"{len(names)}")
        yield Checked(place.folder, place.format, (many,))
        return
    for name in names:
        yield from _entry(root, place, name)


def _entry(root: str, place: Place, name: str) -> Iterator[Checked]:
    path = f"{place.folder}/{name}"
    if name.startswith("."):
        return
    if place.kind == SKILL:
        if os.path.isdir(os.path.join(root, *path.split("/"))):
            path = f"{path}/{SKILL_FILE}"
            yield Checked(path, place.format, _file(root, place, _Found(path, name)))
        return
    ending = next((each for each in place.endings if name.endswith(each)), "")
    if ending:
        found = _Found(path, name.removesuffix(ending))
        yield Checked(path, place.format, _file(root, place, found))
    elif name.endswith(DEFINITIONS):
        stem = name.rpartition(".")[0]
        expected = quoted(f"{stem}{place.endings[0]}")
        message = "the client passes over a file of this name here"
        passed_over = Problem(FILE, (), message, expected, quoted(name), 1, 1)
        yield Checked(path, place.format, (passed_over,))


def _file(root: str, place: Place, found: _Found) -> tuple[Problem, ...]:
    path = os.path.join(root, *found.path.split("/"))
    if problem := _outside(root, path):
        return (problem,)
    try:
        text = read_file(path, MAX_BYTES).decode("utf-8-sig")
    except Unreadable as error:
        if error.reason == MISSING and place.kind == SKILL:
            return (
                Problem(FILE, (), "the folder of a skill without its file", quoted(SKILL_FILE)),
            )
        return (Problem(FILE, (), str(error)),)
    except UnicodeDecodeError:
        return (Problem(FILE, (), "this is not UTF-8 text", "UTF-8"),)
    return _capped(problems_of(text, place, found.name))


def _outside(root: str, path: str) -> Problem | None:
    real = os.path.realpath(path)
    if real == root or real.startswith(root.rstrip(os.sep) + os.sep):
        return None
    return Problem(FILE, (), "a link leads out of the folder: it is not followed", "a file")


def _capped(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    if len(problems) <= MAX_PROBLEMS:
        return problems
    more = f"and {len(problems) - MAX_PROBLEMS} more problems"
    return (*problems[:MAX_PROBLEMS], problems[-1]._replace(message=more, expected="", found=""))
