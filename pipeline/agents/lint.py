"""Finds every definition of every known client below a folder, and says what is wrong with each."""

from __future__ import annotations

import datetime as dt
import json
import os
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.agents.clients import CLIENTS
from pipeline.agents.definitions import MAX_BYTES, WHOLE, read_definition, read_toml
from pipeline.files import MISSING, Unreadable, read_file
from pipeline.protocol.json_text import NotStrictJson, locate, parse, text_of
from pipeline.protocol.problems import Problem
from pipeline.terminal.display import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema import Draft202012Validator, ValidationError

    from pipeline.agents.clients.base import Client, Place
    from pipeline.agents.definitions import Document
    from pipeline.protocol.problems import Path

LACKS, UNKNOWN, FIELD = "definition-missing", "definition-unknown", "definition-field"
NAME, BODY, FILE = "definition-name", "definition-body", "definition-file"
LONG, NEVER = "definition-too-long", "definition-never-applies"
FORMATS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "formats")
MAX_FILES = 200  # of one folder: no project has as many agents
MAX_PROBLEMS = 50  # of one file
SKILL_FILE = "SKILL.md"
MOST_CHARACTERS = {"copilot-agent": 30_000}  # of the prompt, by GitHub's documentation
_ENDINGS = (".md", ".mdc", ".toml")  # what looks like a definition, read by the client or not
_SHOWN, _SUCH = 20, "subagentStart"  # of the keys of a schema: hooks have more
_UNKNOWN = {  # what becomes of a key that a client does not know
    "cursor-rule": "the key has no effect in a rule",
    "cursor-hooks": "the client has no such event",
}
_MESSAGES = {
    "type": "value of the wrong type",
    "pattern": "value in the wrong format",
    "maxLength": "value too long",
    "minimum": "value too small",
    "not": "this key is not allowed here",
}


class Checked(NamedTuple):
    """A definition that was checked: its path relative to the folder, with `/`."""

    path: str
    format: str
    problems: tuple[Problem, ...]


# --- one definition -----------------------------------------------------------------------------


def lint(document: Document, format_: str, name: str) -> tuple[Problem, ...]:
    """Return what is wrong with a definition, in document order; empty if its client takes it.

    Args:
        document: the file as read. One that could not be read at all is not checked further.
        format_: the name of a schema in `formats/`, such as `claude-agent`.
        name: the file's name without its ending, for a skill the name of its folder.
    """
    problems = list(document.problems)
    if all(problem.rule != WHOLE for problem in problems):
        if format_.startswith("cursor-"):  # an empty value is an empty text there
            values = {key: "" if value is None else value for key, value in document.values.items()}
            document = document._replace(values=values)
        for error in _validator(format_).iter_errors(document.values):
            problems += [_placed(each, document) for each in _problems_of(error, format_)]
        problems += _name_problems(document, format_, name)
        problems += _never_problems(document, format_)
        problems += _body_problems(document, format_)
    return tuple(sorted(problems, key=lambda problem: (problem.line, problem.column)))


def _problems_of(error: ValidationError, format_: str) -> Iterator[Problem]:
    """Yield the problems of one error of a schema, without places."""
    schema: Any = error.schema
    found: Any = error.instance
    path: Path = tuple(error.absolute_path)
    fields = schema.get("properties", {})
    if error.validator == "required":
        key = next(key for key in schema["required"] if f"'{key}' is a required" in error.message)
        action = f"Add {'a line ' * (not path)}{key}: with its value."
        expected = fields.get(key, schema)["description"]
        yield Problem(LACKS, (*path, key), "the field is missing", expected, action=action)
    elif error.validator == "additionalProperties":
        message = _UNKNOWN.get(format_, "unknown key: the client rejects the file")
        expected = (
            f"only {', '.join(fields)}" if len(fields) <= _SHOWN else f"a key such as {_SUCH}"
        )
        for key in found:
            if key not in fields:
                yield Problem(UNKNOWN, (*path, key), message, expected, quoted(key))
    else:
        message = _MESSAGES.get(str(error.validator), "value that is not allowed")
        yield Problem(FIELD, path, message, schema.get("description", ""), _shown(error))


