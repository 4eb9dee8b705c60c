"""The digest of what decides a grade: the project's code, the course, the options, the versions."""

from __future__ import annotations

import os
import sys
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT
from verify.catalog import ISSUES

if TYPE_CHECKING:
    from collections.abc import Iterator

_CODE = ("pipeline", "verify")
_DATA = (".json", ".md")
_OF_COURSE = ("artifacts", "exercises", "issues")  # an exercise may read any file beside it
_LIBRARIES = ("dulwich-", "jsonschema-", "orjson-")


@cache
def digest_of_code(course: str = "") -> str:
    """Return the digest of the code, the course and the versions, 64 hexadecimal digits."""
    places = [(ROOT, _below(os.path.join(ROOT, name), (".py", *_DATA))) for name in _CODE]
    places += [(ISSUES, _below(ISSUES, _DATA)), (course, _of_course(course))]
    parts = [
        f"{os.path.relpath(path, folder)} {_digest(path)}"
        for folder, paths in places
        for path in sorted(paths)
    ]
    whole = "\n".join((*parts, *_versions()))
    return sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()


def digest_of(exercise: str, options: str, course: str = "") -> str:
    """Return the digest that one exercise is graded under."""
    whole = f"{digest_of_code(course)}\0{exercise}\0{options}"
    return sha256(whole.encode()).hexdigest()


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return sha256(file.read()).hexdigest()


def _of_course(course: str) -> Iterator[str]:
    """Yield the files of an instructor's own course that decide a grade: no page, no fixture."""
    for path in _below(course, ("",)) if course else ():
        top = os.path.relpath(path, course).partition(os.sep)[0]
        if top in _OF_COURSE or (path.endswith(".py") and top != "fixtures"):
            yield path


def _below(folder: str, endings: tuple[str, ...]) -> Iterator[str]:
    """Yield the files below a folder that can decide a grade.

    Links are followed, as reading a course follows them; no folder is entered twice.
    """
    entered: set[str] = set()
    for at, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(at)
        if real in entered:
            folders.clear()
            continue
        entered.add(real)
        for name in names:
            if name.endswith(endings) and not name.startswith(".") and not name.endswith(".pyc"):
                yield os.path.join(at, name)


def _versions() -> tuple[str, ...]:
    """Return the versions of Python and of the libraries that grade, without importing them.

    `importlib.metadata` says the same, and costs a cohort of thirty a tenth of its time.
    """
    import pydantic_core

    spec = find_spec("jsonschema")
    folder = os.path.dirname(os.path.dirname((spec and spec.origin) or ""))
    libraries = sorted(n for n in os.listdir(folder or ".") if n.startswith(_LIBRARIES))
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return (f"python {python}", f"pydantic_core {pydantic_core.__version__}", *libraries)
