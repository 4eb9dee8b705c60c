"""What the course has in tables, the JSON files of this folder: texts of checks, and scenarios."""

from __future__ import annotations

import json
import os
from typing import Any

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def table(name: str) -> Any:
    """Return a table by the name of its file."""
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return json.load(file)


# What is said about checks, by the code of one or by the kind of several: fields of `Check`. In
# the texts of a kind, `$name` is the artifact's name, `$sound` a valid example of it, `$first` the
# first of the other arguments, and `$all` all of them.
TEXTS: dict[str, dict[str, str]] = table("checks.json")
