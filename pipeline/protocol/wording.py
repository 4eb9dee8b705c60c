"""Says in plain words what is wrong with the fields of an artifact, and what to write instead."""

from __future__ import annotations

import json
import re
from posixpath import normpath
from typing import TYPE_CHECKING, Any

from pipeline.protocol.names import similar
from pipeline.protocol.patterns import PATTERNS
from pipeline.protocol.problems import KEY_RULE, Path, Problem
from pipeline.terminal.display import listed, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

FIELDS, COUNT, CHOICE = "fields", "count", "choice"
_LIKE = 2  # fields of a kind that make a document one of it
_LONG = 200  # characters of a text that is shown as a list
_LONGEST = 300  # characters of a text for which a correction is proposed
_SLUG = 50  # characters of a branch that is proposed

# Other names that people give to a field, and other words for the values of a choice.
_ALIASES = {
    "affected_files": "files files_changed",
    "steps": "tasks actions plan",
    "order": "step id index number position step_number",
    "file": "path filename file_path filepath target",
    "description": "desc details action task",
    "acceptance_mapping": "acceptance_criteria criteria mapping criteria_mapping",
    "produced_by": "agent author created_by producer",
    "status": "state result outcome",
    "files_changed": "files changed_files",
    "blockers": "blocked_by issues errors",
    "summary": "description message notes",
    "branch": "branch_name head",
    "commit_sha": "sha commit hash commit_hash",
    "commit_message": "message commit_msg msg",
    "pr_url": "pr url pull_request",
    "task": "scenario title description",
    "file_count": "files count num_files",
    "domain_scope": "scope domain domains",
    "signals": "reasons factors rationale",
    "tier": "level complexity classification",
    "agents": "agent handlers",
    "trivial": "simple easy low small",
    "standard": "medium moderate normal regular",
    "complex": "hard high difficult large",
    "single": "one single-domain local",
    "cross-domain": "cross crossdomain multi multiple multi-domain both",
}
_NOTES = {"x-planner": ' ("x-subplanner" if that agent wrote it)'}
_NOTHING = {"", "-", "n/a", "na", "nil", "no", "none", "null", "tbd", "todo", "undefined"}
_WORDS = re.compile(r"[A-Za-z0-9]+")


# --- pydantic's errors --------------------------------------------------------------------------


def problem_of(error: Mapping[str, Any], whole: Any) -> Problem:
    """Return the problem of one entry of `ValidationError.errors()`.

    `whole` is an example of the kind of artifact, with every field.
    """
    path: Path = tuple(error["loc"])
    name, found, context = error["type"], error["input"], error.get("ctx", {})
    if name == "missing":
        return missing_field(path, found, whole)
    if name == "string_pattern_mismatch":
        return _wrong_form(path, context["pattern"], found, whole)
    if name == "literal_error":
        return _wrong_choice(path, context["expected"], found)
    example = _example(path, whole)
    rule, message, expected, action = FIELDS, error["msg"], "", _such_as(example)
    if name in _TYPES:
        expected, advice = _TYPES[name]
        message, action = "wrong type", advice(path, found, example)
    elif name == "greater_than_equal":
        message, expected = "too small", f"{context['ge']} or more"
        action = f"Write your estimate, such as {json.dumps(example)}."
    elif name == "too_short":
        rule, message, expected = COUNT, "too few elements", f"at least {context['min_length']}"
    return Problem(rule, path, message, expected, quoted(found), action=action)


def _wrong_form(path: Path, pattern: str, found: str, whole: Any) -> Problem:
    rule, expected = PATTERNS[pattern].rule, PATTERNS[pattern].expected
    if rule == KEY_RULE:
        path = path[:-1]  # pydantic ends the path of a mapping's key with "[key]"
    message, action = "wrong form", _GENERAL.get(rule, "Write it in the expected form.")
    if rule == "text":
        message, action = "this text is blank", _such_as(_example(path, whole))
    elif len(found) <= _LONGEST and rule in _CORRECTIONS:
        message, action = _CORRECTIONS[rule](found)
    return Problem(rule, path, message, expected, quoted(found), action=action)


