#!/usr/bin/env python3
"""Sets up the project's own environment and runs the main job, or the tests.

    python3 start.py            set up, then grade an example of the course
    python3 start.py setup      only set up
    python3 start.py headless   set up to run agents and to use GitHub
    python3 start.py witness    set up to sign runs and to check signatures
    python3 start.py cohort     set up to grade a cohort and write its report
    python3 start.py cloud      set up to grade submissions in a cloud bucket
    python3 start.py cluster    set up to grade on a Dask cluster
    python3 start.py develop    set up the developers' tools
    python3 start.py test       set up the developers' tools, then run the tests

Needs only Python 3.10 or newer. The packages go to `.venv` beside this file,
not to the system, whose Python may be externally managed (PEP 668).
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))
EXAMPLE = "fixtures/submissions/foundation/01-plan/solved"

# what a learner's run imports: an environment in which a package is damaged is made again
_NEEDED = "import dulwich, filelock, jsonschema, pydantic, tabulate, watchfiles"
# a process for each core, which takes one file of tests after the other, so that what a file sets
# up is set up once; tests that are marked slow are left to .ci/run
_TESTS = (
    *("-m", "pytest", "-q", "-m", "not slow"),
    *("-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder"),
)
EXTRAS = {  # the command and the extra of pyproject.toml that it sets up
    "grade": "",
    "setup": "",
    "headless": "headless",
    "witness": "witness",
    "cohort": "cohort",
    "cloud": "cohort,cloud",
    "cluster": "cohort,cluster",
    "develop": "dev",
    "test": "dev",
}
NEXT_STEPS = """
The project is set up. This was an example; your own work starts here:
  1. Read the start page:     docs/index.md
  2. See your next exercise:  python3 -m verify
"""


class SetupFault(Exception):
    """The environment cannot be created; the message says what to do."""


def main(arguments: list[str]) -> int:
    """Run the command and return its exit code; 2 where it is unknown or the set-up failed."""
    command = arguments[0] if arguments else "grade"
    if command in ("-h", "--help"):
        print(__doc__)
        return 0
    if len(arguments) > 1 or command not in EXTRAS:
        wrong, expected = " ".join(arguments), ", ".join(EXTRAS)
        print(f"start.py: {wrong}: expected one of {expected}, or nothing", file=sys.stderr)
        return 2
    try:
        set_up(EXTRAS[command])
    except SetupFault as fault:
        print(f"start.py: {fault}", file=sys.stderr)
        return 2
    if command == "grade":
        return grade_example()
    if command == "test":
        return run(PYTHON, *_TESTS)
    print("Ready: .venv is set up.")
    return 0


def grade_example() -> int:
    """Grade a shipped submission, show the table without its advice, and say where to go next."""
    if not os.path.isdir(os.path.join(ROOT, EXAMPLE)):  # a copy without solutions
        return run(PYTHON, "-m", "verify")
    words = (PYTHON, "-m", "verify", "foundation/01", "--project", EXAMPLE)
    done = subprocess.run(words, cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True)  # noqa: S603  # our own
    if done.returncode:
        print(done.stdout)
    else:
        print(*done.stdout.split("\n\n")[:3], sep="\n\n")
        print(NEXT_STEPS, end="")
    return done.returncode


def set_up(extra: str) -> None:
    """Make `.venv` and install the locked packages, unless it is up to date.

    Raises:
        SetupFault: this Python is too old or cannot make environments, or pip failed.
    """
    if sys.version_info < (3, 10):  # noqa: UP036  # the person who runs this may have an older one
        raise SetupFault(
            "Python 3.10 or newer is required: use a newer Python, as in python3.12 start.py"
        )
    stamp = os.path.join(VENV, f"ready-{extra or 'core'}")
    wanted = fingerprint()
    ready = any(_read(path) == wanted for path in (stamp, os.path.join(VENV, "ready-dev")))
    if ready and quiet(PYTHON, "-c", _NEEDED) == 0:
        return
    extras = f" with the extra {extra}" if extra else ""
    print(f"Setting up .venv{extras} (only once). This takes about a minute ...", flush=True)
    pip = make_environment(afresh=ready)  # what was ready before is damaged
    target = f".[{extra}]" if extra else "."
    options = ["-qq", "--disable-pip-version-check", "--constraint", "constraints.txt"]
    if run(*pip, "install", *options, "--editable", target) != 0:
        raise SetupFault("the packages could not be installed: see pip's message above")
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(wanted)


def make_environment(*, afresh: bool = False) -> list[str]:
    """Make `.venv` unless it is there, and return the command that installs packages into it."""
    own_pip = [PYTHON, "-m", "pip"]
    if not afresh and quiet(*own_pip, "--version") == 0:
        return own_pip
    if quiet(sys.executable, "-m", "venv", *["--clear"] * afresh, VENV) == 0:
        return own_pip
    # Debian splits ensurepip off Python: with the system's pip an environment can do without.
    bare = quiet(sys.executable, "-m", "venv", "--clear", "--without-pip", VENV) == 0
    system_pip = [sys.executable, "-m", "pip", "--python", PYTHON]
    if bare and quiet(*system_pip, "--version") == 0:
        return system_pip
    raise SetupFault(
        "this Python cannot create an environment with pip; on Debian and Ubuntu, run this first: "
        "sudo apt install python3-venv"
    )


def fingerprint() -> str:
    """Return a digest of what the environment is made from and of its path."""
    digest = hashlib.sha256(f"{sys.version} {ROOT}".encode())
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update(_read(os.path.join(ROOT, name)).encode())
    return digest.hexdigest()


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def run(*command: str) -> int:
    """Run a command in the project's folder and return its exit code."""
    return subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603  # our own


def quiet(*command: str) -> int:
    """Run a command without its output and return its exit code, 127 where it is not there."""
    try:
        done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True)  # noqa: S603  # our own
    except OSError:
        return 127
    return done.returncode


if __name__ == "__main__":
    try:
        raise SystemExit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        raise SystemExit(130) from None
