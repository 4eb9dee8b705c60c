"""What is wrong with a field, and what to do about it in words that are safe to follow literally.

An action is an edit only where the document itself shows what is meant. Otherwise it says what
belongs there: an example could be copied, and would make nonsense valid.
"""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from pipeline.protocol.json_faults import advice
from pipeline.protocol.json_text import NotStrictJson, parse
from pipeline.protocol.patterns import PATTERNS, UNSEEN
from pipeline.protocol.problems import KEY_RULE, Path, Problem
from pipeline.terminal.display import json_path, listed, named, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_AGENTS = {"x-planner": "x-planner or x-subplanner"}
_MOST, _LONG, _DEEP = 20, 80, 4  # names that are compared, their characters; levels of wrappers
_LEAST = 4  # letters of a word: a shorter one with a slip is another word
_MUCH = 1 << 10  # characters of a value that decide what to do about it
_LABEL = re.compile(
    r"\W*AC[\s_.#-]*0*([1-9][0-9]{0,5})(?![0-9])[\W_]*(\w?[\w -]*?)\W*", re.IGNORECASE
)


def problem_of(error: Mapping[str, Any], whole: Any) -> Problem:
    """Return the problem of one entry of pydantic's `ValidationError.errors()`.

    `whole` is an example of the kind of artifact, with every field.
    """
    path: Path = tuple(error["loc"])
    name, found, context = error["type"], error["input"], error.get("ctx", {})
    if name == "missing":
        return _missing(path, found, whole)
    if name == "string_pattern_mismatch":
        form = PATTERNS[context["pattern"]]
        # pydantic adds "[key]" to the path of a mapping's key
        path = path[:-1] if form.rule == KEY_RULE else path
        problem, bare = form.problem(path, found), found[:_MUCH].strip(UNSEEN)
        action = label_action(found) if form.rule == KEY_RULE else ""
        if not action and bare != found and re.search(form.pattern, bare):
            action = f"Write {named(bare)}."
        elif not bare and form.rule in ("text", "summary"):
            action = f"Write {content(path)}."
        return problem._replace(action=action or _edit(form.rule, path, bare) or problem.action)
    rule, message, expected = advice()["types"].get(name, ("fields", error["msg"], ""))
    expected = expected.format(**context).replace("'", '"')
    belongs = content(path) if path else f"{expected}, and nothing around it"
    action = f"Write {belongs or 'a different value'}."
    if name == "literal_error":
        action = _choice(found, expected)
    elif name in advice()["edits"]:
        action = _edit(name, path, _start(found)) or action
    return Problem(rule, path, message, expected, quoted(found), action=action)


def _start(value: Any) -> str:
    """Return the start of a value as JSON; of what is too large, nothing that an edit fits."""
    if isinstance(value, (dict, list)) and len(value) > _MOST:
        return ""
    few = value[:_MUCH] if isinstance(value, str) else value
    return json.dumps(few, ensure_ascii=False)[:_MUCH]


def _choice(found: Any, expected: str) -> str:
    words = _words(found) if isinstance(found, str) else ()
    fits = [value for value in re.findall(r'"([^"]*)"', expected) if _words(value) == words]
    return f"Write {quoted(fits[0])}." if fits else f"Write {expected}, whichever is right."


def _edit(rule: str, path: Path, text: str) -> str:
    """Return what to do about a value that breaks a rule, by its text; empty where that is open."""
    field = next((step for step in reversed(path) if isinstance(step, str)), "")
    for fields, form, action in advice()["edits"].get(rule, ()):
        match = re.search(form, text) if re.search(fields, field) else None
        if match:
            found = match[1] if "{found}" in action else ""
            return str(action.replace("{found}", found).replace("{content}", content(path)))
    return ""


def content(path: Path) -> str:
    """Say what belongs at a place of an artifact, empty where no field of the contract is."""
    table, holder = advice()["content"], path[-2] if len(path) > 1 else ""
    if not path:
        return ""
    is_item = isinstance(path[-1], int) or holder == "acceptance_mapping"
    return str(table.get(f"{holder}[]" if is_item else path[-1], ""))


def label_action(label: str, labels: Mapping[str, Any] = {}) -> str:
    """Return what to do about a criterion's label, given those of the issue; empty if unclear."""
    match = _LABEL.fullmatch(label[:_LONG])
    if not match:
        return ""
    right = [known for known in labels if known.startswith(f"AC{match[1]}_")]
    name = "_".join(re.findall(r"[A-Za-z0-9]+", match[2]))
    if not name and not right:
        return f"Write _ and a short name of the criterion behind AC{match[1]}."
    return f"Rename {named(label)} to {named(right[0] if right else f'AC{match[1]}_{name}')}."


# --- names of fields ----------------------------------------------------------------------------


def _missing(path: Path, holder: Any, whole: Any) -> Problem:
    """Return the problem of a required field that `holder` lacks, or has under a different name."""
    name, found, known = str(path[-1]), "no fields", whole
    for step in path[:-1]:
        known = known[0] if isinstance(step, int) else known[step]
    agents = str(known[name]) if name == "produced_by" else ""
    such = f" ({_AGENTS.get(agents, f'for example {agents}')})" if agents else ""
    action = f"Add {quoted(name)} with {content(path)}{such}."
    if isinstance(holder, dict) and holder:
        found = f"only {listed(holder)}"
        if key := meant(name, holder, known):
            action = f"Rename {named(key)} to {quoted(name)}."
    return Problem("fields", path, "this field is missing", quoted(name), found, action=action)


