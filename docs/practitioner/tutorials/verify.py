"""Grades the practitioner exercises: `--help` says how."""

import os
import sys

# Python put this folder on the path, where this file would shadow the package of the same name.
sys.path[0] = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))

from pipeline.bootstrap import use_project_environment

if __name__ == "__main__":
    use_project_environment()
    from verify.commands.check import level_main

    raise SystemExit(level_main("practitioner", __file__))
