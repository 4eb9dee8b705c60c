"""Reads the file of an issue's acceptance criteria, and says what its author got wrong."""

from __future__ import annotations

import datetime as dt
import os
import re
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from pipeline.protocol.problems import Path, Problem
from pipeline.terminal.display import did_you_mean, listed, quoted, visible
from pipeline.terminal.exit_codes import UNUSABLE
from pipeline.terminal.fault import Fault
from verify.acceptance.model import Acceptance, Expectation
from verify.acceptance.values import names_in
from verify.grading.schemas import refused

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from verify.acceptance.model import Criterion

ENDING = ".acceptance.toml"
LISTEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "listen.mjs")
_UNREADABLE = re.compile(r"(.*?)(?: \(at (?:line (\d+), column \d+|end of document)\))?")


class MalformedAcceptance(Fault):
    """A file of acceptance criteria that cannot be used: one line with its place and cause."""

    def __init__(self, problem: Problem, name: str) -> None:
        super().__init__(problem.line_for(name), code=UNUSABLE)


@cache
def form() -> TypeAdapter[Acceptance]:
    """Return what checks the form of a file, and describes it as a JSON Schema."""
    return TypeAdapter(Acceptance)


def load(text: str, name: str, labels: Collection[str] = ()) -> Acceptance:
    """Return the acceptance criteria in a TOML text, called `name` in messages.

    They are those of the issue's text, `labels`, unless that is empty. Raises
    `MalformedAcceptance`.
    """
    try:
        document = tomllib.loads(text)
        acceptance = form().validate_python(document)
    except ValidationError as error:
        problem = _problem(error)
    except (ValueError, RecursionError) as error:
        said = _UNREADABLE.fullmatch(str(error).split("\n")[0])
        line = int(said[2]) if said and said[2] else text.count("\n") + 1
        problem = Problem("toml", (), f"not TOML: {visible(said[1] if said else '')}", line=line)
    else:
        found = next(_contradictions(acceptance, labels), None)
        if found is None:
            return acceptance
        problem = found
    placed = problem._replace(line=problem.line or _line_of(text, problem.path), column=1)
    raise MalformedAcceptance(placed, name)


def _problem(error: ValidationError) -> Problem:
    """Return the first problem with the form of a file: an unknown key, if there is one."""
    errors = error.errors(include_url=False, include_context=False)
    first = next((e for e in errors if e["type"] == "unexpected_keyword_argument"), errors[0])
    path, schema = _described(first["loc"])
    if first["type"] == "unexpected_keyword_argument":
        known, key = schema["properties"], str(first["loc"][-1])
        return Problem(
            "key", (*path, key), f"unknown key{did_you_mean(key, known)}", listed(known, len(known))
        )
    expected, value = schema.get("description", ""), first["input"]
    if first["type"] == "missing":
        return Problem("missing", path, "the field is missing", expected)
    if first["loc"][-1] == "[key]":
        return Problem("key", first["loc"][:-1], "this name is not allowed", visible(first["msg"]))
    found = "a date or a time" if isinstance(value, dt.date | dt.time) else quoted(value)
    return Problem("form", path, "this is not right here", expected or visible(first["msg"]), found)


def _described(path: Path) -> tuple[Path, dict[str, Any]]:
    """Return the JSON Schema of a place, or of the last place on the way to it that has one."""
    whole = form().json_schema()
    schema: dict[str, Any] = whole
    for at, step in enumerate(path):
        fields = schema.get("properties", {}), schema.get("patternProperties", {})
        inner = schema.get("items") if isinstance(step, int) else fields[0].get(step)
        inner = inner or next(iter(fields[1].values()), None)
        if inner is None:
            return path[:at], schema
        schema = {**whole["$defs"].get(inner.get("$ref", "").rpartition("/")[2], {}), **inner}
    return path, schema


# --- what no form can say -----------------------------------------------------------------------


def _contradictions(acceptance: Acceptance, labels: Collection[str]) -> Iterator[Problem]:
    criteria = acceptance.criteria
    missing = [label for label in labels if label not in criteria]
    for label, criterion in criteria.items():
        path: Path = ("criteria", label)
        if labels and label not in labels:
            message = f"the issue has no such criterion{did_you_mean(label, missing)}"
            yield Problem("label", path, message, listed(labels, len(labels)))
        if bool(criterion.exchanges) == bool(criterion.not_over_http):
            yield Problem("exchanges", path, "a criterion has either exchanges or not_over_http")
        if criterion.exchanges and not acceptance.start:
            expected = _described(("start",))[1]["description"]
            yield Problem("missing", ("start",), "the field is missing", expected)
        yield from _criterion(criterion, acceptance, path)
    for label in missing:
        yield Problem("label", ("criteria", label), "the criterion is missing")


def _criterion(criterion: Criterion, file: Acceptance, path: Path) -> Iterator[Problem]:
    """Yield names without a value, schemas that cannot be used, and empty ranges."""
    draws = {**file.draw, **criterion.draw}
    for name, kind in draws.items():
        low, _, high = kind.removeprefix("integer ").partition("..")
        if high and int(low) > int(high):
            yield Problem(
                "draw", (*path, "draw", name), "an empty range", "integer low..high", kind
            )
    known = {"i", *draws}
    env = file.env if criterion.env is None else criterion.env
    yield from _unknown(env, known, (*path, "env"))
    for index, exchange in enumerate(criterion.exchanges):
        at = (*path, "exchanges", index)
        for key in ("request", "headers", "json", "text", "env", "expect"):
            yield from _unknown(getattr(exchange, key), known, (*at, key))
        if exchange.json is not None and exchange.text:
            yield Problem("body", (*at, "text"), "a request has one body", "json or text")
        if reason := refused(exchange.expect.schema):
            yield Problem("schema", (*at, "expect", "schema"), reason)
        known |= exchange.save.keys()


def _unknown(value: Any, known: Collection[str], path: Path) -> Iterator[Problem]:
    for name in names_in(vars(value) if isinstance(value, Expectation) else value):
        if name not in known:
            message = f"{{{name}}} has no value here{did_you_mean(name, known)}"
            yield Problem("name", path, message, "a name in draw, or in save of an exchange before")


def _line_of(text: str, path: Path) -> int:
    """Return the line of a place in a TOML text, or of what contains it, by the names before it."""
    at = 0
    for step in path:
        if isinstance(step, int):  # tables of an array, the first of which is already found
            for _ in range(step):
                at = max(at, text.find("\n[[", at) + 1)
        else:
            found = re.compile(rf"(?<![\w-]){re.escape(step)}(?![\w-])").search(text, at)
            at = found.start() if found else at
    return text.count("\n", 0, at) + 1
