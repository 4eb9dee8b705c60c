"""One thing that was looked at: how it stands, what was found, what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Standing = Literal["ok", "missing", "note"]
OK: Standing = "ok"
MISSING: Standing = "missing"
NOTE: Standing = "note"


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing that the pipeline needs, or can make use of.

    `code` is permanent, `name` for people. `standing` is `missing` only where no run is possible
    without it; `note` where some run would want it. `found` and `advice` are one line each, safe to
    print and free of secrets; `advice` is empty where there is nothing to do.
    """

    code: str
    name: str
    standing: Standing
    found: str
    advice: str = ""
