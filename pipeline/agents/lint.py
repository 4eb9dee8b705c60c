"""Finds every definition of every known client below a folder, and says what is wrong with each."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.agents.clients import CLIENTS
from pipeline.agents.clients.base import PLUGINS
from pipeline.agents.definitions import MAX_BYTES, NO_START, WHOLE, read_definition, read_toml
from pipeline.files import DENIED, NOT_REGULAR, TOO_LARGE, Unreadable, is_inside, read_file, size_of
from pipeline.protocol.advice import likeness
from pipeline.protocol.json_text import NotStrictJson, locate, parse, text_of
from pipeline.protocol.patterns import TEXT
from pipeline.protocol.problems import Problem
from pipeline.terminal.display import quoted, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jsonschema import Draft202012Validator, ValidationError

    from pipeline.agents.clients.base import DefinitionFolder
    from pipeline.agents.definitions import Document
    from pipeline.protocol.problems import Path

LACKS, UNKNOWN, FIELD = "definition-missing", "definition-unknown", "definition-field"
SLIP = "definition-misspelt"
FILE = "definition-file"
FORMATS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "formats")
TOML = {"codex-agent", "vibe-agent"}  # the formats that are TOML, with the prompt in a field
MAX_FILES = 2_000  # in one folder of definitions
MAX_PROBLEMS = 50  # of one file
SKILL_FILE = "SKILL.md"
MOST_CHARACTERS = {"copilot-agent": 30_000}  # of the prompt, by GitHub's documentation
_ENDINGS = (".md", ".mdc", ".toml")  # what looks like a definition, read by the client or not
_DOCUMENTS = {"CHANGELOG", "CONTRIBUTING", "LICENSE", "AGENTS", "CLAUDE", "GEMINI", "INDEX"}
_BY_NAME = ("claude-agent", "cursor-agent", "codex-agent", "gemini-agent", "qwen-agent")
_FLAT = ("gemini-agent", "qwen-agent", "copilot-agent")  # these clients read no subfolders
_SKIPPED = {"node_modules", "vendor", "venv", "fixtures", "testdata"}
_UNKNOWN = {  # what becomes of a key that a client does not know
    "cursor-rule": "the key has no effect in a rule",
    "cursor-hooks": "the client has no such event",
}
_LONGEST = 60  # characters of a name that is compared with others
_OTHERS = {"mode"}  # of one client only, and no slip of `model` in a file for several
_KINDS: dict[type, str] = {str: "string", list: "array", dict: "object"}
_TRUE = {"true", "yes", "y", "on", "1"}
_MESSAGES = {
    "type": "value of the wrong type",
    "pattern": "value in the wrong format",
    "maxLength": "value too long",
    "not": "this key is not allowed here",
}


class Checked(NamedTuple):
    """A definition that was checked."""

    path: str  #: relative to the folder, with `/`
    format: str  #: the name of its schema
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
        names = [*_name_problems(document, format_, name)]
        found = [_placed(problem, document) for problem in _schema_problems(values, format_)]
        problems += [problem for problem in found if not names or problem.path != ("name",)] + names
        problems += _never_problems(document, format_)
        problems += _body_problems(document, format_)
    return tuple(sorted(problems, key=lambda problem: (problem.line, problem.column)))


def _schema_problems(value: Any, format_: str) -> Iterator[Problem]:
    """Yield where a value differs from a schema, without places."""
    slips = _slips(value, format_)
    tools = [*_tool_problems(value, _validator(format_).schema)]
    yield from tools
    for field, key in slips.items():
        action = f"Rename {visible(key, 60)} to {field}."
        yield Problem(SLIP, (field,), "the key is misspelt", field, quoted(key), action=action)
    for error in _validator(format_).iter_errors(value):
        schema: Any = error.schema
        path: Path = tuple(error.absolute_path)
        fields = schema.get("properties", {})
        if error.validator == "required":
            key = next(name for name in schema["required"] if repr(name) in error.message)
            if path or key not in slips:
                yield _missing((*path, key), fields.get(key, schema)["description"], format_)
        elif error.validator == "additionalProperties":
            message = _UNKNOWN.get(format_, "unknown key: the client rejects the file")
            action = "Remove this key." if fields else ""
            meant = {*fields} if path else {*fields, *slips.values()}
            for key in (key for key in error.instance if key not in meant):
                texts = message, f"only {', '.join(fields)}", quoted(key)
                yield Problem(UNKNOWN, (*path, key), *texts, action=action)
        elif not any(problem.path == path[:1] for problem in tools):
            message = _MESSAGES.get(str(error.validator), "value that is not allowed")
            texts = message, schema.get("description", ""), _shown(error)
            yield Problem(FIELD, path, *texts, action=_action(path, error))


def _missing(path: Path, expected: str, format_: str) -> Problem:
    key, is_json = str(path[-1]), format_.endswith("-hooks")
    line = "the line " * (len(path) == 1 and not is_json)
    entry = f"{quoted(key) if is_json else key}{' =' if format_ in TOML else ':'} <value>"
    return Problem(LACKS, path, "the field is missing", expected, action=f"Add {line}`{entry}`.")


def _near(word: str, known: Iterable[str]) -> str:
    """Return the one that a word surely is, in another spelling; empty if none."""
    if not word[2:] or len(word) > _LONGEST:
        return ""
    best = max(
        known, key=lambda right: (likeness(right, word), len(right) == len(word)), default=""
    )
    return best if likeness(best, word) > 1 else ""


def _slips(value: Any, format_: str) -> dict[str, str]:
    """Return the fields that are not there, each with the unknown key that surely means it."""
    if format_.endswith("-hooks"):
        return {}
    schema: Any = _validator(format_).schema
    fields = schema["properties"]
    free = [field for field in fields if field not in value]
    keys = [key for key in value if key not in fields and key not in _OTHERS][:MAX_PROBLEMS]
    found = {_near(key, free): key for key in reversed(keys)}
    return {field: key for field, key in found.items() if field}


def _tool_problems(value: Any, schema: Any) -> Iterator[Problem]:
    """Yield the tools that are not the client's, and spelt almost like one that is."""
    for field in ("tools", "disallowedTools"):
        form = schema.get("properties", {}).get(field, {})
        known, tools = form.get("examples", ()), value.get(field) if form else None
        if _KINDS.get(type(tools), "no") not in form.get("type", ()):
            continue
        names = tools.split(",") if isinstance(tools, str) else tools or ()
        for tool in (str(name).strip() for name in names):
            name = tool.partition("(")[0]
            if near := name not in known and _near(name, known):
                texts = "the client has no such tool", near, quoted(name)
                action = f"Write {near} instead of {visible(name, 80)}."
                yield Problem(FIELD, (field,), *texts, action=action)


