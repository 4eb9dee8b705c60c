"""What fails around a run (the machine, the disk, the clock) is nobody's zero and loses nothing.

Kills, a full disk and two graders at once stand in tests/acceptance/test_gradebook_faults.py.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 60  # seconds
SOLVED = os.path.join(ROOT, "fixtures", "submissions", "foundation", "01-plan", "solved")
LEARNERS = ("ada", "bob", "eve")
# The system's calls are replaced before anything of the project could take them.
FAULTY_CALL = """
import os
number, name, bob = int(os.environ["FAULT"]), os.environ["CALL"], os.stat(os.environ["BOB"]).st_ino

def is_bobs(descriptor):
    above = os.fstat(descriptor)
    return above.st_ino == bob

def failing(*words, **options):
    place = options.get("dir_fd", words[0])
    if (name != "open" or words[0] == "plan.json") and is_bobs(place):
        raise OSError(number, os.strerror(number))
    return real(*words, **options)

real = getattr(os, name)
setattr(os, name, failing)
os.supports_dir_fd.add(failing)
"""
JUMPING_CLOCK = """
import itertools, time
steps = itertools.cycle([0, 10**9, -10**9, 3600, -1, 0.5])

def jumping(real):
    return lambda *words: real(*words) + next(steps)

for name in ("time", "monotonic", "perf_counter"):
    setattr(time, name, jumping(getattr(time, name)))
"""
FULL_DISK = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
PROGRAM = "import sys; from verify.console import main; sys.argv[0] = 'verify'; sys.exit(main())"
BATCH = ("batch", "place", "--exercise", "foundation/01", "--quiet", "--jobs", "1")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with a place of three submissions that pass."""
    for name in LEARNERS:
        shutil.copytree(SOLVED, tmp_path / "place" / name)
    return tmp_path


def run(
    folder: Path, before: str, *words: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", before + PROGRAM, *words],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder), "LC_ALL": "C.UTF-8", **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=LIMIT,
        check=False,
    )


def marks(folder: Path) -> dict[str, Any]:
    with open(folder / "out.jsonl", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return {line["learner"]: line["marks"][0] for line in lines}


def outcomes(folder: Path) -> dict[str, tuple[str, int | None]]:
    return {who: (mark["outcome"], mark["score"]) for who, mark in marks(folder).items()}


@pytest.mark.parametrize("number", [errno.EIO, errno.EMFILE, errno.ENOMEM])
def test_a_fault_of_the_process_is_an_error_and_no_zero(place: Path, number: int) -> None:
    bob = str(place / "place" / "bob" / "sandbox" / ".pipeline" / "ISSUE-101")
    fault = {"FAULT": str(number), "CALL": "open", "BOB": bob}
    done = run(place, FAULTY_CALL, *BATCH, "--jsonl", "out.jsonl", **fault)
    first = outcomes(place)
    again = run(place, "", *BATCH, "--jsonl", "out.jsonl")

    assert first == {"ada": ("pass", 9), "bob": ("error", None), "eve": ("pass", 9)}
    assert done.returncode == 3
    assert "Traceback" not in done.stdout + done.stderr
    assert (again.returncode, again.stderr) == (0, "")
    assert outcomes(place) == dict.fromkeys(LEARNERS, ("pass", 9))


def test_a_disk_that_fails_while_it_is_read_is_an_error_and_no_zero(place: Path) -> None:
    plan = place / "place" / "bob" / "sandbox" / ".pipeline" / "ISSUE-101" / "plan.json"
    plan.write_bytes(plan.read_bytes().rstrip()[:-1] + b" " * 100_000 + b"}")  # it is read on
    fault = {"FAULT": str(errno.EIO), "CALL": "read", "BOB": str(plan)}
    done = run(place, FAULTY_CALL, *BATCH, "--jsonl", "out.jsonl", **fault)

    assert outcomes(place) == {"ada": ("pass", 9), "bob": ("error", None), "eve": ("pass", 9)}
    assert done.returncode == 3
    assert "Traceback" not in done.stdout + done.stderr


def test_a_clock_that_jumps_changes_no_result(place: Path) -> None:
    steady = run(place, "", *BATCH, "--jsonl", "out.jsonl", "--gradebook", "one.db")
    expected = (place / "out.jsonl").read_bytes()
    jumped = run(place, JUMPING_CLOCK, *BATCH, "--jsonl", "out.jsonl", "--gradebook", "two.db")
    resumed = run(place, JUMPING_CLOCK, *BATCH, "--jsonl", "out.jsonl", "--gradebook", "one.db")

    assert [each.returncode for each in (steady, jumped, resumed)] == [0, 0, 0]
    assert [each.stderr for each in (steady, jumped, resumed)] == ["", "", ""]
    assert (place / "out.jsonl").read_bytes() == expected
    assert "3 unchanged since an earlier run" in resumed.stdout


def test_a_disk_without_room_for_a_gradebook_is_one_line(place: Path) -> None:
    done = run(place, FULL_DISK, *BATCH)

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "gradebook.db" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="there is no place like it")
def test_a_folder_that_no_one_may_write_to_is_one_line(place: Path) -> None:
    """Try it where not even root may make a file."""
    done = run(place, "", *BATCH, "--gradebook", "/proc/self/gradebook.db")
    export = run(place, "", *BATCH, "--jsonl", "/proc/self/out.jsonl")

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "/proc/self/gradebook.db" in done.stderr
    assert "Traceback" not in done.stderr + export.stderr
    assert export.returncode in (2, 3)
    assert export.stderr.count("\n") == 1
