"""A course's files are imported from its folder under names of their own, and leave nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from verify.own_course.modules import package_of

if TYPE_CHECKING:
    from pathlib import Path

NAME = "import sys; from verify.own_course.modules import package_of as p; print(p(sys.argv[1]))"


@pytest.fixture
def root(tmp_path: Path) -> str:
    """Return a course of a module, a package with and one without a file of its own."""
    files = {
        "plain.py": "VALUE = 1\n",
        "level/ex01.py": "from ..plain import VALUE\n",
        "pack/__init__.py": "VALUE = 3\n",
        "pack/inner.py": "from . import VALUE\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return str(tmp_path)


def test_modules_and_packages_are_found_below_the_course_and_import_each_other(root: str) -> None:
    package = package_of(root)
    values = [import_module(f"{package}.{name}").VALUE for name in ("level.ex01", "pack.inner")]

    assert values == [1, 3]
    assert import_module(f"{package}.plain").__file__ == os.path.join(root, "plain.py")
    assert not [name for _, folders, _ in os.walk(root) for name in folders if "cache" in name]
    with pytest.raises(ModuleNotFoundError):
        import_module(f"{package}.nowhere")


def test_a_file_is_compiled_as_it_stands_though_bytecode_says_otherwise(root: str) -> None:
    path = os.path.join(root, "plain.py")
    stamp = os.stat(path)
    subprocess.run([sys.executable, "-m", "compileall", "-q", path], check=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write("VALUE = 2\n")  # as long as before
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))

    assert import_module(f"{package_of(root)}.plain").VALUE == 2


def test_a_course_has_one_name_in_every_process_and_no_other_course_has_it(root: str) -> None:
    words = [sys.executable, "-c", NAME, root]
    elsewhere = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    finders = len(sys.meta_path)

    assert elsewhere.stdout.strip() == package_of(root) == package_of(root)
    assert package_of(os.path.join(root, "other")) != package_of(root)
    assert len(sys.meta_path) <= finders + 2
