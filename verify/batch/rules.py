"""The digest of what decides a grade: the check code, the course, the options, the versions.

It covers what modules say, not where they are: to move one grades no submission again.
"""

from __future__ import annotations

import os
import re
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
_DECIDES_NO_GRADE = (
    *("pipeline/commands", "pipeline/doctor.py", "pipeline/drivers", "pipeline/forges"),
    *("pipeline/run", "verify/commands", "verify/exports", "verify/report", "verify/reporters"),
    *("verify/selftest", "verify/watch.py"),
)
_IMPORTS = re.compile(rf"^ *from ({'|'.join(_CODE)})\b[\w.]* import (\([^)]*\)|.*)\n", re.MULTILINE)
_DATA = (".json", ".md")
_OF_COURSE = ("artifacts", "exercises", "issues")  # an exercise may read any file beside it
_LIBRARIES = ("dulwich-", "jsonschema-", "orjson-")


@cache
def digest_of_code(course: str = "") -> str:
    """Return the digest of the code, the course and the versions, 64 hexadecimal digits."""
    parts = sorted(map(_digest_of_module, modules()))
    for folder, paths in ((ISSUES, _below(ISSUES, _DATA)), (course, _of_course(course))):
        parts += [f"{os.path.relpath(path, folder)} {_digest(path)}" for path in sorted(paths)]
    whole = "\n".join((*parts, *_versions()))
    return sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()


def digest_of(exercise: str, options: str, course: str = "") -> str:
    """Return the digest that one exercise is graded under."""
    whole = f"{digest_of_code(course)}\0{exercise}\0{options}"
    return sha256(whole.encode()).hexdigest()


def modules() -> Iterator[str]:
    """Yield the paths of the project's files that can decide a grade."""
    without = tuple(os.path.join(ROOT, *name.split("/")) for name in _DECIDES_NO_GRADE)
    for name in _CODE:
        for path in _below(os.path.join(ROOT, name), (".py", *_DATA)):
            if not path.startswith(without):
                yield path


def _digest_of_module(path: str) -> str:
    """Return the digest of a file's text, without where it imports the project's names from."""
    with open(path, encoding="utf-8") as file:
        return sha256(_IMPORTS.sub("", file.read()).encode()).hexdigest()


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
