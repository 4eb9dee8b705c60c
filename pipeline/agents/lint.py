"""Finds every definition of every known client below a folder, and says what is wrong with each."""

from __future__ import annotations

import datetime as dt
import json
import os
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.agents.clients import CLIENTS
from pipeline.agents.definitions import MAX_BYTES, WHOLE, read_definition, read_toml
from pipeline.files import DENIED, NOT_REGULAR, TOO_LARGE, Unreadable, read_file
from pipeline.protocol.json_text import NotStrictJson, locate, parse, text_of
from pipeline.protocol.problems import Problem
from pipeline.terminal.display import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema import Draft202012Validator, ValidationError

    from pipeline.agents.clients.base import Place
    from pipeline.agents.definitions import Document
    from pipeline.protocol.problems import Path

LACKS, UNKNOWN, FIELD = "definition-missing", "definition-unknown", "definition-field"
FILE = "definition-file"
FORMATS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "formats")
MAX_FILES = 200  # of one folder: no project has as many agents
MAX_PROBLEMS = 50  # of one file
SKILL_FILE = "SKILL.md"
MOST_CHARACTERS = {"copilot-agent": 30_000}  # of the prompt, by GitHub's documentation
_ENDINGS = (".md", ".mdc", ".toml")  # what looks like a definition, read by the client or not
_UNKNOWN = {  # what becomes of a key that a client does not know
    "cursor-rule": "the key has no effect in a rule",
    "cursor-hooks": "the client has no such event",
}
_MESSAGES = {
    "type": "value of the wrong type",
    "pattern": "value in the wrong format",
    "maxLength": "value too long",
    "not": "this key is not allowed here",
}


class Checked(NamedTuple):
    """A definition that was checked: its path relative to the folder, with `/`."""

    path: str
    format: str
    problems: tuple[Problem, ...]


# --- one definition -----------------------------------------------------------------------------


def lint(document: Document, format_: str, name: str) -> tuple[Problem, ...]:
    """Return what is wrong with a definition, in document order; empty if its client accepts it.

    Args:
        document: the file as read. One that could not be read at all is not checked further.
        format_: the name of a schema in `formats/`, such as `claude-agent`.
        name: the file's name without its ending, for a skill the name of its folder.
    """
    problems = list(document.problems)
    if all(problem.rule != WHOLE for problem in problems):
        values = document.values
        if format_.startswith("cursor-"):  # which reads an empty value as empty text
            values = {key: "" if value is None else value for key, value in values.items()}
        problems += [_placed(each, document) for each in _schema_problems(values, format_)]
        problems += _name_problems(document, format_, name)
        problems += _never_problems(document, format_)
        problems += _body_problems(document, format_)
    return tuple(sorted(problems, key=lambda problem: (problem.line, problem.column)))


def _schema_problems(value: Any, format_: str) -> Iterator[Problem]:
    """Yield where a value differs from a schema, without places."""
    for error in _validator(format_).iter_errors(value):
        schema: Any = error.schema
        path: Path = tuple(error.absolute_path)
        fields = schema.get("properties", {})
        if error.validator == "required":
            key = next(each for each in schema["required"] if repr(each) in error.message)
            action = f"Add {'the line ' * (not path)}`{key}: <value>`."
            if format_.endswith("-hooks"):  # JSON
                action = f"Add `{quoted(key)}: <value>`."
            elif format_ == "codex-agent":  # TOML
                action = f"Add the line `{key} = <value>`."
            expected = fields.get(key, schema)["description"]
            yield Problem(LACKS, (*path, key), "the field is missing", expected, action=action)
        elif error.validator == "additionalProperties":
            message = _UNKNOWN.get(format_, "unknown key: the client rejects the file")
            for key in error.instance:
                if key not in fields:
                    expected = f"only {', '.join(fields)}"
                    yield Problem(UNKNOWN, (*path, key), message, expected, quoted(key))
        else:
            message = _MESSAGES.get(str(error.validator), "value that is not allowed")
            yield Problem(FIELD, path, message, schema.get("description", ""), _shown(error))


def _shown(error: ValidationError) -> str:
    value: Any = error.instance
    if error.validator == "maxLength":
        return f"{len(value)} characters"
    # TOML and YAML have dates and times; JSON does not
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
    """Yield a problem if the name of a skill or Cursor agent differs from its folder or file."""
    found = document.values.get("name")
    holder = {"cursor-agent": "file", "cursor-skill": "folder", "agent-skill": "folder"}
    if format_ in holder and isinstance(found, str) and found != name:
        kind, spot = format_.rpartition("-")[2], document.spots["name",]
        message = f"the {kind}'s name is not the name of its {holder[format_]}"
        yield Problem("definition-name", ("name",), message, quoted(name), quoted(found), *spot)


def _never_problems(document: Document, format_: str) -> Iterator[Problem]:
    """Yield a problem if a rule applies only when a prompt names it with @: ours never do."""
    values = document.values
    says = any(str(values.get(key) or "").strip() for key in ("description", "globs"))
    if format_ == "cursor-rule" and not says and values.get("alwaysApply", False) is False:
        message = "the rule is never applied automatically"
        expected = "alwaysApply: true, globs, or a description"
        path, spot = ("alwaysApply",), document.spots.get(("alwaysApply",), (1, 1))
        yield Problem("definition-never-applies", path, message, expected, "", *spot)


