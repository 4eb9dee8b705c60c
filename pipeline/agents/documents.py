"""A definition file as a client's own parser sees it: its values, and where each of them stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.protocol.problems import Path, Problem

Spot = tuple[int, int]  # line and column, 1-based

MAX_BYTES = 64 * 1024  # of a definition file: a prompt is a few KiB
MAX_DEPTH = 16


class Document(NamedTuple):
    """What could be read: `values` is empty where `problems` has one of the rule `front-matter`.

    `spots` says where a value stands, `keys` where its key does; a place that is not known is
    absent. `body` is the prompt, on line `body_line`.
    """

    values: dict[str, Any]
    spots: Mapping[Path, Spot]
    keys: Mapping[Path, Spot]
    problems: tuple[Problem, ...]
    body: str
    body_line: int