def _shown(error: ValidationError) -> str:
    value: Any = error.instance
    if error.validator == "maxLength":
        return f"{len(value)} characters"
    # TOML and YAML have dates and times, which JSON has not
    return "a date or a time" if isinstance(value, (dt.date, dt.time)) else quoted(value)


def _placed(problem: Problem, document: Document) -> Problem:
    path = problem.path
    if problem.rule == LACKS:
        spot = document.keys.get(path[:-1], (1, 1))
    elif problem.rule == UNKNOWN or problem.message == _MESSAGES["not"]:
        spot = document.keys.get(path, (1, 1))
    else:
        spot = document.spots.get(path) or document.spots.get(path[:1], (1, 1))
    return problem._replace(line=spot[0], column=spot[1])


def _name_problems(document: Document, format_: str, name: str) -> Iterator[Problem]:
    found = document.values.get("name")
    kind = format_.rpartition("-")[2]
    if not (kind == "skill" or format_ == "cursor-agent"):
        return  # other agents have their own name, in a file of any name
    if isinstance(found, str) and found != name:
        message = (
            f"the {kind}'s name is not the name of its {'folder' if kind == 'skill' else 'file'}"
        )
        spot = document.spots["name",]
        yield Problem(NAME, ("name",), message, quoted(name), quoted(found), *spot)


def _never_problems(document: Document, format_: str) -> Iterator[Problem]:
    """Yield where a rule applies only if a prompt names it with @, which none of ours does."""
    values = document.values
    says = any(str(values.get(key) or "").strip() for key in ("description", "globs"))
    if format_ == "cursor-rule" and not says and values.get("alwaysApply", False) is False:
        message, expected = (
            "the rule is never applied automatically",
            "alwaysApply: true, or a description",
        )
        spot = document.spots.get(("alwaysApply",), (1, 1))
        yield Problem(NEVER, ("alwaysApply",), message, expected, "", *spot)


def _body_problems(document: Document, format_: str) -> Iterator[Problem]:
    if format_ == "codex-agent":
        return  # its prompt is a field
    body, line = document.body, document.body_line
    most = MOST_CHARACTERS.get(format_, len(body))
    if not body.strip():
        expected = f"the text of the {format_.rpartition('-')[2]}, in Markdown"
        yield Problem(BODY, (), "nothing follows the front matter", expected, "", line - 1, 1)
    elif len(body) > most:
        message, expected = "the prompt is too long", f"at most {most} characters"
        yield Problem(LONG, (), message, expected, f"{len(body)} characters", line, 1)


@cache
def _validator(name: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # slow, and rarely needed

    with open(os.path.join(FORMATS, f"{name}.schema.json"), encoding="utf-8") as file:
        return Draft202012Validator(json.load(file))


# --- a file of hooks ----------------------------------------------------------------------------


def hook_problems(root: str, client: Client) -> tuple[Problem, ...]:
    """Return what is wrong with a client's file of hooks below `root`, in document order.

    Of a file that has other settings as well, only the hooks are checked.
    """
    if client.hooks is None:
        return ()
    try:
        data = read_file(os.path.join(root, *client.hooks.config.split("/")), MAX_BYTES)
        value = parse(data)
    except Unreadable as error:
        return (Problem(FILE, (), str(error)),)
    except NotStrictJson as error:
        return error.problems
    format_ = f"{client.name}-hooks"
    problems = [
        problem
        for error in _validator(format_).iter_errors(value)
        for problem in _problems_of(error, format_)
    ]
    script = client.hooks.script
    if not os.path.isfile(os.path.join(root, *script.split("/"))):  # nothing would be noted
        problems += [
            Problem(FIELD, path, "the script does not exist", script)
            for path, text in _texts(value, ())
            if path[-1] == "command" and script in text
        ]
    return tuple(locate(text_of(data), problems))


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, (dict, list)):
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(below, (*path, key))
    elif isinstance(value, str) and path:
        yield path, value


