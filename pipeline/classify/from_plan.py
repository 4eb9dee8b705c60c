"""Reads the scope of a task from its plan or its project: files are counted there, not guessed."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from pipeline.classify import signals as s
from pipeline.classify.lexicon import words_in
from pipeline.files import Unreadable, read_file
from pipeline.schema import is_document_path, is_test_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipeline.classify.signals import Evidence, Reading, Scope
    from pipeline.schema import Plan

_HOLDERS = words_in("holders of parts")  # folders that hold a project's parts and are none
_MAX_NAMED = 6  # files that the evidence names
_MAX_FILES = 5_000  # searched for one symbol; a bigger project gives an estimate from below
_MAX_BYTES = 512 << 10  # of one file; people do not write larger sources
_NOT_SOURCES = frozenset({"node_modules", "vendor", "target", "dist", "build", "__pycache__"})


def scope_of(plan: Plan) -> Scope:
    """Return a plan's files counted, and the folders of parts that they are in, tests too.

    Documents and files that are in no part's folder (`src/app.js`) belong to none.
    """
    files = list(dict.fromkeys(plan["affected_files"]))
    domains = {domain: file for file in reversed(files) if (domain := _domain(file))}
    names = ", ".join(files[:_MAX_NAMED]) + (" …" if len(files) > _MAX_NAMED else "")
    evidence = [s.Evidence(s.FILES, f"affected_files: {names}", "plan")]
    evidence += [s.Evidence(s.SCOPE, domains[name], "plan") for name in sorted(domains)]
    return s.Scope(len(files), tuple(sorted(domains)), tuple(evidence))


def _domain(file: str) -> str:
    """Return the part that a file belongs to: its first folder that only that part has."""
    if is_document_path(file) and not is_test_path(file):
        return ""
    return next((part for part in file.split("/")[:-1] if part.lower() not in _HOLDERS), "")


def evidence_of(plan: Plan, evidence: Sequence[Evidence], root: str) -> list[Evidence]:
    """Return the evidence with what a plan says of tests, documents and new folders of parts."""
    files = plan["affected_files"]
    tests = [file for file in files if is_test_path(file)]
    documents = not tests and all(map(is_document_path, files))
    decided = (s.TESTS, s.NO_TESTS, *(() if documents else (s.DOCUMENTATION,)))
    found = [each for each in evidence if each.signal not in decided]
    found += [s.Evidence(s.TESTS, file, "plan") for file in tests]
    if documents:
        found.append(s.Evidence(s.DOCUMENTATION, ", ".join(files[:3]), "plan"))
    new: dict[str, str] = {}
    for file in files if root else ():
        folder = os.path.dirname(file)
        if _domain(file) and file not in tests and not os.path.isdir(os.path.join(root, folder)):
            new.setdefault(folder, f"{file}: a new folder")
    return [*found, *(s.Evidence(s.NEW, quote, "plan") for quote in new.values())]


def in_project(task: Reading, scope: Scope, evidence: Sequence[Evidence], root: str) -> Scope:
    """Return the scope with files counted in the project: those that a renamed symbol is in."""
    symbol = s.renamed_symbol(task, evidence)
    files = files_with(root, symbol) if symbol else []
    if files:
        why = s.Evidence(s.FILES, f"{symbol} is in {len(files)} files", "repository")
        return scope._replace(file_count=len(files), evidence=(why, *scope.evidence[1:]))
    return scope


def files_with(root: str, symbol: str) -> list[str]:
    """Return the files, relative to `root` and sorted, in which a symbol is a whole word.

    Hidden folders, and those of dependencies and builds, are not searched; links are not
    followed. What cannot be read counts as not holding it.
    """
    whole = re.compile(rb"(?<![\w$])" + re.escape(symbol.encode()) + rb"(?![\w$])")
    return [name for name in _sources(root) if whole.search(_bytes_of(os.path.join(root, name)))]


def _sources(root: str) -> Iterator[str]:
    seen = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in _NOT_SOURCES and f[0] != ".")
        for name in sorted(files):
            seen += 1
            if seen > _MAX_FILES:
                return
            yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def _bytes_of(path: str) -> bytes:
    try:
        return b"" if os.path.islink(path) else read_file(path, _MAX_BYTES)
    except Unreadable:
        return b""