def _body_problems(document: Document, format_: str) -> Iterator[Problem]:
    if format_ == "codex-agent":
        return  # its prompt is a field
    body, line = document.body, document.body_line
    most = MOST_CHARACTERS.get(format_, len(body))
    if not body.strip():
        message = "nothing follows the front matter"
        expected = f"the text of the {format_.rpartition('-')[2]}, in Markdown"
        yield Problem("definition-body", (), message, expected, "", line - 1, 1)
    elif len(body) > most:
        expected, found = f"at most {most} characters", f"{len(body)} characters"
        yield Problem("definition-too-long", (), "the prompt is too long", expected, found, line, 1)


@cache
def _validator(name: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # slow, and rarely needed

    with open(os.path.join(FORMATS, f"{name}.schema.json"), encoding="utf-8") as file:
        return Draft202012Validator(json.load(file))


# --- everything below a folder ------------------------------------------------------------------


def lint_trees(root: str) -> tuple[Checked, ...]:
    """Return all definitions below `root` where a client looks for them, hooks last.

    A link is followed as long as it stays below `root`; one that leads out of it is a problem.
    """
    inside = os.path.realpath(root)
    places = dict.fromkeys(place for client in CLIENTS.values() for place in client.places)
    found = [each for place in places for each in _in_place(inside, place)]
    for client in CLIENTS.values():
        if client.hooks and os.path.lexists(os.path.join(inside, client.hooks.config)):
            format_ = f"{client.name}-hooks"
            problems = _hook_problems(inside, client.hooks.config, format_)
            found.append(_checked(client.hooks.config, format_, problems))
    return tuple(found)


def _checked(path: str, format_: str, problems: tuple[Problem, ...]) -> Checked:
    if len(problems) > MAX_PROBLEMS:
        more = Problem(FILE, (), f"and {len(problems) - MAX_PROBLEMS} more problems")
        problems = (*problems[:MAX_PROBLEMS], more)
    return Checked(path, format_, problems)


def _in_place(root: str, place: Place) -> Iterator[Checked]:
    try:
        names = _names(root, place.folder)
    except Unreadable as error:
        yield Checked(place.folder, place.format, (Problem(FILE, (), str(error)),))
        return
    for name in names:
        path = f"{place.folder}/{name}"
        ending = next((each for each in place.endings if name.endswith(each)), "")
        if not place.endings and os.path.isdir(os.path.join(root, path)):
            path = f"{path}/{SKILL_FILE}"
            yield _checked(path, place.format, _file_problems(root, path, place.format, name))
        elif ending:
            problems = _file_problems(root, path, place.format, name.removesuffix(ending))
            yield _checked(path, place.format, problems)
        elif place.endings and name.endswith(_ENDINGS):
            expected = quoted(name.rpartition(".")[0] + place.endings[0])
            message = "the client ignores files with this name here"
            problem = Problem(FILE, (), message, expected, quoted(name), 1, 1)
            yield Checked(path, place.format, (problem,))


def _names(root: str, folder: str) -> list[str]:
    """Return the names in a folder, none where it is missing; raise `Unreadable`."""
    try:
        names = sorted(os.listdir(_real_path(root, folder)))
    except FileNotFoundError:
        return []
    except OSError as error:
        reason = f"cannot be listed: {(error.strerror or '').lower()}"
        raise Unreadable(DENIED, reason) from None
    if len(names) > MAX_FILES:
        raise Unreadable(TOO_LARGE, f"has more than {MAX_FILES} files")
    return [name for name in names if not name.startswith(".")]


def _real_path(root: str, path: str) -> str:
    """Return a path with its links resolved; raise `Unreadable` if it is not below `root`."""
    real = os.path.realpath(os.path.join(root, path))
    if real.startswith(os.path.join(root, "")):
        return real
    raise Unreadable(NOT_REGULAR, "is a link that leads outside the folder, so it is not followed")


def _file_problems(root: str, path: str, format_: str, name: str) -> tuple[Problem, ...]:
    try:
        text = read_file(_real_path(root, path), MAX_BYTES).decode("utf-8-sig")
    except Unreadable as error:
        return (Problem(FILE, (), str(error)),)
    except UnicodeDecodeError:
        return (Problem(FILE, (), "is not UTF-8 text"),)
    if format_ == "codex-agent":
        return lint(read_toml(text), format_, name)
    return lint(read_definition(text, cursor=format_.startswith("cursor-")), format_, name)


def _hook_problems(root: str, path: str, format_: str) -> tuple[Problem, ...]:
    """Return what is wrong with a file of hooks; other settings in it are not checked."""
    try:
        data = read_file(_real_path(root, path), MAX_BYTES)
        problems = list(_schema_problems(parse(data), format_))
    except Unreadable as error:
        return (Problem(FILE, (), str(error)),)
    except NotStrictJson as error:
        return error.problems
    return tuple(locate(text_of(data), problems))
