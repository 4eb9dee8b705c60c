"""The digest of what decides a grade: the check code, the course, the options, the versions."""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT
from verify.batch.limits import StopRun
from verify.catalog import ISSUES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# What grading imports, as folders (all that is in them) and single modules, from the root. A test
# grades every exercise and compares what was imported with this list.
PACKAGES = (
    *("verify/checks", "verify/exercises", "verify/own_course", "verify/history"),
    *("verify/provenance", "pipeline/agents", "pipeline/protocol", "pipeline/terminal"),
    "pipeline/witness",
)
MODULES = (
    *("artifacts", "catalog", "fingerprint", "levels", "model"),
    *("archives", "files", "folder", "members", "runner", "submission"),
    *("batch/findings", "batch/flawless", "batch/kernel", "batch/witness"),
)
_LIBRARIES = ("dulwich-", "jsonschema-")
_PACKAGED = ("pipeline",)  # of these, the modules directly in them
_ENDINGS = (".py", ".json", ".md", ".sql")


class RulesDiffer(StopRun):
    """A worker has other check code, or another course, than the grader that sent it work."""


@cache
def digest_of_code(course: str = "") -> str:
    """Return the digest of the check code, the course and the versions, 64 hexadecimal digits."""
    digest = hashlib.sha256()
    for name, path in parts(course):
        with open(path, "rb") as file:
            data = file.read()
        digest.update(f"{name}\0{len(data)}\0".encode("utf-8", "surrogateescape"))
        digest.update(data)
    for version in _versions():
        digest.update(f"{version}\0".encode())
    return digest.hexdigest()


def digest_of(exercise: str, options: Mapping[str, object], course: str = "") -> str:
    """Return the digest that one exercise is graded under."""
    said = f"{digest_of_code(course)}\0{exercise}\0{sorted(options.items())!r}"
    return hashlib.sha256(said.encode()).hexdigest()


def parts(course: str = "") -> Iterator[tuple[str, str]]:
    """Yield the files that decide a grade, their names and paths, in one order everywhere."""
    yield from sorted({**_own_parts(), **_below(ISSUES, "issues")}.items())
    if course:
        yield from sorted(_of_course(course).items())


def _of_course(course: str) -> dict[str, str]:
    """Return what of an instructor's own course decides a grade: no page and no fixture does.

    An exercise may read any file beside it: all of them count.
    """
    parts = {name: path for name, path in _below(course, "course").items() if name.endswith(".py")}
    for folder in ("artifacts", "issues"):
        parts |= _below(os.path.join(course, folder), f"course/{folder}")
    parts |= _below(os.path.join(course, "exercises"), "course/exercises", ("",))
    return {name: path for name, path in parts.items() if not name.startswith("course/fixtures/")}


def _own_parts() -> dict[str, str]:
    parts: dict[str, str] = {}
    for package in PACKAGES:
        parts |= _below(os.path.join(ROOT, *package.split("/")), package)
    parts = {name: path for name, path in parts.items() if "/template/" not in name}
    for module in MODULES:
        parts[f"verify/{module}.py"] = os.path.join(ROOT, "verify", *f"{module}.py".split("/"))
    for package in _PACKAGED:
        folder = os.path.join(ROOT, package)
        for name in os.listdir(folder):
            if name.endswith(_ENDINGS):
                parts[f"{package}/{name}"] = os.path.join(folder, name)
    return parts


def _below(folder: str, prefix: str, endings: tuple[str, ...] = _ENDINGS) -> dict[str, str]:
    """Return the files below a folder that can decide a grade, by their name from `prefix` on.

    Links are followed, as reading a course follows them; no folder is entered twice.
    """
    found: dict[str, str] = {}
    entered: set[str] = set()
    for at, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(at)
        if real in entered:
            folders.clear()
            continue
        entered.add(real)
        folders.sort()
        for name in names:
            if name.endswith(endings) and not name.startswith(".") and not name.endswith(".pyc"):
                path = os.path.join(at, name)
                found[f"{prefix}/{os.path.relpath(path, folder)}"] = path
    return found


def _versions() -> tuple[str, ...]:
    import pydantic_core

    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return (f"python {python}", f"pydantic_core {pydantic_core.__version__}", _libraries())


def _libraries() -> str:
    """Return the names that the installed libraries go by, without importing any or its version.

    `importlib.metadata` would tell the same, and costs a cohort of thirty a tenth of its time.
    """
    spec = find_spec("jsonschema")
    folder = os.path.dirname(os.path.dirname((spec and spec.origin) or ""))
    return ",".join(sorted(n for n in os.listdir(folder or ".") if n.startswith(_LIBRARIES)))
