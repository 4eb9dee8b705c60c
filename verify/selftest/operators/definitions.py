"""Faults of the IDE's definition files: their front matter, their fields, their text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from verify.selftest.mutants import Edit
from verify.selftest.subjects import APPLIES, CLEAN, MODEL, WRITES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.selftest.subjects import Subject


def front_matter(data: bytes, _: Subject) -> Iterator[Edit]:
    """Break the block between the two lines of dashes."""
    text = data.decode("utf-8")
    _before, block, body = text.split("---\n", 2)
    first = block.partition("\n")[0]
    texts = {
        "empty": "",
        "no front matter": body.lstrip(),
        "no opening line": f"{block}---\n{body}",
        "no closing line": f"---\n{block}\n{body}",
        "text before the opening line": f"Definition\n{text}",
        "an empty front matter": f"---\n---\n{body}",
        "a line that is no field": f"---\n{block}this is prose\n---\n{body}",
        "a field twice": f"---\n{first}\n{block}---\n{body}",
        "no text": f"---\n{block}---\n",
        "blank text": f"---\n{block}---\n \n\n",
    }
    for name, changed in texts.items():
        yield Edit(name, (CLEAN,), changed.encode())
    yield Edit("not UTF-8", (CLEAN,), data.replace(b"---\n", b"---\n# \xe9\n", 1))


def fields(data: bytes, subject: Subject) -> Iterator[Edit]:
    """Leave out, empty and retype each field that the kind needs."""
    for field in {"agent": ("description",), "skill": ("name", "description")}.get(
        subject.kind, ()
    ):
        yield Edit(f"{field}: missing", (CLEAN,), _without(data, field))
        for value in ("", '""', '" "', "[1, 2]", "true"):
            yield Edit(f"{field}: {value!r}", (CLEAN,), _with(data, field, value))


def names(data: bytes, subject: Subject) -> Iterator[Edit]:
    """Name an agent or a skill other than its file or folder."""
    if subject.kind in ("agent", "skill"):
        name = subject.path.removesuffix("/SKILL.md").rpartition("/")[2].removesuffix(".md")
        for other in (f"{name}-2", name.upper(), name.replace("-", " "), name.removeprefix("x-")):
            yield Edit(f"name: {other!r}", (CLEAN,), _with(data, "name", other))


def models(data: bytes, subject: Subject) -> Iterator[Edit]:
    """Take an agent's model away, or say nothing by it."""
    if subject.kind == "agent":
        yield Edit("model: missing", (MODEL,), _without(data, "model"))
        yield Edit("model: named Model", (MODEL,), data.replace(b"\nmodel:", b"\nModel:", 1))
        yield Edit("model: a comment", (MODEL,), data.replace(b"\nmodel:", b"\n# model:", 1))
        for value in ("", '""', '" "', "null", "true", "[inherit]"):
            yield Edit(f"model: {value!r}", (MODEL,), _with(data, "model", value))


def stages(data: bytes, subject: Subject) -> Iterator[Edit]:
    """Let an agent only read, or let nobody wait for it."""
    if subject.kind == "agent":
        for fields in (
            "readonly: true",
            "is_background: true",
            "readonly: true\nis_background: true",
        ):
            changed = data.replace(b"---\n", f"---\n{fields}\n".encode(), 1)
            yield Edit(f"with {fields!r}", (WRITES,), changed)


def rules(data: bytes, subject: Subject) -> Iterator[Edit]:
    """Let a rule not apply, or give it keys that rules do not have."""
    if subject.kind != "rule":
        return
    if APPLIES in subject.checks:
        yield Edit("alwaysApply: missing", (APPLIES,), _without(data, "alwaysApply"))
        yield Edit("alwaysApply: false", (APPLIES,), _with(data, "alwaysApply", "false"))
    asked = _with(data, "alwaysApply", "false")
    never = {"": asked, ", no alwaysApply": _without(asked, "alwaysApply")}
    for name, other in never.items():
        yield Edit(f"description: missing{name}", (CLEAN,), _without(other, "description"))
        for value in ("", '""', '" "'):
            changed = _with(other, "description", value)
            yield Edit(f"description: {value!r}{name}", (CLEAN,), changed)
    for value in ("yes", '"true"', "1", "[true]"):
        yield Edit(f"alwaysApply: {value}", (CLEAN,), _with(data, "alwaysApply", value))
    for field in ("model: inherit", "name: x", "alwaysapply: true", "apply: always"):
        changed = data.replace(b"---\n", f"---\n{field}\n".encode(), 1)
        yield Edit(f"a field {field!r}", (CLEAN,), changed)
    changed = data.replace(b"---\n", b"---\nglobs: true\n", 1)
    yield Edit("globs: not texts", (CLEAN,), changed)


def _without(data: bytes, field: str) -> bytes:
    return re.sub(rf"^{field}:.*\n".encode(), b"", data, count=1, flags=re.MULTILINE)


def _with(data: bytes, field: str, value: str) -> bytes:
    line = f"{field}: {value}\n".encode()
    return re.sub(rf"^{field}:.*\n".encode(), lambda _: line, data, count=1, flags=re.MULTILINE)


ALL = (front_matter, fields, names, models, stages, rules)
