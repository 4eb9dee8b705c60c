"""Reads the file of an issue's acceptance criteria, and says what its author got wrong."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from pipeline.protocol import toml_text
from pipeline.protocol.problems import Path, Problem
from pipeline.terminal.display import did_you_mean, listed
from pipeline.terminal.fault import unusable
from verify.acceptance.model import Acceptance, Expectation
from verify.acceptance.values import names_in
from verify.grading.schemas import refused

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from verify.acceptance.model import Criterion

ENDING = ".acceptance.toml"
LISTEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "listen.mjs")


@cache
def form() -> TypeAdapter[Acceptance]:
    """Return what checks the form of a file, and describes it as a JSON Schema."""
    return TypeAdapter(Acceptance)


def load(text: str, name: str, labels: Collection[str] = ()) -> Acceptance:
    """Return the acceptance criteria in a TOML text, called `name` in messages.

    They are those of the issue's text, `labels`, unless that is empty. Raises `Fault`: one line
    with the place and the cause.
    """
    found = toml_text.read(text, form())
    if not isinstance(found, Problem):
        problem = next(_contradictions(found, labels), None)
        if problem is None:
            return found
        found = problem
    raise unusable(toml_text.placed(found, text).line_for(name))


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
            expected = toml_text.described(("start",), form())[1]["description"]
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
