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
    """Return a course of one module."""
    (tmp_path / "plain.py").write_text("VALUE = 1\n", "utf-8")
    return str(tmp_path)


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