def _wrong_choice(path: Path, expected: str, found: Any) -> Problem:
    choices = re.findall("'([^']*)'", expected)
    meant = ""
    if isinstance(found, str):
        word = "-".join(re.split(r"[\s_-]+", found[:40].strip().lower()))
        alias = next((each for each in choices if word in _ALIASES.get(each, "").split()), "")
        meant = word if word in choices else alias or similar(word, choices)
    action = f"Write {quoted(meant)}." if meant else "Write the one of them that fits."
    message, expected = "not one of the values allowed", expected.replace("'", '"')
    return Problem(CHOICE, path, message, expected, quoted(found), action=action)


def _example(path: Path, whole: Any) -> Any:
    """Return what is at a path in the example of an artifact, or at one like it."""
    example = whole
    for step in path:
        if isinstance(example, dict) and example:
            example = example.get(step, next(iter(example.values())))
        elif isinstance(example, list) and example:
            example = example[0]
    return example


def _such_as(example: Any) -> str:
    return f"Write something such as {json.dumps(example)}."


# --- wrong types --------------------------------------------------------------------------------


def _for_string(path: Path, found: Any, example: Any) -> str:
    if found is None and path[-1:] == ("pr_url",):
        return "Leave pr_url out if no pull request is open."
    if isinstance(found, (int, float)) and not isinstance(found, bool):
        return "Put the value in double quotes."
    if isinstance(found, dict) and {"path", "file", "name"} & found.keys():
        return "Write the path alone instead of each object."
    if isinstance(found, list) and found and isinstance(found[0], str):
        return _for_one_of(path, found, example)
    return _such_as(example)


def _for_one_of(path: Path, found: list[Any], example: Any) -> str:
    if len(found) == 1:
        return f"Write {quoted(found[0])}, without [ and ]."
    if path[-1] == "file":
        return "Write one step for each file."
    if path[0] == "acceptance_mapping":
        return "Keep one path: the file that shows this criterion."
    return _such_as(example)


def _for_number(_: Path, found: Any, example: Any) -> str:
    if isinstance(found, float) and found.is_integer():
        return f"Write {int(found)}."
    digits = re.match(r"\s*([0-9]{1,9})", found) if isinstance(found, str) else None
    if digits and digits[1] == found.strip():
        return "Remove the quotes around the number."
    if digits:
        return f"Write one number without quotes, such as {digits[1]}."
    return f"Write a number, such as {json.dumps(example)}."


def _for_list(path: Path, found: Any, example: Any) -> str:
    if path[-1:] == ("blockers",) and (found is None or found is False or _is_nothing(found)):
        return "Write []."
    if isinstance(found, str) and path and len(found) <= _LONG:
        parts = found.split(", ")
        return f"Write {json.dumps([found] if any(' ' in part for part in parts) else parts)}."
    if isinstance(found, dict) and not path and "task" in found:
        return "Put [ and ] around the records."
    if isinstance(found, dict):
        return "Write a list: [ and ] around the values, without names for them."
    return f"Write a list, such as {json.dumps(example)}." if path else "Write [ ] around all."


def _for_object(path: Path, found: Any, example: Any) -> str:
    if path:
        return _such_as(example)
    if isinstance(found, list) and len(found) == 1:
        return "Remove the [ and ] around the object."
    if isinstance(found, str) and found.lstrip().startswith("{"):
        return "Write the object itself: no quotes around it, no backslashes in it."
    return "Write one object in { and }, with the fields of the artifact."


def _is_nothing(found: Any) -> bool:
    """Return whether a value is one of the texts that people write for no value."""
    return isinstance(found, str) and found.strip().lower() in _NOTHING


_TYPES: dict[str, tuple[str, Callable[[Path, Any, Any], str]]] = {
    "string_type": ("a string", _for_string),
    "int_type": ("a whole number", _for_number),
    "float_type": ("a number", _for_number),
    "list_type": ("an array", _for_list),
    "dict_type": ("an object", _for_object),
}
_JSON_TYPES = {str: "a string", int: "a number", list: "an array", dict: "an object"}


# --- texts that are nearly right: what is wrong, and what to write ------------------------------


def _line(text: str) -> tuple[str, str]:
    several = text.strip() and len(text.splitlines()) > 1
    return "this text has several lines" if several else "this text is blank", _GENERAL["summary"]


