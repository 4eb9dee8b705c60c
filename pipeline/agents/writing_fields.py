"""Writes front matter: plain YAML in which every text but a name is quoted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Value = bool | str | list[str] | Mapping[str, "Value"]


def with_front_matter(fields: Mapping[str, Value], text: str) -> str:
    """Return a definition file: the fields between two `---` lines, an empty line, the text.

    Texts are double-quoted, since a colon, a star or a date means something else in YAML without
    quotes; a `name` is letters, digits and hyphens, and stands as it is.
    """
    lines = [line for key, value in fields.items() for line in _field(key, value)]
    return "\n".join(["---", *lines, "---", "", text])


def _field(key: str, value: Value) -> Iterator[str]:
    if isinstance(value, bool):
        yield f"{key}: {str(value).lower()}"
    elif isinstance(value, str):
        yield f"{key}: {value if key == 'name' else _quoted(value)}"
    elif isinstance(value, list):
        yield f"{key}:"
        yield from (f"  - {_quoted(each)}" for each in value)
    else:
        yield f"{key}:"
        for inner, below in value.items():
            quoted = inner if inner.isidentifier() else _quoted(inner)
            yield from (f"  {line}" for line in _field(quoted, below))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # a JSON string is a YAML string, and a TOML one
