"""Runs every figure whole that the tests try on a seeded sample, and prints what each one counted.

.venv/bin/python tools/figures.py [-k NAME]
"""

from __future__ import annotations

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# In a process of its own: the folder of this script is first on sys.path here, and its modules
# would hide packages of the same name.
PYTEST = (sys.executable, "-m", "pytest", "-m", "figure", "--figures", "-q", "-s")


def main(arguments: list[str]) -> int:
    """Run pytest on the figures and return its exit code."""
    return subprocess.run([*PYTEST, *arguments], cwd=ROOT, check=False).returncode  # noqa: S603  # ourselves


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
