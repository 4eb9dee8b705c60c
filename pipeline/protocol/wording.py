"""Turns pydantic's errors into the problems of the contract, each with what to do about it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.protocol.names import similar
from pipeline.protocol.problems import KEY_RULE, Path, Problem
from pipeline.protocol.repairs import BLANK, is_nothing, repair_of
from pipeline.schema import KINDS, SHAPES, Classification, GitResult, Plan, Step, WorkerResult
from pipeline.terminal.display import listed, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pipeline.schema import Kind

FIELDS, COUNT, CHOICE = "fields", "count", "choice"
_LIKE = 2  # fields of a kind that make a document one of it
_LONG = 200  # characters of a text that is shown as a list

_RECORDS = [
    list(record.__annotations__) for record in (Plan, Step, WorkerResult, GitResult, Classification)
]
_STEP = {"order": 1, "file": "src/app.js", "description": "Write the route"}


class _Field(NamedTuple):
    """A field in words: its type, an example, and other names that people give it."""

    type: str
    example: Any
    aliases: tuple[str, ...] = ()


_TEXTS = "an array of strings"
_FIELDS = {
    "affected_files": _Field("an array of paths", ["src/app.js"], ("files", "files_changed")),
    "steps": _Field("an array of objects", [_STEP], ("tasks", "actions", "plan")),
    "order": _Field("a number", 1, ("step", "id", "index", "number", "position", "step_number")),
    "file": _Field("a path", "src/app.js", ("path", "filename", "file_path", "filepath", "target")),
    "description": _Field("a string", "Write the route", ("desc", "details", "action", "task")),
    "acceptance_mapping": _Field(
        "an object from labels to paths",
        {"AC1_status": "test/app.test.js"},
        ("acceptance_criteria", "criteria", "mapping", "criteria_mapping"),
    ),
    "produced_by": _Field("a string", "x-planner", ("agent", "author", "created_by", "producer")),
    "status": _Field("a string", "completed", ("state", "result", "outcome")),
    "files_changed": _Field("an array of paths", ["src/app.js"], ("files", "changed_files")),
    "blockers": _Field("an array", [], ("blocked_by", "issues", "errors")),
    "summary": _Field("one line of text", "Adds the route", ("description", "message", "notes")),
    "branch": _Field("a string", "feature/issue-7-health", ("branch_name", "head")),
    "commit_sha": _Field("a string", "3f1c9ab", ("sha", "commit", "hash", "commit_hash")),
    "commit_message": _Field("a string", "feat: add the route", ("message", "commit_msg", "msg")),
    "pr_url": _Field("an address", "https://example.org/pull/7", ("pr", "url", "pull_request")),
    "task": _Field("a string", "Fix a typo in the README", ("scenario", "title", "description")),
    "file_count": _Field("a whole number", 1, ("files", "count", "num_files")),
    "domain_scope": _Field("a string", "single", ("scope", "domain", "domains")),
    "signals": _Field(_TEXTS, ["single file", "no tests"], ("reasons", "factors", "rationale")),
    "tier": _Field("a string", "trivial", ("level", "complexity", "classification")),
    "agents": _Field(_TEXTS, ["x-worker-fast", "x-reviewer-fast"], ("agent", "handlers")),
}  # fmt: skip
_NAMES = {
    "plan": "a plan",
    "worker-result": "a worker-result",
    "git-result": "a git-result",
    "classifications": "a list of classifications",
}
_PRODUCERS = {
    "plan": '"x-planner" ("x-subplanner" if that agent wrote it)',
    "worker-result": '"x-worker"',
    "git-result": '"x-git"',
}
_CHOICES = {  # other words for the values of a choice
    "simple": "trivial", "easy": "trivial", "low": "trivial", "small": "trivial",
    "medium": "standard", "moderate": "standard", "normal": "standard", "regular": "standard",
    "hard": "complex", "high": "complex", "difficult": "complex", "large": "complex",
    "one": "single", "single-domain": "single", "local": "single",
    "cross": "cross-domain", "crossdomain": "cross-domain", "multi": "cross-domain",
    "multiple": "cross-domain", "multi-domain": "cross-domain", "both": "cross-domain",
}  # fmt: skip


# --- pydantic's errors ---------------------------------------------------------------------------


def problem_of(error: Mapping[str, Any], artifact: str = "") -> Problem:
    """Return the problem of one entry of `ValidationError.errors()` on a kind of artifact."""
    problem = _worded(error)
    if problem.path == ("produced_by",) and artifact in _PRODUCERS:
        return problem._replace(action=f"Write {_PRODUCERS[artifact]}.")
    return problem


def _worded(error: Mapping[str, Any]) -> Problem:
    path: Path = tuple(error["loc"])
    kind, found = error["type"], error["input"]
    if kind == "missing":
        return missing_field(path, found)
    if kind in _TYPES:
        expected, act = _TYPES[kind]
        return Problem(FIELDS, path, "wrong type", expected, quoted(found), action=act(path, found))
    make = _CONSTRAINTS.get(kind)
    if make is None:
        return Problem(FIELDS, path, error["msg"], "", quoted(found))
    return make(path, error, found)


def _shape(path: Path, error: Mapping[str, Any], found: Any) -> Problem:
    shape = SHAPES[error["ctx"]["pattern"]]
    if shape.rule == KEY_RULE:
        path = path[:-1]  # pydantic ends the path of a mapping's key with "[key]"
    message, action = repair_of(shape.rule, found)
    if message == BLANK:
        action = _such_as(path)
    return Problem(shape.rule, path, message, shape.expected, quoted(found), action=action)


def _choice(path: Path, error: Mapping[str, Any], found: Any) -> Problem:
    expected = error["ctx"]["expected"]
    meant = _meant(found, re.findall("'([^']*)'", expected)) if isinstance(found, str) else ""
    action = f"Write {quoted(meant)}." if meant else "Write the one of them that fits."
    message, expected = "not one of the values allowed", expected.replace("'", '"')
    return Problem(CHOICE, path, message, expected, quoted(found), action=action)


def _meant(found: str, choices: list[str]) -> str:
    """Return the choice that a text is near to, empty where there is none."""
    word = "-".join(re.split(r"[\s_-]+", found[:40].strip().lower()))
    meant = _CHOICES.get(word, word)
    return meant if meant in choices else similar(word, choices)


def _too_small(path: Path, error: Mapping[str, Any], found: Any) -> Problem:
    expected = f"{error['ctx']['ge']} or more"
    action = f"Write your estimate, such as {_shown(_example(path))}."
    return Problem(FIELDS, path, "too small", expected, quoted(found), action=action)


def _too_short(path: Path, error: Mapping[str, Any], found: Any) -> Problem:
    expected = f"at least {error['ctx']['min_length']}"
    return Problem(COUNT, path, "too few elements", expected, quoted(found), action=_such_as(path))


_CONSTRAINTS: dict[str, Callable[[Path, Mapping[str, Any], Any], Problem]] = {
    "string_pattern_mismatch": _shape,
    "literal_error": _choice,
    "greater_than_equal": _too_small,
    "too_short": _too_short,
}


# --- wrong types ---------------------------------------------------------------------------------


def _such_as(path: Path) -> str:
    return f"Write something such as {_shown(_example(path))}."


def _example(path: Path) -> Any:
    """Return an example of what belongs at a path: of a field, or of its elements."""
    names = [step for step in path if step in _FIELDS]
    if not names:  # an element of the classifications
        return {name: _FIELDS[name].example for name in _RECORDS[-1]}
    example = _FIELDS[str(names[-1])].example
    if path[-1] != names[-1] and example and isinstance(example, (list, dict)):
        return next(iter(example.values() if isinstance(example, dict) else example))
    return example


def _shown(example: Any) -> str:
    return json.dumps(example)


def _for_string(path: Path, found: Any) -> str:
    if found is None and path[-1:] == ("pr_url",):
        return "Leave pr_url out if there is no pull request."
    if isinstance(found, (int, float)) and not isinstance(found, bool):
        return "Put the value in double quotes."
    if isinstance(found, dict) and {"path", "file", "name"} & found.keys():
        return "Write the path alone instead of each object."
    if isinstance(found, list) and found and isinstance(found[0], str):
        return _for_one_of(path, found)
    return _such_as(path)


def _for_one_of(path: Path, found: list[Any]) -> str:
    if len(found) == 1:
        return f"Write {quoted(found[0])}, without [ and ]."
    if path[-1] == "file":
        return "Write one step for each file."
    if path[0] == "acceptance_mapping":
        return "Keep one path: the file that shows this criterion."
    return _such_as(path)


def _for_number(path: Path, found: Any) -> str:
    if isinstance(found, float) and found.is_integer():
        return f"Write {int(found)}."
    digits = re.match(r"\s*([0-9]{1,9})", found) if isinstance(found, str) else None
    if digits and digits[1] == found.strip():
        return "Remove the quotes around the number."
    if digits:
        return f"Write one number without quotes, such as {digits[1]}."
    return f"Write a number, such as {_shown(_example(path))}."


def _for_list(path: Path, found: Any) -> str:
    if path[-1:] == ("blockers",) and (found is None or found is False or _says_nothing(found)):
        return "Write []."
    if isinstance(found, str) and path and len(found) <= _LONG:
        parts = found.split(", ")
        return f"Write {_shown([found] if any(' ' in part for part in parts) else parts)}."
    if isinstance(found, dict) and not path and "task" in found:
        return "Put [ and ] around the records."
    if isinstance(found, dict):
        return "Write a list: [ and ] around the values, without names for them."
    return f"Write a list, such as {_shown(_example(path))}." if path else "Write [ ] around all."


def _says_nothing(found: Any) -> bool:
    return isinstance(found, str) and is_nothing(found)


def _for_object(path: Path, found: Any) -> str:
    if path:
        return _such_as(path)
    if isinstance(found, list) and len(found) == 1:
        return "Remove the [ and ] around the object."
    if isinstance(found, str) and found.lstrip().startswith("{"):
        return "Write the object itself: no quotes around it, no backslashes in it."
    return "Write one object in { and }, with the fields of the artifact."


_TYPES: dict[str, tuple[str, Callable[[Path, Any], str]]] = {
    "string_type": ("a string", _for_string),
    "int_type": ("a whole number", _for_number),
    "float_type": ("a number", _for_number),
    "list_type": ("an array", _for_list),
    "dict_type": ("an object", _for_object),
}


# --- missing fields and mistaken documents -------------------------------------------------------


def missing_field(path: Path, holder: object, kind: str = "") -> Problem:
    """Return the problem of a required field that its object lacks, or has under another name.

    Args:
        path: the field's.
        holder: the object that lacks it.
        kind: of the artifact, where the field is one of its own.
    """
    name = str(path[-1])
    field = _FIELDS.get(name, _Field("", None))
    keys = list(holder) if isinstance(holder, dict) else []
    near = _near(name, keys)
    message = "this field is missing"
    if near:
        found, action = f"a field named {quoted(near)}", f"Rename {quoted(near)} to {quoted(name)}."
        return Problem(
            FIELDS, path, message, field.type, found, action=action, at=(*path[:-1], near)
        )
    producer = _PRODUCERS.get(kind) if name == "produced_by" else None
    action = f"Add {quoted(name)}: {producer or _shown(field.example)}."
    found = f"only {listed(keys)}" if keys else "no field"
    return Problem(FIELDS, path, message, field.type, found, action=action)


def _near(name: str, keys: list[str]) -> str:
    """Return the key that is meant for a field, empty where none is."""
    if len(keys) == 0:
        return ""
    known = {field for fields in _RECORDS if name in fields for field in fields}
    others = [key for key in keys[:100] if key not in known and len(key) <= 2 * len(name) + 8]
    for key in others:
        plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key.strip()).replace("-", "_").lower()
        if plain == name:
            return key
    aliases = _FIELDS[name].aliases if name in _FIELDS else ()
    return similar(name, others) or next((key for key in others if key.lower() in aliases), "")


def mistaken_document(value: Any, kind: Kind) -> Problem | None:
    """Return the one problem of a document that is another artifact, or is within another object.

    Its fields are then not looked at: each would be missing for the same reason.
    """
    if _fields_of(value, kind):
        return None
    for other in KINDS.values():
        if _is_like(value, other):
            name = _NAMES[kind.name]
            message = f"this is {_NAMES[other.name]}"
            action = f"Save it as {other.ending}, and write {name} into this file."
            found = f"the fields {listed(_fields_of(value, other))}"
            return Problem(FIELDS, (), message, name, found, action=action)
    inner = value.items() if isinstance(value, dict) else ()
    for key, within in inner:
        if _is_like(within, kind):
            message = "the document is within another object"
            found = f"an object with {quoted(key)}"
            action = f"Keep only what is in {quoted(key)}."
            return Problem(FIELDS, (), message, _NAMES[kind.name], found, action=action, at=(key,))
    return None


def _is_like(value: Any, kind: Kind) -> bool:
    return len(_fields_of(value, kind)) >= _LIKE


def _fields_of(value: Any, kind: Kind) -> list[str]:
    """Return the fields of a kind that a value has, without those that are in every kind."""
    if kind.model in (Plan, WorkerResult, GitResult):
        fields = kind.model.__annotations__
    else:
        fields = Classification.__annotations__
        value = value[0] if isinstance(value, list) and value else None
    if not isinstance(value, dict):
        return []
    return [field for field in fields if field in value and field != "produced_by"]


# --- one cause, one problem ----------------------------------------------------------------------


def merged(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems with those of one cause as one, at its first place.

    One cause is what the same action ends, such as a field that has the wrong name in each step.
    """
    first: dict[tuple[Any, ...], Problem] = {}
    more: dict[tuple[Any, ...], int] = {}
    for number, problem in enumerate(problems):
        fields = (
            [] if problem.rule in ("path", "roots") else [s for s in problem.path if s in _FIELDS]
        )
        cause = (problem.message, problem.rule, problem.action or number, *fields)
        if first.setdefault(cause, problem) is not problem:
            more[cause] = more.get(cause, 0) + 1
    for cause, count in more.items():
        first[cause] = first[cause]._replace(message=f"{cause[0]}, in {count + 1} places")
    return list(first.values())
