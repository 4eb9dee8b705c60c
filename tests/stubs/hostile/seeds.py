"""Sound bytes for each target of fuzzing, and what mutates them."""

from __future__ import annotations

import gzip
import json
import lzma
import os
from functools import cache
from typing import TYPE_CHECKING, Any

from pipeline.bootstrap import ROOT
from tests.stubs.archives import tar_bytes, zip_bytes
from tests.stubs.hostile.cases import PLAN
from tests.stubs.hostile.gits import bundle, good, made_of
from tests.stubs.hostile.making import solved

if TYPE_CHECKING:
    from random import Random

    from tests.stubs.hostile.gits import Made

_TEXTS = (
    *(b"null", b"true", b"NaN", b"-0", b"1e400", b"0", b"9" * 20, b'""', b"[]", b"{}", b"\\ud800"),
    *(b"\xff", b"\0", b"\xef\xbb\xbf", b"../", b"/", b"\\", b"\n", b",", b'"', b"x-planner"),
    *(b"PK\1\2", b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"\x80", b"path=", b"size="),
    *(b"=", b"{", b"[", b"]"),
)
_HALF = 0.5
_NUMBERS = (0, 1, 2, 0x7F, 0x80, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF)


@cache
def seeds(target: str) -> tuple[bytes, ...]:
    """Return sound inputs of a target."""
    members = ((PLAN, solved()), ("sandbox/", b""), ("a/caf\u00e9", b"1"), ("__MACOSX/._a", b""))
    tar = tar_bytes(*members, ("n" * 120 + "/" + "m" * 120, b"2"))
    archives = {
        "zip": (zip_bytes(*members), zip_bytes(*members, stored=True)),
        "tar": (tar,),
        "packed": (gzip.compress(tar, mtime=0), lzma.compress(tar)),
        "cohort": (
            zip_bytes(("ada/p", b"1"), ("bob/q/r", b"2"), ("eve.zip", zip_bytes(("p", b"3")))),
            zip_bytes(("x/ada/p", b"1"), ("x/bob/q", b"2")),
        ),
    }
    if target in archives:
        return archives[target]
    if target == "bundle":
        return (bundle(good()),)
    return {
        "document": _documents(),
        "roster": (
            b"key,name,email\r\nada,Ada O.,ada@example.org\r\nbob,Bob,bob@example.org\r\n",
            b'Student;SIS Login ID;Section\n"Okafor, Ada";ada;1\n',
        ),
        "metadata": (
            b"submission_1:\n  :submitters:\n  - :name: Ada\n  :created_at: 2026-03-01 10:00:00\n",
        ),
        "manifest": (b"learner,path\r\nada,.\r\nbob,./\r\n",),
    }[target]


def _documents() -> tuple[bytes, ...]:
    folder, found = os.path.join(ROOT, "fixtures", "artifacts", "valid"), [solved()]
    for name in sorted(name for name in os.listdir(folder) if name.endswith(".json")):
        with open(os.path.join(folder, name), "rb") as file:
            found.append(file.read())
    return tuple(found)


def mutated(data: bytes, random: Random) -> bytes:
    """Return bytes with one to six changes."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 6)):
        _WAYS[random.randrange(len(_WAYS))](changed, random)
    return bytes(changed)


def _flip(data: bytearray, random: Random) -> None:
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def _put(data: bytearray, random: Random) -> None:
    at = random.randint(0, len(data))
    data[at:at] = random.choice(_TEXTS)


def _replace(data: bytearray, random: Random) -> None:
    at, text = random.randint(0, len(data)), random.choice(_TEXTS)
    data[at : at + len(text)] = text


def _number(data: bytearray, random: Random) -> None:
    at, width = random.randint(0, len(data)), random.choice((1, 2, 4))
    number = random.choice(_NUMBERS) & ((1 << 8 * width) - 1)
    data[at : at + width] = number.to_bytes(width, "big" if random.random() < _HALF else "little")


def _cut(data: bytearray, random: Random) -> None:
    start = random.randint(0, len(data))
    del data[start : start + random.randint(1, 40)]


def _copy(data: bytearray, random: Random) -> None:
    start, at = random.randint(0, len(data)), random.randint(0, len(data))
    data[at:at] = data[start : start + random.randint(1, 60)]


def _end(data: bytearray, random: Random) -> None:
    if random.random() < 0.2:  # most ends are too early to be of interest
        del data[random.randint(0, len(data)) :]


_WAYS = (_flip, _put, _replace, _number, _cut, _copy, _end)


def structured(target: str, data: bytes, random: Random) -> bytes:
    """Return bytes that are changed within, and whole around it: checksums, names and packing."""
    if target == "tar":
        return _mended(mutated(data, random))
    if target == "packed":
        return gzip.compress(_mended(mutated(seeds("tar")[0], random)), 1, mtime=0)
    if target == "bundle":
        return _rebuilt(random)
    return _document(data, random) if target == "document" else mutated(data, random)


def _mended(data: bytes) -> bytes:
    """Return a tar whose headers have the checksums that they should."""
    mended = bytearray(data)
    for start in range(0, len(mended) - 511, 512):
        block = mended[start : start + 512]
        if block[257:262] == b"ustar":
            block[148:156] = b" " * 8
            mended[start + 148 : start + 156] = b"%06o\0 " % sum(block)
    return bytes(mended)


def _rebuilt(random: Random) -> bytes:
    """Return a bundle one object of which is changed, and named anew wherever it is named."""
    objects = good()
    at = random.randrange(len(objects))
    new: list[Made] = []
    names: dict[bytes, bytes] = {}
    for index, one in enumerate(objects):
        data = mutated(one.data, random) if index == at else one.data
        for before, after in names.items():
            data = data.replace(before, after).replace(_hex(before), _hex(after))
        new.append(made_of(one.kind, data))
        names[one.name] = new[-1].name
    return bundle(new)


def _hex(name: bytes) -> bytes:
    return name.hex().encode()


def _document(data: bytes, random: Random) -> bytes:
    """Return a JSON document with one to three of its values changed."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return mutated(data, random)
    for _ in range(random.randint(1, 3)):
        value = _changed(value, random)
    indent = random.choice((None, 2))
    return json.dumps(value, ensure_ascii=random.random() < _HALF, indent=indent).encode(
        "utf-8", "surrogatepass"
    )


_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 1.0, 2.5, 10**30, 1e300, "", " ", "x", "src/app.js", "../x"),
    *("x-planner", "AC1_a", "feature/a", "\ud800", "\u202e", "\x00", [], {}, ["x"], {"a": 1}, [[]]),
)


def _changed(value: object, random: Random) -> object:
    if isinstance(value, dict) and value and random.random() < 0.8:  # mostly within
        key = random.choice(list(value))
        if random.random() < 0.1:  # now and then
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: _changed(value[key], random)}
    if isinstance(value, list) and value and random.random() < 0.8:  # as above
        at = random.randrange(len(value))
        if random.random() < 0.1:  # as above
            return [*value, value[at]]
        return [*value[:at], _changed(value[at], random), *value[at + 1 :]]
    return random.choice(_VALUES)
