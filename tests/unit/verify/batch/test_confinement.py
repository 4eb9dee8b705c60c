"""The system keeps the bounds: a process of its own is asked, since they are for good."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from verify.batch.confinement import ceiling

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux keeps all the bounds")

CONFINED = """
import resource, sys
from verify.batch.confinement import confine
confine(100)
def told(work):
    try:
        return work() and "done"
    except (MemoryError, OSError) as error:
        return type(error).__name__
def write():
    with open(sys.argv[1], "w") as file:
        return file.write("x")
print(told(lambda: bytearray(60 << 20)), told(lambda: bytearray(160 << 20)), told(write))
print(*(resource.getrlimit(limit)[1] for limit in (resource.RLIMIT_CORE, resource.RLIMIT_NOFILE)))
"""


def test_a_confined_process_gets_so_much_memory_and_writes_no_file(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CONFINED, str(tmp_path / "file")]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, timeout=60)

    assert done.stdout == "done MemoryError OSError\n0 512\n"
    assert (tmp_path / "file").read_bytes() == b""


def test_a_ceiling_holds_for_a_while_only() -> None:
    with ceiling(100), pytest.raises(MemoryError):
        bytearray(300 << 20)
    held = len(bytearray(300 << 20))

    assert held == 300 << 20
