"""Counts the project's files that two journeys enter, from what is typed to what is shown.

usage: python tools/journeys.py [-v]

A file is entered when one of its functions is called; to import it is not to enter it. The
processes that grade are counted as well. `-v` lists the files.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COHORT = os.path.join(ROOT, "fixtures", "cohort")
SOLVED = os.path.join(ROOT, "fixtures", "submissions", "foundation", "01-plan", "solved")
AT_MOST = {"one exercise": 25, "a zip of 12 learners": 60}

# Each Python reads it at its start. A pipe: the processes that grade may not write to files.
_TRACER = """
import os, sys, threading
seen = set()
def note(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_flags & 1 and code.co_filename not in seen:
        seen.add(code.co_filename)
        os.write(int(os.environ["JOURNEY"]), f"{code.co_filename}\\n".encode())
sys.setprofile(note)
threading.setprofile(note)
"""


def main() -> None:
    """Print the counts, and with -v the files."""
    with tempfile.TemporaryDirectory() as scratch:
        with open(os.path.join(scratch, "sitecustomize.py"), "w", encoding="utf-8") as file:
            file.write(_TRACER)
        graded = ("docs/foundation/tutorials/verify.py", "--exercise", "01", "--project", SOLVED)
        cohort = (
            *("-m", "verify", "batch", _zipped(scratch), "--exercise", "practitioner/04"),
            *("--roster", os.path.join(COHORT, "roster.csv")),
            *("--gradebook", os.path.join(scratch, "gradebook.sqlite")),
            *("--csv", os.path.join(scratch, "grades.csv")),
        )
        for (name, most), words in zip(AT_MOST.items(), (graded, cohort), strict=True):
            files = entered(words, scratch)
            print(f"{name}: {len(files)} files entered (at most {most})")
            if "-v" in sys.argv[1:]:
                print(*(f"  {file}" for file in files), sep="\n")


def entered(words: tuple[str, ...], scratch: str) -> list[str]:
    """Return the files of both packages that a command enters, by name."""
    reads, writes = os.pipe()
    process = subprocess.Popen(  # noqa: S603  # ourselves
        [sys.executable, *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": scratch, "JOURNEY": str(writes)},
        pass_fds=[writes],
        stdout=subprocess.DEVNULL,
    )
    os.close(writes)
    with open(reads, encoding="utf-8") as notes:
        paths = {os.path.relpath(line.strip(), ROOT) for line in notes}
    if process.wait() > 1:  # 1: some submissions fail, as they should
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}")
    return sorted(path for path in paths if path.split(os.sep)[0] in ("verify", "pipeline"))


def _zipped(scratch: str) -> str:
    path = os.path.join(scratch, "submissions.zip")
    folder = os.path.join(COHORT, "submissions")
    with zipfile.ZipFile(path, "w") as archive:
        for learner in sorted(os.listdir(folder))[:12]:
            for place, _, names in os.walk(os.path.join(folder, learner)):
                for name in names:
                    file = os.path.join(place, name)
                    archive.write(file, os.path.relpath(file, folder))
    return path


if __name__ == "__main__":
    main()
