"""Says in plain words what is wrong with the fields of an artifact, and what to write instead."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pipeline.protocol.names import similar
from pipeline.protocol.patterns import BRANCH, PATTERNS
from pipeline.protocol.problems import KEY_RULE, Path, Problem, filled
from pipeline.terminal.display import listed, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FIELDS, COUNT, CHOICE = "fields", "count", "choice"
_LIKE = 2  # fields of a kind that make a document one of it
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
_WORDS = re.compile(r"[A-Za-z0-9]+")
_TYPES = {
    "string": "a string",
    "int": "a whole number",
    "float": "a number",
    "list": "an array",
    "dict": "an object",
}
_JSON_TYPES = {str: "a string", int: "a number", list: "an array", dict: "an object"}

_NOTHING = r"\s*(?i:-|n/?a|nil|no|none|null|tbd|todo|undefined)?\s*"
_TYPE = r"\s*([A-Za-z]+(?:\([^()\r\n]+\))?!?)"  # of a commit message
_UNSEEN = r"\x00-\x07\x0e-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
_REF = r"\s*(?:refs/heads/|refs/remotes/|remotes/|origin/)*"
_OUTSIDE = 'Write each path as seen from the target project\'s folder, such as "src/app.js".'

# In the actions of both tables {example} is the field's example, and {list} a text as an array.
# fmt: off

# Wrong types: the types, a pattern of the path and the value as JSON, and the action.
_WRONG_TYPES = (
    ("string", "pr_url null", "Leave pr_url out if no pull request is open."),
    ("string", r"\S* -?[0-9]", "Put the value in double quotes."),
    ("string", r'\S* \{.*"(?:path|file|name)":', "Write the path alone instead of each object."),
    ("string", r'\S* \["([^"\\]*)"\]$', r"Write {\1}, without [ and ]."),
    ("string", r'\S*\.file \["', "Write one step for each file."),
    ("string", r'acceptance_mapping\.\S* \["',
     "Keep one path: the file that shows this criterion."),
    ("int float", r"\S* (-?[0-9]+)\.0$", r"Write \1."),
    ("int float", r'\S* "\s*[0-9]{1,9}\s*"$', "Remove the quotes around the number."),
    ("int float", r'\S* "\s*([0-9]{1,9})', r"Write one number without quotes, such as \1."),
    ("int float", "", "Write a number, such as {example}."),
    ("list", rf'blockers (?:null|false|"{_NOTHING}")$', "Write []."),
    ("list", r'\S+ "[^"]{1,200}"$', "Write {list}."),
    ("list", r' \{.*"task":', "Put [ and ] around the records."),
    ("list", r"\S* \{", "Write a list: [ and ] around the values, without names for them."),
    ("list", r"\S+ ", "Write a list, such as {example}."),
    ("list", "", "Write [ ] around all."),
    ("dict", r" \[.*\{", "Keep one object, without the [ and ] around it."),
    ("dict", r' "\s*\{', "Write the object itself: no quotes around it, no backslashes in it."),
    ("dict", " ", "Write one object in { and }, with the fields of the artifact."),
    ("string list dict", "", "Write something such as {example}."),
)

# Texts in the wrong form: the rule, a pattern of the text, the message, and the action.
_WRONG_FORMS = (
    ("text", "", "this text is blank", "Write something such as {example}."),
    ("summary", r"\s*\Z", "this text is blank", "Write one line."),
    ("summary", "", "this text has several lines", "Write one line."),
    ("commit-sha", r"\s*([0-9a-fA-F]{7,40})\s*\Z", "wrong form", r"Write {\1}."),
    ("commit-sha", "", "wrong form",
     "Write the hash that git rev-parse HEAD prints on the branch."),
    ("commit-message", rf"{_TYPE} ?:[ \t]*(?:[\r\n]|\Z)", "the description is missing",
     r"Describe the change after \1:."),
    ("commit-message", rf"{_TYPE}: \S[^\r\n]*\r?\n", "the body follows at once",
     "Put an empty line between header and body."),
    ("commit-message", rf"{_TYPE} ?:[ \t]*([^\r\n]*)", "wrong form", r"Begin with {\1: \2}."),
    ("commit-message", r"\s*\Z", "the type is missing",
     "Begin with a type, such as {feat: add a health endpoint}."),
    ("commit-message", r"\s*([^\r\n]*)", "the type is missing",
     r"Begin with a type, such as {feat: \1}."),
    ("pr-url", rf"{_NOTHING}\Z", "this is not an address",
     "Leave pr_url out if no pull request is open."),
    ("pr-url", r"\s*((?:[\w-]+\.)+[A-Za-z]{2,}(?::\d+)?/\S*)\s*\Z", "this address has no https://",
     r"Write {https://\1}."),
    ("pr-url", "", "this is not an address",
     "Copy the address from the browser: it begins with https://."),
    ("path", r"\s*\Z", "this path is blank", 'Write the path of a file, such as "src/app.js".'),
    ("path", rf".*[{_UNSEEN}]", "this path has an invisible character",
     "Delete the invisible character."),
    ("path", r".*[\b\t\n\v\f\r]", "a backslash made a control character of this path",
     "Write {right}: with / between the parts."),
    ("path", r"/|~|[A-Za-z]:", "this path does not begin in the project", _OUTSIDE),
    ("path", r".*\\", "this path has backslashes", r"Write / instead of \ in each path."),
    ("path", r"\./+[^./]", "this path begins with ./", "Remove ./ at the beginning of each path."),
    ("path", r".*/\Z", "this path names a folder", "Write the path of each file in it."),
    ("path", r".*//", "this path has an empty part", "Write // as /."),
    ("path", r"\.\.(?:/|\Z)", "this path leads out of the target project", _OUTSIDE),
    ("path", r"(?:.*/)?\.\.?(?:/|\Z)", "this path has a . or .. part",
     'Write each path without . and .. parts, such as "src/app.js".'),
    ("path", "", "wrong form", _OUTSIDE),
    (KEY_RULE, r"[^1-9]*\Z", "this label lacks the criterion's number",
     "Add the criterion's number, such as in {right}."),
    (KEY_RULE, r"[^1-9]*[1-9][0-9]*[^A-Za-z0-9]*\Z", "this label lacks a short name",
     "Add a short name, such as in {right}."),
    (KEY_RULE, "", "wrong form", "Write {right}."),
    ("branch", rf"{_REF}(?:feature/)?(?:main|master|HEAD|develop|feature)?\W*\Z",
     "this is not a feature branch",
     "Create one, such as {feature/issue-7-health}."),
    ("branch", rf"{_REF}({BRANCH.pattern[1:-1]})\s*\Z", "wrong form", r"Write {\1}."),
    ("branch", "", "wrong form", "Rename the branch to {right}, and write that name."),
)
# fmt: on


def problem_of(error: Mapping[str, Any], whole: Any) -> Problem:
    """Return the problem of one entry of pydantic's `ValidationError.errors()`.

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
    example = json.dumps(_example(path, whole))
    rule, message, expected = FIELDS, error["msg"], ""
    action = f"Write something such as {example}."
    if name.removesuffix("_type") in _TYPES:
        kind = name.removesuffix("_type")
        message, expected = "wrong type", _TYPES[kind]
        action = _right_type(kind, path, found, example)
    elif name == "greater_than_equal":
        message, expected = "too small", f"{context['ge']} or more"
        action = f"Write your estimate, such as {example}."
    elif name == "too_short":
        rule, message, expected = COUNT, "too few elements", f"at least {context['min_length']}"
    return Problem(rule, path, message, expected, quoted(found), action=action)


