"""Reads the scope of a task from its plan: files are counted there, not guessed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.classifying.lexicon import words_in
from pipeline.classifying.signals import Evidence, Scope
from pipeline.schema import is_document_path, is_test_path

if TYPE_CHECKING:
    from pipeline.schema import Plan

# Folders that hold a project's parts and are none themselves.
_HOLDERS = words_in("holders of parts")
_MAX_NAMED = 6  # files that the evidence names


def scope_of(plan: Plan) -> Scope:
    """Return a plan's files counted, and the folders of parts that they lie in, tests too.

    Documents and files that lie in no part's folder (`src/app.js`) belong to none.
    """
    files = list(dict.fromkeys(plan["affected_files"]))
    domains = {domain: file for file in reversed(files) if (domain := _domain(file))}
    names = ", ".join(files[:_MAX_NAMED]) + (" …" if len(files) > _MAX_NAMED else "")
    evidence = [Evidence("file count", f"affected_files: {names}", "plan")]
    evidence += [Evidence("domain scope", domains[name], "plan") for name in sorted(domains)]
    return Scope(len(files), tuple(sorted(domains)), tuple(evidence))


def planned_tests(plan: Plan) -> list[Evidence]:
    """Return the evidence of each test among a plan's files."""
    return [Evidence("tests wanted", f, "plan") for f in plan["affected_files"] if is_test_path(f)]


def documents_only(plan: Plan) -> bool:
    """Tell whether a plan touches documents and nothing else."""
    return all(is_document_path(file) and not is_test_path(file) for file in plan["affected_files"])


def new_parts(plan: Plan, root: str) -> list[Evidence]:
    """Return the folders of parts that a plan adds to the project, each by its first file."""
    found: dict[str, Evidence] = {}
    for file in plan["affected_files"]:
        folder = os.path.dirname(file)
        if not _domain(file) or is_test_path(file) or os.path.isdir(os.path.join(root, folder)):
            continue
        found.setdefault(folder, Evidence("new abstractions", f"{file}: a new folder", "plan"))
    return list(found.values())


def _domain(file: str) -> str:
    """Return the part that a file belongs to: its first folder that is no mere holder."""
    if is_document_path(file) and not is_test_path(file):
        return ""
    return next((part for part in file.split("/")[:-1] if part.lower() not in _HOLDERS), "")