def _action(path: Path, error: ValidationError) -> str:
    """Say what to write in place of a value; empty for a value that is not a field's."""
    key = next((step for step in path if isinstance(step, str)), "")
    schema: Any = error.schema
    word = str(error.instance).strip().lower()
    if schema.get("type") == "boolean":
        return f"Write `{key}: {'true' if word in _TRUE else 'false'}`."
    if error.validator == "not" or not key:
        return str(schema.get("$comment", f"Remove {key}." if key else ""))
    return str(schema.get("$comment") or f"In {key}, write {schema.get('description', 'a value')}.")


def _shown(error: ValidationError) -> str:
    value: Any = error.instance
    if error.validator == "maxLength":
        return f"{len(value)} characters"
    # TOML and YAML have dates and times; JSON does not
    return "a date or a time" if isinstance(value, (dt.date, dt.time)) else quoted(value)


def _placed(problem: Problem, document: Document) -> Problem:
    path = problem.path
    keys, spots = document.keys, document.spots
    if problem.rule == SLIP:
        spot = next((keys[key] for key in keys if quoted(key[0]) == problem.found), None)
    elif problem.rule == LACKS:
        spot = keys.get(path[:-1])
    elif problem.rule == UNKNOWN or problem.message == _MESSAGES["not"]:
        spot = keys.get(path)
    else:
        spot = spots.get(path) or spots.get(path[:1])
    line, column = spot or (1, 1)
    return problem._replace(line=line, column=column)