def _right_type(kind: str, path: Path, found: Any, example: str) -> str:
    subject = f"{'.'.join(map(str, path))} {json.dumps(found, ensure_ascii=False)}"
    words = {"example": example}
    if isinstance(found, str):
        parts = found.split(", ")
        words["list"] = json.dumps([found] if any(" " in part for part in parts) else parts)
    return next(
        filled(action, match, words)
        for kinds, pattern, action in _WRONG_TYPES
        if kind in kinds and (match := re.match(pattern, subject))
    )


def _wrong_form(path: Path, pattern: str, found: str, whole: Any) -> Problem:
    rule, expected = PATTERNS[pattern].rule, PATTERNS[pattern].expected
    if rule == KEY_RULE:
        path = path[:-1]  # pydantic ends the path of a mapping's key with "[key]"
    words = {"example": json.dumps(_example(path, whole))}
    if rule in _RIGHT:
        words["right"] = quoted(_RIGHT[rule](found))
    message, action = next(
        (message, filled(action, match, words))
        for of, form, message, action in _WRONG_FORMS
        if of == rule and (match := re.match(form, found))
    )
    return Problem(rule, path, message, expected, quoted(found), action=action)


def _right_path(text: str) -> str:
    return text.translate(_CONTROLS)


def _right_label(text: str) -> str:
    number = re.search(r"[1-9][0-9]*", text)
    words = _WORDS.findall(text, number.end() if number else 0)[:4]
    return f"AC{number[0] if number else 1}_{'_'.join(words).lower() or 'status'}"


def _right_branch(text: str) -> str:
    last = re.sub(_REF, "", text, count=1)
    slug = "-".join(_WORDS.findall(re.sub(r"^[A-Za-z]+/", "", last)))
    return f"feature/{slug[:_SLUG]}"


_CONTROLS = str.maketrans(
    {"\t": "/t", "\b": "/b", "\f": "/f", "\n": "/n", "\r": "/r", "\v": "/v", "\\": "/"}
)
_RIGHT = {"path": _right_path, KEY_RULE: _right_label, "branch": _right_branch}


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
