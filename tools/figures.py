"""Runs every figure whole that the tests try on a seeded sample, and prints what each one counted.

.venv/bin/python tools/figures.py [-k NAME]
"""

from __future__ import annotations

import os
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main(arguments: list[str]) -> int:
    """Run pytest on the figures and return its exit code."""
    os.chdir(ROOT)
    return pytest.main(["-m", "figure", "--figures", "-q", "-s", "-p", "no:xdist", *arguments])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