# --- everything below a folder ------------------------------------------------------------------


def lint_trees(root: str) -> tuple[Checked, ...]:
    """Return all definitions below `root` where a client looks for them, hooks last.

    A link is followed as long as it stays below `root`; one that leads out of it is a problem.
    """
    inside = os.path.realpath(root)
    places = dict.fromkeys(place for client in CLIENTS.values() for place in client.places)
    found = [each for place in places for each in _in_place(inside, place)]
    for client in CLIENTS.values():
        path = client.hooks.config if client.hooks else ""
        if path and os.path.lexists(os.path.join(inside, *path.split("/"))):
            outside = _outside(inside, path)
            problems = outside or hook_problems(inside, client)
            found.append(Checked(path, f"{client.name}-hooks", _capped(problems)))
    return tuple(found)


def _in_place(root: str, place: Place) -> Iterator[Checked]:
    folder = os.path.join(root, *place.folder.split("/"))
    if not os.path.lexists(folder):
        return
    problems, names = _outside(root, place.folder), []
    if not problems:
        try:
            names = sorted(os.listdir(folder))
        except OSError as error:
            reason = f"cannot be listed: {(error.strerror or '').lower()}"
            problems = (Problem(FILE, (), reason, "a folder"),)
    if len(names) > MAX_FILES:
        most, found = f"at most {MAX_FILES} files", f"{len(names)}"
        problems = (Problem(FILE, (), "too many files", most, found),)
    if problems:
        yield Checked(place.folder, place.format, problems)
        return
    for name in names:
        if not name.startswith("."):
            yield from _entry(root, place, name)


def _entry(root: str, place: Place, name: str) -> Iterator[Checked]:
    path = f"{place.folder}/{name}"
    ending = next((each for each in place.endings if name.endswith(each)), "")
    if place.format.endswith("-skill"):
        if os.path.isdir(os.path.join(root, *path.split("/"))):
            path = f"{path}/{SKILL_FILE}"
            yield Checked(path, place.format, _capped(_file(root, place, path, name)))
    elif ending:
        problems = _file(root, place, path, name.removesuffix(ending))
        yield Checked(path, place.format, _capped(problems))
    elif name.endswith(_ENDINGS):
        message = "the client ignores files with this name here"
        expected = quoted(name.rpartition(".")[0] + place.endings[0])
        problem = Problem(FILE, (), message, expected, quoted(name), 1, 1)
        yield Checked(path, place.format, (problem,))


def _file(root: str, place: Place, path: str, name: str) -> tuple[Problem, ...]:
    if outside := _outside(root, path):
        return outside
    try:
        text = read_file(os.path.join(root, *path.split("/")), MAX_BYTES).decode("utf-8-sig")
    except Unreadable as error:
        if error.reason == MISSING and place.format.endswith("-skill"):
            message = "the skill's folder does not have a SKILL.md file"
            return (Problem(FILE, (), message, quoted(SKILL_FILE)),)
        return (Problem(FILE, (), str(error)),)
    except UnicodeDecodeError:
        return (Problem(FILE, (), "this is not UTF-8 text", "UTF-8"),)
    if place.endings == (".toml",):
        return lint(read_toml(text), place.format, name)
    cursor = place.format.startswith("cursor-")
    return lint(read_definition(text, cursor=cursor), place.format, name)


def _outside(root: str, path: str) -> tuple[Problem, ...]:
    real = os.path.realpath(os.path.join(root, *path.split("/")))
    if real == root or real.startswith(root.rstrip(os.sep) + os.sep):
        return ()
    return (Problem(FILE, (), "a link points outside the folder: it is not followed", "a file"),)


def _capped(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    if len(problems) <= MAX_PROBLEMS:
        return problems
    more = f"and {len(problems) - MAX_PROBLEMS} more problems"
    return (*problems[:MAX_PROBLEMS], problems[-1]._replace(message=more, expected="", found=""))
