"""Whatever checks and exercises read, they read through the door: they open nothing themselves."""

from __future__ import annotations

import ast
import os

import pytest

from pipeline.bootstrap import ROOT

CLOSED = ("verify/checks", "verify/exercises", "verify/provenance")
# what opens a file, or makes code of a text, without an import that a contract could forbid
FORBIDDEN = {"open", "exec", "eval", "compile", "__import__", "breakpoint", "input", "print"}
MODULES = {
    *(
        "os",
        "io",
        "pathlib",
        "shutil",
        "tempfile",
        "glob",
        "mmap",
        "subprocess",
        "socket",
        "ctypes",
    ),
    *(
        "pickle",
        "marshal",
        "shelve",
        "importlib",
        "runpy",
        "zipfile",
        "tarfile",
        "sqlite3",
        "codecs",
    ),
    *("builtins", "fileinput", "linecache", "multiprocessing", "posix", "nt", "fcntl"),
}
READERS = {"pipeline.reading": {"read_file", "read_descriptor", "read_standard_input"}}


def opened_by(source: str) -> set[str]:
    """Return what a module names that opens something, by the names of the functions or modules."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and node.id in FORBIDDEN:
            found.add(node.id)
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names if each.name.partition(".")[0] in MODULES}
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module.partition(".")[0] in MODULES:
                found.add(node.module)
            names = READERS.get(node.module, set())
            found |= {f"{node.module}.{each.name}" for each in node.names if each.name in names}
    return found


def modules() -> list[str]:
    return sorted(
        os.path.relpath(os.path.join(folder, name), ROOT)
        for closed in CLOSED
        for folder, _, names in os.walk(os.path.join(ROOT, closed))
        for name in names
        if name.endswith(".py")
    )


@pytest.mark.parametrize("module", modules())
def test_a_module_that_judges_opens_nothing(module: str) -> None:
    with open(os.path.join(ROOT, module), encoding="utf-8") as file:
        found = opened_by(file.read())

    assert found == set()


def test_the_modules_that_judge_are_looked_at() -> None:
    assert len(modules()) > 30
    assert "verify/checks/implementation.py" in modules()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("open('plan.json')", {"open"}),
        ("def f():\n    with open(p) as file: file.read()", {"open"}),
        ("read = open", {"open"}),
        ("import os.path", {"os.path"}),
        ("def f():\n    from pathlib import Path", {"pathlib"}),
        ("import importlib as i", {"importlib"}),
        ("from pipeline.reading import Unreadable, read_file", {"pipeline.reading.read_file"}),
        ("eval('1')", {"eval"}),
        ("door.open(path)", set()),
        ("from verify.submission import Submission", set()),
    ],
)
def test_what_opens_something_is_found(source: str, found: set[str]) -> None:
    assert opened_by(source) == found