_OUTSIDE = 'Write each path as seen from the target project\'s folder, such as "src/app.js".'
_CONTROLS = {"\t": "/t", "\b": "/b", "\f": "/f", "\n": "/n", "\r": "/r", "\v": "/v", "\\": "/"}
_PATHS = (
    (r"\s*\Z", "this path is blank", 'Write the path of a file, such as "src/app.js".'),
    (r"/|~|[A-Za-z]:", "this path does not begin in the project", _OUTSIDE),
    (r".*\\", "this path has backslashes", "Write / instead of \\ in each path."),
    (r"\./+[^./]", "this path begins with ./", "Remove ./ at the beginning of each path."),
    (r".*/\Z", "this path names a folder", "Write the path of each file in it."),
    (r".*//", "this path has an empty part", "Write // as /."),
)


def _path(text: str) -> tuple[str, str]:
    if text.strip() and not text.isprintable():
        meant = "".join(_CONTROLS.get(character, character) for character in text)
        if not meant.isprintable():
            return "this path has an invisible character", "Delete the invisible character."
        message = "a backslash made a control character of this path"
        return message, f"Write {quoted(meant)}: with / between the parts."
    for pattern, message, action in _PATHS:
        if re.match(pattern, text):
            return message, action
    right = normpath(text)
    if right.startswith("..") or right == ".":
        return "this path leads out of the target project", _OUTSIDE
    if right == text:
        return "wrong form", _OUTSIDE
    return "this path has a . or .. part", f"Write {quoted(right)}."


def _label(text: str) -> tuple[str, str]:
    number = re.search(r"[1-9][0-9]*", text)
    words = _WORDS.findall(text[number.end() :] if number else text)[:4]
    label = f"AC{number[0] if number else 1}_{'_'.join(words).lower() or 'status'}"
    if number and words:
        return "wrong form", f"Write {quoted(label)}."
    lacks = "a short name" if number else "the criterion's number"
    return f"this label lacks {lacks}", f"Add {lacks}, such as in {quoted(label)}."


def _branch(text: str) -> tuple[str, str]:
    last = re.sub(r"^(?:refs/heads/|refs/remotes/|remotes/|origin/)+", "", text.strip())
    slug = "-".join(_WORDS.findall(re.sub(r"^[A-Za-z]+/", "", last)))
    if slug in ("", "main", "master", "HEAD", "develop", "feature"):
        example = quoted("feature/issue-7-health")
        return "this is not a feature branch", f"Create one, such as {example}."
    name = f"feature/{slug[:_SLUG]}"
    if name == last:
        return "wrong form", f"Write {quoted(name)}."
    return "wrong form", f"Rename the branch to {quoted(name)}, and write that name."


def _sha(text: str) -> tuple[str, str]:
    right = re.fullmatch(r"[0-9a-fA-F]{7,40}", text.strip())
    return "wrong form", f"Write {quoted(right[0])}." if right else _GENERAL["commit-sha"]


def _message(text: str) -> tuple[str, str]:
    header, _, body = text.strip().partition("\n")
    typed = re.match(r"([A-Za-z]+(?:\([^()\r\n]+\))?!?) ?:[ \t]*([^\r\n]*)", header)
    if typed is None:
        example = quoted(f"feat: {header.strip() or 'add a health endpoint'}")
        return "the type is missing", f"Begin with a type, such as {example}."
    if not typed[2]:
        return "the description is missing", f"Describe the change after {typed[1]}:."
    right = f"{typed[1]}: {typed[2]}"
    if body and right == header.rstrip("\r"):
        return "the body follows at once", "Put an empty line between header and body."
    return "wrong form", f"Begin with {quoted(right)}."


def _url(text: str) -> tuple[str, str]:
    stripped = text.strip()
    if _is_nothing(text):
        return "this is not an address", "Leave pr_url out if no pull request is open."
    if re.fullmatch(r"(?:[\w-]+\.)+[A-Za-z]{2,}(?::\d+)?/\S*", stripped):
        return "this address has no https://", f"Write {quoted(f'https://{stripped}')}."
    return "this is not an address", _GENERAL["pr-url"]