def meant(name: str, holder: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """Return the one key that is surely this field under a different name, empty for none."""
    keys = [key for key in islice(holder, _MOST) if key not in known and len(key) <= _LONG]
    degrees = {key: likeness(name, key) for key in keys}
    for key in keys:  # a synonym names the same thing only if it is the same thing
        if degrees[key] == 1 and type(holder[key]) is not type(known[name]):
            degrees[key] = 0
    best = max(degrees.values(), default=0)
    fitting = [key for key in keys if best and degrees[key] == best]
    return fitting[0] if len(fitting) == 1 else ""


def likeness(name: str, key: str) -> int:
    """Return how much a key is like a field: 3 the same words, 2 a slip, 1 a synonym, else 0."""
    ours, theirs = _words(name), _words(key)
    if sorted(ours) == sorted(theirs) or "".join(ours) == "".join(theirs):
        return 3
    if len(ours) == len(theirs) and all(map(_is_slip, ours, theirs)):
        return 2
    if _is_slip("".join(ours), "".join(theirs)):
        return 2
    return int("_".join(theirs) in advice()["synonyms"].get(name, ()))


def _words(name: str) -> tuple[str, ...]:
    """Return the words of a name in any case, such as `affectedFiles` or `Affected-Files`."""
    return tuple(map(str.lower, re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)))


def _is_slip(right: str, word: str) -> bool:
    """Return whether a word is another one with at most a letter wrong, missing, extra, swapped."""
    pairs = enumerate(zip(right, word, strict=False))
    at = next((index for index, (ours, theirs) in pairs if ours != theirs), len(right))
    a, b = right[at:], word[at:]
    is_near = a[1:] == b[1:] or a == b[1:] or a[1:] == b or (a[1::-1] == b[:2] and a[2:] == b[2:])
    return right == word or (is_near and len(right) >= _LEAST)


# --- a document of a different kind, or with something around it --------------------------------


def mistaken(value: Any, name: str, schemas: Mapping[str, Any]) -> Problem | None:
    """Return the one problem of a document of a different kind, or inside another value.

    Its fields are then not checked: each would be missing for the same reason.
    """
    if _common(value, schemas[name]):
        return None
    right = _called(name, schemas[name])
    for kind, known in schemas.items():
        fields = _common(value, known)
        if len(fields) > 1:  # one field can be there by chance
            message, found = f"this is {_called(kind, known)}", f"the fields {listed(fields)}"
            action = f"Save it as {kind}.json, and write {right} into this file."
            return Problem("fields", (), message, right, found, action=action)
    for path, is_alone, inner in _within(value, (), is_alone=True):
        if len(_common(inner, schemas[name])) > 1:
            return _wrapped(value, path, right, is_alone=is_alone)
    return None


def _wrapped(value: Any, path: Path, right: str, *, is_alone: bool) -> Problem:
    where = json_path(path)
    if len(path) == 1 and isinstance(value, dict):
        where = quoted(path[0])
    around, found = "another object", f"an object with {where}"
    action = f"Keep only what is in {where}."
    if isinstance(value, str):
        around, found = "a string", quoted(value)
        action = "Remove the quotes around the document, and the \\ before each quote in it."
    elif isinstance(value, list):
        around, found = "an array", quoted(value)
        action = action if path[1:] else "Remove the [ ] around the document."
    if not is_alone:
        action = f"Copy what is in {where} to a file of its own, and then the rest, too."
    return Problem("fields", (), f"the document is inside {around}", right, found, action=action)


def _within(value: Any, path: Path, *, is_alone: bool) -> Iterator[tuple[Path, bool, Any]]:
    """Yield what is inside a value, where, and whether nothing else of weight is around it."""
    if _is_json(value):
        try:
            value = parse(value.encode("utf-8", "surrogatepass"))
        except NotStrictJson:
            return
        yield path, is_alone, value
    if isinstance(value, (dict, list)) and len(path) < _DEEP:
        few = [*islice(value.items() if isinstance(value, dict) else enumerate(value), _MOST)]
        for key, inner in few:
            siblings = [sibling for step, sibling in few if step != key]
            heavy = any(
                isinstance(sibling, (dict, list)) or _is_json(sibling) for sibling in siblings
            )
            only = is_alone and not heavy and len(value) <= _MOST and "produced_by" not in value
            yield (*path, key), only, inner
            yield from _within(inner, (*path, key), is_alone=only)


def _is_json(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip()[:1] in ("{", "[")


def _called(name: str, schema: Any) -> str:
    return f"a list of {name}" if schema["type"] == "list" else f"a {name}"


def _common(value: Any, schema: Any) -> list[str]:
    """Return the fields of a kind that a value has, without the one that is in every kind."""
    if schema["type"] == "list":
        value, schema = value[:1] if isinstance(value, list) else [], schema["items_schema"]
        value = value[0] if value else None
    fields = schema["fields"] if isinstance(value, dict) else ()
    return [field for field in fields if field in value and field != "produced_by"]
