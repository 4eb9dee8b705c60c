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
from verify.batch.limits import StopRun
from verify.catalog import ISSUES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FIRST = "verify.batch.kernel"  # imports all that grading needs, but the exercises
_EXERCISES = "verify/exercises"  # imported by their names
_IMPORT = re.compile(
    r"^[ \t]*from ((?:verify|pipeline)\b[\w.]*) import (\([^)]*\)|[^\n#]*)[^\n]*\n", re.MULTILINE
)
_FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:(?:    .*)?\n)+", re.MULTILINE)
_LIBRARIES = ("dulwich-", "jsonschema-", "orjson-")
_DATA = (".json", ".md")


class RulesDiffer(StopRun):
    """A worker has other check code, or another course, than the grader that sent it work."""


@cache
def digest_of_code(course: str = "") -> str:
    """Return the digest of the check code, the course and the versions, 64 hexadecimal digits."""
    parts = sorted(map(_digest_of_module, modules().values()))
    parts += sorted(_digest(path) for path in _below(os.path.join(ROOT, "pipeline"), _DATA))
    for folder, paths in ((ISSUES, _below(ISSUES, _DATA)), (course, _of_course(course))):
        parts += [f"{os.path.relpath(path, folder)} {_digest(path)}" for path in sorted(paths)]
    whole = "\n".join((*parts, *_versions()))
    return sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()


def digest_of(exercise: str, options: Mapping[str, object], course: str = "") -> str:
    """Return the digest that one exercise is graded under."""
    whole = f"{digest_of_code(course)}\0{exercise}\0{sorted(options.items())!r}"
    return sha256(whole.encode()).hexdigest()


def modules() -> dict[str, str]:
    """Return the texts of the modules that grading imports, by their paths from the root."""
    found: dict[str, str] = {}
    exercises = _below(os.path.join(ROOT, _EXERCISES), (".py",))
    pending = [_FIRST, *(os.path.relpath(path, ROOT).removesuffix(".py") for path in exercises)]
    while pending:
        path = pending.pop().replace(".", "/")
        files = (f"{path}.py", f"{path}/__init__.py")
        file = next((each for each in files if os.path.isfile(os.path.join(ROOT, each))), "")
        if file and file not in found:
            with open(os.path.join(ROOT, file), encoding="utf-8") as opened:
                found[file] = opened.read()
            for module, names in _IMPORT.findall(_FOR_TYPES.sub("", found[file])):
                pending += [module, *(f"{module}.{name}" for name in re.findall(r"\w+", names))]
    return found


def _digest_of_module(text: str) -> str:
    """Return the digest of what a module says and of the names, not the modules, it imports."""
    names = sorted(re.findall(r"\w+", " ".join(names for _, names in _IMPORT.findall(text))))
    return sha256(f"{names}\n{_IMPORT.sub('', text)}".encode()).hexdigest()


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return sha256(file.read()).hexdigest()


def _of_course(course: str) -> list[str]:
    """Return the files of an instructor's own course that decide a grade: no page, no fixture.

    An exercise may read any file beside it: all of them count.
    """
    if not course:
        return []
    fixtures = os.path.join(course, "fixtures", "")
    code = [path for path in _below(course, (".py",)) if not path.startswith(fixtures)]
    data = (_below(os.path.join(course, name), _DATA) for name in ("artifacts", "issues"))
    beside = _below(os.path.join(course, "exercises"), ("",))
    return list({*code, *beside, *(path for paths in data for path in paths)})


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
    import pydantic_core

    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return (f"python {python}", f"pydantic_core {pydantic_core.__version__}", _libraries())


def _libraries() -> str:
    """Return the names that the installed libraries go by, without importing any or its version.

    `importlib.metadata` says the same, and costs a cohort of thirty a tenth of its time.
    """
    spec = find_spec("jsonschema")
    folder = os.path.dirname(os.path.dirname((spec and spec.origin) or ""))
    return ",".join(sorted(n for n in os.listdir(folder or ".") if n.startswith(_LIBRARIES)))
