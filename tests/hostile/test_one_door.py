"""Whatever checks and exercises read, they read through the door: they open nothing themselves."""

from __future__ import annotations

import ast
import os

from pipeline.bootstrap import ROOT

CLOSED = ("verify/course/checks", "verify/course/exercises")
ALONE = ("verify/grading/provenance.py",)
# what opens a file, or makes code of a text, without an import that a contract could forbid
FORBIDDEN = {"open", "exec", "eval", "compile", "__import__", "breakpoint", "input", "print"}
MODULES = {
    *("os", "io", "posix", "nt", "fcntl", "pathlib", "glob", "shutil", "tempfile", "fileinput"),
    *("mmap", "ctypes", "socket", "subprocess", "multiprocessing", "importlib", "runpy"),
    *("pickle", "marshal", "shelve", "sqlite3", "zipfile", "tarfile", "codecs", "linecache"),
    "builtins",
}
READERS = {"pipeline.files": {"read_file", "read_descriptor", "read_standard_input"}}


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
    found = [
        os.path.relpath(os.path.join(folder, name), ROOT)
        for closed in CLOSED
        for folder, _, names in os.walk(os.path.join(ROOT, closed))
        for name in names
        if name.endswith(".py")
    ]
    return sorted((*found, *ALONE))


def test_the_modules_that_judge_open_nothing() -> None:
    found = {}
    for module in modules():
        with open(os.path.join(ROOT, module), encoding="utf-8") as file:
            found[module] = opened_by(file.read())

    assert {module: names for module, names in found.items() if names} == {}
    assert len(found) > 20
    assert "verify/course/checks/results.py" in found


def test_what_opens_something_is_found() -> None:
    sources = {
        "open('plan.json')": {"open"},
        "read = open": {"open"},
        "import os.path": {"os.path"},
        "def f():\n    from pathlib import Path": {"pathlib"},
        "from pipeline.files import Unreadable, read_file": {"pipeline.files.read_file"},
        "door.open(path)": set(),
        "from verify.submissions.submission import Submission": set(),
    }

    assert {source: opened_by(source) for source in sources} == sources
