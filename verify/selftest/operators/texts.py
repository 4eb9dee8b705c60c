"""Faults that keep a file from being the JSON that it claims to be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from verify.selftest.mutants import Edit
from verify.selftest.subjects import JSON

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.selftest.subjects import Subject

_MEMBERS = (  # put before the first member of the first object
    ("NaN", '"estimate": NaN,'),
    ("Infinity", '"estimate": Infinity,'),
    ("minus Infinity", '"estimate": -Infinity,'),
    ("a number beyond a double", '"estimate": 1e999,'),
    ("a number with a leading zero", '"estimate": 01,'),
    ("a constant of Python", '"estimate": None,'),
    ("half a character", '"estimate": "\\ud800",'),
    ("a line break in a text", '"estimate": "one\ntwo",'),
    ("a key without quotes", "estimate: 1,"),
    ("a comment", "/* by the planner */"),
    ("a comma too many", ","),
)


def truncated(data: bytes, _: Subject) -> Iterator[Edit]:
    """Cut the file: to nothing, at each quarter, before its last bracket."""
    whole = data.rstrip()
    places = {
        "empty": 0,
        "cut at a quarter": len(whole) // 4,
        "cut in the middle": len(whole) // 2,
        "cut at three quarters": 3 * len(whole) // 4,
        "cut before the last bracket": len(whole) - 1,
    }
    for name, end in places.items():
        yield Edit(name, (JSON,), whole[:end])


def not_json(data: bytes, _: Subject) -> Iterator[Edit]:
    """Write what people and agents take for JSON."""
    text = data.decode("utf-8").rstrip()
    texts = {
        "in a Markdown fence": f"```json\n{text}\n```\n",
        "after a sentence": f"Here it is:\n{text}\n",
        "twice": f"{text}\n{text}\n",
        "in single quotes": text.replace('"', "'"),
        "a comma before the last bracket": f"{text[:-1]},{text[-1]}",
        "prose": "The work is done.\n",
    }
    for name, changed in texts.items():
        yield Edit(name, (JSON,), changed.encode())


def odd_members(data: bytes, _: Subject) -> Iterator[Edit]:
    """Write a member that JSON does not have."""
    before, bracket, after = data.decode("utf-8").partition("{")
    for name, member in _MEMBERS:
        yield Edit(name, (JSON,), f"{before}{bracket}{member}{after}".encode())


def repeated_key(data: bytes, _: Subject) -> Iterator[Edit]:
    """Write the first key of the first object twice, with the same value and with another."""
    before, bracket, after = data.decode("utf-8").partition("{")
    document = json.loads(data)
    first = document[0] if isinstance(document, list) and document else document
    if not isinstance(first, dict) or not first:
        return
    key, value = next(iter(first.items()))
    for name, again in (("a key twice", value), ("a key twice, with null", None)):
        member = f"{json.dumps(key)}: {json.dumps(again)},"
        yield Edit(name, (JSON,), f"{before}{bracket}{member}{after}".encode())


def encoded(data: bytes, _: Subject) -> Iterator[Edit]:
    """Write the file in another encoding, or with a byte that no text has."""
    text = data.decode("utf-8")
    yield Edit("in UTF-16", (JSON,), text.encode("utf-16"))
    yield Edit("with a byte that is not UTF-8", (JSON,), data.replace(b'": "', b'": "\xe9', 1))


ALL = (truncated, not_json, odd_members, repeated_key, encoded)