def _name_problems(document: Document, format_: str, name: str) -> Iterator[Problem]:
    """Yield a problem if the name of a skill or Cursor agent differs from its folder or file."""
    found = document.values.get("name")
    holder = {"cursor-agent": "file", "cursor-skill": "folder", "agent-skill": "folder"}
    if format_ in holder and isinstance(found, str) and found != name:
        kind, spot = format_.rpartition("-")[2], document.spots["name",]
        message = f"the {kind}'s name is not the name of its {holder[format_]}"
        texts = message, quoted(name), quoted(found)
        action = f"Write `name: {visible(name, 80)}`."
        yield Problem("definition-name", ("name",), *texts, *spot, action)


def _never_problems(document: Document, format_: str) -> Iterator[Problem]:
    """Yield a problem if a rule applies only when a prompt names it with @: ours never do."""
    values = document.values
    says = any(str(values.get(key) or "").strip() for key in ("description", "globs"))
    if format_ == "cursor-rule" and not says and values.get("alwaysApply", False) is False:
        message = "the rule is never applied automatically"
        expected = "alwaysApply: true, globs, or a description"
        path, spot = ("alwaysApply",), document.spots.get(("alwaysApply",), (1, 1))
        action = "Write `alwaysApply: true`."
        yield Problem("definition-never-applies", path, message, expected, "", *spot, action)


def _body_problems(document: Document, format_: str) -> Iterator[Problem]:
    if format_ in TOML:
        return  # its prompt is a field
    body, line = document.body, document.body_line
    most = MOST_CHARACTERS.get(format_, len(body))
    if re.search(TEXT.pattern, body) is None:
        message = "nothing follows the front matter"
        expected = f"the text of the {format_.rpartition('-')[2]}, in Markdown"
        action = "Write the text below the front matter."
        yield Problem("definition-body", (), message, expected, "", line - 1, 1, action)
    elif len(body) > most:
        expected, found = f"at most {most} characters", f"{len(body)} characters"
        texts = "the prompt is too long", expected, found
        yield Problem("definition-too-long", (), *texts, line, 1, "Shorten the prompt.")


@cache
def _validator(name: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # slow, and rarely needed

    with open(os.path.join(FORMATS, f"{name}.schema.json"), encoding="utf-8") as file:
        return Draft202012Validator(json.load(file))


# --- everything below a folder ------------------------------------------------------------------


def lint_trees(root: str) -> tuple[Checked, ...]:
    """Return all definitions below `root` where a client looks for them, hooks last.

    Each package of a project has its own, and so has a plugin. A link is followed as long as it
    leads below `root`; one that leads out of it is a problem.
    """
    inside = os.path.realpath(root)
    places = dict.fromkeys(place for client in CLIENTS.values() for place in client.places)
    found: list[Checked] = []
    for base, names in _bases(inside):
        plugin = [place for mark in names & PLUGINS.keys() for place in PLUGINS[mark]]
        for place in [*places, *plugin]:
            if place.folder.partition("/")[0] in names:
                found += _in_place(inside, place._replace(folder=f"{base}{place.folder}"))
    for client in CLIENTS.values():
        if client.hooks and os.path.lexists(os.path.join(inside, client.hooks.config)):
            format_ = f"{client.name}-hooks"
            problems = _hook_problems(inside, client.hooks.config, format_)
            found.append(_checked(client.hooks.config, format_, problems))
    return tuple(found)


def _bases(root: str) -> Iterator[tuple[str, set[str]]]:
    """Yield each folder that may contain definitions as `path/`, with the names in it."""
    for path, folders, files in os.walk(root):
        base = os.path.relpath(path, root).replace(os.sep, "/") + "/"
        yield base.removeprefix("./"), {*folders, *files}
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in _SKIPPED)


def _checked(path: str, format_: str, problems: tuple[Problem, ...]) -> Checked:
    if len(problems) > MAX_PROBLEMS:
        more = Problem(FILE, (), f"and {len(problems) - MAX_PROBLEMS} more problems")
        problems = (*problems[:MAX_PROBLEMS], more)
    return Checked(path, format_, problems)


