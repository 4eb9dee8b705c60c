"""Counts of the JUnit reports that a project's tests have written; hostile XML is not read."""

from __future__ import annotations

import os
from contextlib import suppress
from glob import glob
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from pipeline.files import Unreadable, is_inside, read_file
from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MOST_FILES, _MOST_NAMES = 1_000, 100
_MOST_BYTES = 32 << 20  # of all reports of a suite
_DEEPEST = 1_000  # elements in one another: expat remembers each
_SLACK = 2.0  # seconds: file systems round times


class _Hostile(Exception):  # a document type, by which a text could grow, or great depth
    pass


def counts_of(folders: Iterable[str], patterns: Sequence[str], since: float) -> dict[str, Any]:
    """Return counts and failures of the reports that were written `since`; empty if none says any.

    A file that is a link, is too large or is no JUnit report says nothing.
    """
    cases: list[tuple[str, str]] = []
    left = _MOST_BYTES
    for path in _reports(folders, patterns, since)[:_MOST_FILES]:
        try:
            data = read_file(path, left, follow=False)
            cases += _cases(data)
        except (Unreadable, expat.ExpatError, _Hostile, LookupError, ValueError):
            continue
        left -= len(data)
    if not cases:
        return {}
    how = [how for _, how in cases]
    counts = {name: how.count(name) for name in ("passed", "failed", "skipped")}
    failed = dict.fromkeys(name for name, how in cases if how == "failed" and name.strip())
    return {"counts": counts, **({"failures": [*failed][:_MOST_NAMES]} if failed else {})}


def _reports(folders: Iterable[str], patterns: Sequence[str], since: float) -> list[str]:
    """Return the paths of files that could be reports, in their own folders."""
    found = {}
    for folder in map(os.path.realpath, folders):
        for pattern in patterns:
            for name in glob(pattern, root_dir=folder):
                path = os.path.realpath(os.path.join(folder, name))
                with suppress(OSError):
                    if is_inside(path, folder) and os.path.getmtime(path) > since - _SLACK:
                        found[path] = True
    return sorted(found)


def _cases(data: bytes) -> list[tuple[str, str]]:
    """Return the name of each test case of a report, and whether it passed."""
    cases: list[tuple[str, str]] = []
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise _Hostile
        if name == "testcase":
            names = filter(None, (attributes.get("classname"), attributes.get("name")))
            cases.append((visible(" ".join(names)), "passed"))
        elif cases and name in ("failure", "error", "skipped"):
            cases[-1] = (cases[-1][0], "skipped" if name == "skipped" else "failed")

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    def refuse(*_: object) -> None:
        raise _Hostile

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = refuse
    parser.Parse(data, True)  # noqa: FBT003  # it has no name for it
    return cases
