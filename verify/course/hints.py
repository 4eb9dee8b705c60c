"""What a failure says about each check besides its findings: `hints.json`, read."""

from __future__ import annotations

import json
import os

_SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hints.json")

# By the code of a check, or by the kind of several: fields of `Check`. In the hints of a kind,
# `$name` is the artifact's name, `$sound` a valid example of it, `$first` and `$all` what differs.
with open(_SOURCE, encoding="utf-8") as _file:
    HINTS: dict[str, dict[str, str]] = json.load(_file)