_GENERAL = {
    "summary": "Write one line.",
    "path": _OUTSIDE,
    "commit-sha": "Write the hash that git rev-parse HEAD prints on the branch.",
    "pr-url": "Copy the address from the browser: it begins with https://.",
}
_CORRECTIONS: dict[str, Callable[[str], tuple[str, str]]] = {
    "summary": _line,
    "path": _path,
    KEY_RULE: _label,
    "branch": _branch,
    "commit-sha": _sha,
    "commit-message": _message,
    "pr-url": _url,
}


# --- missing fields and mistaken documents ------------------------------------------------------


def missing_field(path: Path, holder: object, whole: Any) -> Problem:
    """Return the problem of a required field that `holder` lacks, or has under another name."""
    name = str(path[-1])
    record, example = _example(path[:-1], whole), _example(path, whole)
    keys = list(holder) if isinstance(holder, dict) else []
    near = _near(name, [key for key in keys[:100] if key not in record])
    message, expected = "this field is missing", _JSON_TYPES[type(example)]
    if near:
        found, action = f"a field named {quoted(near)}", f"Rename {quoted(near)} to {quoted(name)}."
        at = (*path[:-1], near)
        return Problem(FIELDS, path, message, expected, found, action=action, at=at)
    note = _NOTES.get(str(example), "")
    action = f"Add {quoted(name)}: {json.dumps(example)}{note}."
    found = f"only {listed(keys)}" if keys else "no field"
    return Problem(FIELDS, path, message, expected, found, action=action)


def _near(name: str, keys: list[str]) -> str:
    """Return the key that is meant for a field, empty where none is."""
    keys = [key for key in keys if len(key) <= 2 * len(name) + 8]
    for key in keys:
        plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key.strip()).replace("-", "_").lower()
        if plain == name:
            return key
    aliases = _ALIASES.get(name, "").split()
    return similar(name, keys) or next((key for key in keys if key.lower() in aliases), "")


def mistaken_document(value: Any, name: str, schemas: Mapping[str, Any]) -> Problem | None:
    """Return the one problem of a document that is another artifact, or is within another object.

    Its fields are then not checked: each would be missing for the same reason. `schemas` has the
    core schema of each kind.
    """
    if _common(value, schemas[name]):
        return None
    right = _called(name, schemas[name])
    for other, schema in schemas.items():
        common = _common(value, schema)
        if len(common) >= _LIKE:
            message, found = f"this is {_called(other, schema)}", f"the fields {listed(common)}"
            action = f"Save it as {other}.json, and write {right} into this file."
            return Problem(FIELDS, (), message, right, found, action=action)
    for key, within in value.items() if isinstance(value, dict) else ():
        if len(_common(within, schemas[name])) >= _LIKE:
            message = "the document is within another object"
            found, action = f"an object with {quoted(key)}", f"Keep only what is in {quoted(key)}."
            return Problem(FIELDS, (), message, right, found, action=action, at=(key,))
    return None


def _called(name: str, schema: Any) -> str:
    return f"a list of {name}" if schema["type"] == "list" else f"a {name}"


def _common(value: Any, schema: Any) -> list[str]:
    """Return the fields of a kind that a value has, without the one that is in every kind."""
    if schema["type"] == "list":
        value, schema = (
            value[0] if isinstance(value, list) and value else None,
            schema["items_schema"],
        )
    if not isinstance(value, dict):
        return []
    return [field for field in schema["fields"] if field in value and field != "produced_by"]


# --- one cause, one problem ---------------------------------------------------------------------


def merged(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems with those of one cause as one, at its first place.

    One cause is what the same action ends, such as a field that has the wrong name in each step.
    """
    causes: dict[tuple[Any, ...], list[Problem]] = {}
    for number, problem in enumerate(problems):
        fields = (
            [] if problem.rule in ("path", "roots") else [s for s in problem.path if s in _ALIASES]
        )
        cause = (problem.message, problem.rule, problem.action or number, *fields)
        causes.setdefault(cause, []).append(problem)
    return [
        first._replace(message=f"{first.message}, in {len(more) + 1} places") if more else first
        for first, *more in causes.values()
    ]
