"""One thing that is wrong with a file: which rule, where, what was expected and found."""

from __future__ import annotations

from typing import NamedTuple

from pipeline.terminal.display import json_path, visible

Path = tuple["str | int", ...]
# What a rule yields: the place, the message, what is expected, what was found, and what to do.
Wrong = tuple[Path, str, str, str, str]

JSON_RULE = "json"  # the rule of every problem that keeps a document from being parsed
KEY_RULE = "criterion-label"  # the rule of problems that concern a key, not its value


class Problem(NamedTuple):
    """A finding of the protocol about one place of one document.

    A named tuple, because hostile documents have tens of thousands of problems.
    """

    rule: str
    path: Path
    message: str
    expected: str = ""
    found: str = ""
    line: int = 0  #: 1-based; 0 where the file itself is meant
    column: int = 0  #: 1-based, in characters
    action: str = ""  #: what to do, in one sentence; empty where only the reader can decide

    def sentence(self) -> str:
        """Say what is wrong, with what was expected and found, safe to print."""
        parts = (("expected", self.expected), ("found", self.found))
        details = ", ".join(f"{name} {value}" for name, value in parts if value)
        return f"{self.message} ({details})" if details else self.message

    def line_for(self, file: str) -> str:
        """Return `FILE:LINE:COLUMN: $.path: sentence`, and the action behind `To do:`.

        Editors can jump to a place in this form.
        """
        spot = f":{self.line}:{self.column}" if self.line else ""
        where = f"{json_path(self.path)}: " if self.path else ""
        action = f". To do: {visible(self.action, limit=400)}" if self.action else ""
        return f"{visible(file, limit=300)}{spot}: {where}{self.sentence()}{action}"