def _in_place(root: str, place: DefinitionFolder) -> Iterator[Checked]:
    named: dict[str, str] = {}  # the first file of each agent
    try:
        for path in _below(root, place, place.folder, set()):
            folder, _, file = path.rpartition("/")
            skill, ending = not place.endings, next(filter(file.endswith, place.endings), "")
            right = SKILL_FILE if skill else file.rpartition(".")[0] + place.endings[0]
            if file == SKILL_FILE if skill else ending:
                name = folder.rpartition("/")[2] if skill else file.removesuffix(ending)
                yield from _definition(root, path, place, name, named)
            elif file.lower() == "skill.md" if skill else file.endswith(_ENDINGS):
                texts = "the client ignores files with this name here", quoted(right), quoted(file)
                action = f"Rename the file to {visible(right, 80)}."
                yield Checked(path, place.format, (Problem(FILE, (), *texts, 1, 1, action),))
    except Unreadable as error:
        yield Checked(place.folder, place.format, (Problem(FILE, (), str(error)),))


def _below(root: str, place: DefinitionFolder, folder: str, seen: set[str]) -> Iterator[str]:
    """Yield the files below a folder of definitions, each folder once; raise `Unreadable`."""
    names, skills = _names(root, folder), not place.endings
    if (real := os.path.realpath(os.path.join(root, folder))) in seen:
        return
    seen.add(real)
    if skills and folder != place.folder and SKILL_FILE in names:
        names = [SKILL_FILE]
    for path in (f"{folder}/{name}" for name in names if not _is_document(name)):
        if not os.path.isdir(os.path.join(root, path)) or path.endswith(place.endings):
            yield path
        elif place.format not in _FLAT:
            try:
                yield from _below(root, place, path, seen)
            except Unreadable:
                yield f"{path}/{SKILL_FILE}"


def _is_document(name: str) -> bool:
    stem = name.partition(".")[0]
    return stem.lower() == "readme" or stem in _DOCUMENTS


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
        reason = f"is not checked: the lint reads at most {MAX_FILES:,} files of a folder"
        raise Unreadable(TOO_LARGE, reason)
    return [name for name in names if not name.startswith(".")]


def _real_path(root: str, path: str) -> str:
    """Return a path with its links resolved; raise `Unreadable` if it is not below `root`."""
    real = os.path.realpath(os.path.join(root, path))
    if is_inside(os.path.dirname(real), root):
        return real
    raise Unreadable(NOT_REGULAR, "is a link that leads outside the folder, so it is not followed")


def _definition(
    root: str, path: str, place: DefinitionFolder, name: str, named: dict[str, str]
) -> Iterator[Checked]:
    """Yield a definition; nothing for a text without front matter in a subfolder of agents."""
    format_ = place.format
    try:
        text = read_file(_real_path(root, path), MAX_BYTES).decode("utf-8-sig")
    except (Unreadable, UnicodeDecodeError) as error:
        reason = str(error) if isinstance(error, Unreadable) else "is not UTF-8 text"
        if getattr(error, "reason", "") == TOO_LARGE:
            reason = f"is not checked: the lint reads at most {size_of(MAX_BYTES)}"
        yield Checked(path, format_, (Problem(FILE, (), reason),))
        return
    cursor = format_.startswith("cursor-")
    document = read_toml(text) if format_ in TOML else read_definition(text, cursor=cursor)
    nested = path.count("/") > place.folder.count("/") + 1
    if (
        place.endings
        and nested
        and [problem.message for problem in document.problems] == [NO_START]
    ):
        return
    problems = lint(document, format_, name)
    first = path
    if format_ in _BY_NAME:
        first = named.setdefault(str(document.values.get("name") or name), path)
    if first != path:
        texts = "another agent has this name", "a name of its own", f"the same name in {first}"
        spot = document.spots.get(("name",), (1, 1))
        action = "Rename one of the two agents, or remove its file."
        problems += (Problem("definition-duplicate", ("name",), *texts, *spot, action),)
    yield _checked(path, format_, problems)


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
