"""Grades the download of a Moodle assignment, and fills in its grading worksheet.

    python3 grade.py SUBMISSIONS.zip WORKSHEET.csv GRADES.csv

The gradebook and the report are beside this file; grade a later download with the same command.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys

OPTIONS = shlex.split("@OPTIONS@")
HERE = os.path.dirname(os.path.abspath(__file__))
COURSE = os.path.join(HERE, "course")
OWN = os.path.join(COURSE, "own")
BIN = os.path.join(COURSE, ".venv", "Scripts" if sys.platform == "win32" else "bin")
VERIFY = os.path.join(BIN, "verify")


def main(words: list[str]) -> int:
    """Grade, and return the exit code of `verify batch`: 0 and 1 leave a worksheet to upload."""
    if len(words) != len(["submissions", "worksheet", "grades"]):
        print((__doc__ or "").split("\n\n")[1].strip(), file=sys.stderr)
        return 2
    submissions, worksheet, grades = words
    try:
        set_up()
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"The course cannot be set up: {error}", file=sys.stderr)
        return 3
    own = ["--course", OWN] if os.path.isdir(OWN) else []
    kept = [
        "--gradebook",
        os.path.join(HERE, "gradebook.db"),
        "--html",
        os.path.join(HERE, "report"),
    ]
    filled = ["--moodle", grades, "--moodle-from", worksheet]
    command = [VERIFY, "batch", submissions, "--roster", worksheet, *OPTIONS, *own, *kept, *filled]
    return subprocess.run(command, check=False).returncode


def set_up() -> None:
    """Install what the grader needs, the first time."""
    if shutil.which(VERIFY):
        return
    subprocess.run([sys.executable, "start.py", "cohort"], cwd=COURSE, check=True)
    if "--run" in OPTIONS:
        subprocess.run(["npm", "--prefix", "sandbox", "ci"], cwd=COURSE, check=True)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
