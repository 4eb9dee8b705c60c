"""Makes the bytes of a hostile file by its recipe, a JSON object of the corpus."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from tests.stubs.hostile.cases import SOLVED


@cache
def solved() -> bytes:
    """Return a plan that passes the exercise."""
    with open(SOLVED, "rb") as file:
        return file.read()


def made(recipe: dict[str, Any]) -> bytes:
    """Return the bytes of a recipe.

    `text`, `hex` or `solved` (a plan with fields changed, added, or taken away by null) begin it;
    `repeat` is `[text, times]` and stands between `before` and `after`; `replace` is `[old, new]`,
    `encoding` that of the text.
    """
    if "hex" in recipe:
        return bytes.fromhex(recipe["hex"])
    text = _text(recipe)
    for old, new in recipe.get("replace", ()):
        text = text.replace(old, new)
    return text.encode(recipe.get("encoding", "utf-8"), "surrogatepass")


def _text(recipe: dict[str, Any]) -> str:
    if "solved" in recipe:
        plan = json.loads(solved())
        for field, value in recipe["solved"].items():
            if value is None:
                del plan[field]
            else:
                plan[field] = value
        return json.dumps(plan, indent=2) + "\n"
    if "repeat" in recipe:
        piece, times = recipe["repeat"]
        return f"{recipe.get('before', '')}{piece * times}{recipe.get('after', '')}"
    return str(recipe["text"])
