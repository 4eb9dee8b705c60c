"""Which files of a plan are tests and which are surely code, by `conventions.json`.

A file that no convention decides is neither. The table is read when a plan is validated.
"""

from __future__ import annotations

import json
import os
import re
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "conventions.json")

_DOCUMENTS = (".md", ".mdx", ".rst", ".adoc", ".txt")
_OF_DOCUMENTS = frozenset({"doc", "docs"})  # folders
_LONGEST = 4096  # characters: no system has a longer path
_WORD = re.compile(r"[A-Z0-9]+(?![a-z])|[A-Z]?[a-z0-9]+")  # UserSpec and E2ETests have two each


def is_document_path(path: str) -> bool:
    """Return whether a file is a document, by its ending or its folder."""
    lower = path.lower()
    return lower.endswith(_DOCUMENTS) or not _OF_DOCUMENTS.isdisjoint(lower.split("/")[:-1])


def is_test_path(path: str) -> bool:
    """Return whether a file is a test by the documented convention of a test runner."""
    stem, _, ending = path.rpartition(".")
    if not stem or len(path) > _LONGEST or is_document_path(path):
        return False
    tests = _tests_with(f".{ending}")
    return tests is not None and tests.search(stem) is not None


def is_code_path(path: str) -> bool:
    """Return whether a file is surely code: a source file outside every convention of tests.

    Its path has no word of a test, and it is not configuration, an example, a generated file or
    the like.
    """
    if len(path) > _LONGEST or is_document_path(path) or is_test_path(path):
        return False
    is_source = f".{path.rpartition('.')[2]}" in _code()
    return is_source and not (_has_word(path) or _neutral().search(path))


def code_after_test(files: Sequence[str]) -> tuple[str, list[int]]:
    """Return the first test of some files, and the places of the code that follows it.

    A file may come again if its language has unit tests in the file that they test.
    """
    names = {file.rpartition("/")[2] for file in files}
    are_tests = (is_test_path(file) or _is_of_a_class(file, names) for file in files)
    first = next((index for index, is_test in enumerate(are_tests) if is_test), len(files))
    before, inline = set(files[:first]), tuple(_table()["inline"])
    late = [
        index
        for index, file in enumerate(files[first:], first)
        if is_code_path(file) and not (file in before and file.endswith(inline))
    ]
    return files[first] if late else "", late


def locks_of(manifest: str) -> list[str]:
    """Return what a package manager writes when a manifest changes; it is not planned."""
    names: list[str] = _table()["locks"].get(manifest, [])
    return names


def _is_of_a_class(path: str, names: Collection[str]) -> bool:
    """Return whether a file is named after one of some others, as CartTest.java after Cart.java."""
    match = re.fullmatch(_table()["after_a_class"], path.rpartition("/")[2])
    return match is not None and match[1] + match[2] in names and "/main/" not in f"/{path}"


def _has_word(path: str) -> bool:
    return any(_words().fullmatch(word.lower()) for word in _WORD.findall(path))


@cache
def _table() -> Any:
    with open(TABLE, encoding="utf-8") as file:
        return json.load(file)


@cache
def _code() -> frozenset[str]:
    return frozenset(ending for endings in _table()["code"].values() for ending in endings)


@cache
def _words() -> re.Pattern[str]:
    (words,) = _any_of("(?:{})", _table()["words"])
    return re.compile(f"(?!(?:{'|'.join(_table()['other_words'])})$){words}")


@cache
def _tests_with(ending: str) -> re.Pattern[str] | None:
    """Return the pattern of the tests with an ending, for a path without it."""
    rows = [row for row in _table()["tests"] if ending in row["endings"]]
    folders = [folder for row in rows for folder in row["folders"]]
    anywhere = [folder for folder in folders if folder[0] != "/"]
    outside = [folder[1:] for folder in folders if folder[0] == "/"]
    ways = [
        *_any_of("(?:^|/)(?:{})$", (name for row in rows for name in row["names"])),
        *_any_of("(?:^|/)(?:{})/", anywhere),
        *(
            rf"^(?:(?!(?:{application})/)[^/]+/)*{way}"
            for application in _any_of("{}", _table()["application"])
            for way in _any_of("(?:{})/", outside)
        ),
    ]
    return re.compile("|".join(ways)) if ways else None


@cache
def _neutral() -> re.Pattern[str]:
    """Return the pattern of source files that may come at any time."""
    rows = _table()["neutral"]
    names = (name for row in rows for name in row["names"])
    folders = (folder for row in rows for folder in row["folders"])
    ways = [r"(?:^|/)\.", *_any_of("(?:^|/)(?:{})$", names), *_any_of("(?:^|/)(?:{})/", folders)]
    return re.compile("|".join(ways), re.IGNORECASE)


def _any_of(frame: str, globs: Iterable[str]) -> list[str]:
    """Return a frame around the patterns of some names, nothing where there are none."""
    parts = [re.escape(glob).replace(r"\*", "[^/]*") for glob in dict.fromkeys(globs)]
    return [frame.replace("{}", "|".join(parts))] if parts else []
