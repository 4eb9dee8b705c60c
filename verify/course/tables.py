"""What the course has in tables, the JSON files of this folder: hints and scenarios."""

from __future__ import annotations

import json
import os
from typing import Any

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def table(name: str) -> Any:
    """Return a table by the name of its file."""
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return json.load(file)


# What a failure says besides its findings, by the code of a check or by the kind of several:
# fields of `Check`. In the hints of a kind, `$name` is the artifact's name, `$sound` a valid
# example of it, `$first` the first of the other arguments, and `$all` all of them.
HINTS: dict[str, dict[str, str]] = table("hints.json")
