"""`verify batch` as an instructor runs it: a folder of submissions in, grades and exports out."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]
    PathOf = Callable[[str], str]
    Environment = Callable[..., dict[str, str]]

PROGRAM = "import sys; from verify.console import main; sys.argv[0] = 'verify'; sys.exit(main())"
HEADER = "exercise         learners    passed    failed    error    mean score"


@pytest.fixture
def cohort(tmp_path: Path, fixture: PathOf) -> Path:
    """Return a folder of three submissions: ada and bob have solved it, eve has not begun."""
    folder = tmp_path / "cohort"
    for learner, name in (("ada", "solved"), ("bob", "solved"), ("eve", "unsolved")):
        shutil.copytree(fixture(f"foundation/01-plan/{name}"), folder / learner)
    return folder


@pytest.fixture
def batch(run: Run, tmp_path: Path) -> Run:
    """Return a function that grades foundation/01 in a folder of its own."""

    def graded(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = ["-c", PROGRAM, "batch", *words, "--exercise", "foundation/01"]
        return run(*command, cwd=str(tmp_path), env=environment)

    return graded


def wait_for_results(gradebook: Path, process: subprocess.Popen[Any]) -> None:
    """Wait until a gradebook that is being written has its first results."""
    query = "SELECT count(*) FROM result"
    while process.poll() is None:
        time.sleep(0.05)
        with (
            contextlib.suppress(sqlite3.OperationalError),  # it is not there, or has no tables yet
            contextlib.closing(sqlite3.connect(f"file:{gradebook}?mode=ro", uri=True)) as opened,
        ):
            if opened.execute(query).fetchone() != (0,):
                return


def test_a_cohort_is_graded_and_the_summary_shown(batch: Run, cohort: Path) -> None:
    done = batch(str(cohort))

    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        HEADER,
        "-------------  ----------  --------  --------  -------  ------------",
        "foundation/01           3         2         1        0     5.33 of 8",
        "",
        "3 submissions graded",
        "gradebook: gradebook.db",
    ]
    assert re.fullmatch(
        r"verify: 3 of 3 submissions in [0-9.]+ s, [0-9,]+ a second: 2 passed, 1 failed\n",
        done.stderr,
    )


def test_a_cohort_that_has_passed_is_exit_code_0_and_quiet_is_quiet(
    batch: Run, cohort: Path
) -> None:
    shutil.rmtree(cohort / "eve")
    done = batch(str(cohort), "--quiet")

    assert (done.returncode, done.stderr) == (0, "")


def test_what_has_not_changed_is_not_graded_again(batch: Run, cohort: Path) -> None:
    batch(str(cohort))
    shutil.copytree(cohort / "ada", cohort / "eve", dirs_exist_ok=True)
    done = batch(str(cohort))
    afresh = batch(str(cohort), "--no-resume")

    assert done.stdout.splitlines()[-2] == ("1 submission graded, 2 unchanged since an earlier run")
    assert done.returncode == 0
    assert afresh.stdout.splitlines()[-2] == "3 submissions graded"


def test_the_roster_tells_who_is_missing_and_who_is_unknown(
    batch: Run, cohort: Path, tmp_path: Path
) -> None:
    (tmp_path / "students.csv").write_text("id,name\nada,Ada L\nbob,Bob B\nzoe,Zoe Z\n")
    done = batch(str(cohort), "--roster", "students.csv", "--quiet")

    assert done.returncode == 1
    assert done.stdout.splitlines()[:1] == [
        "exercise         learners    passed    failed    error    missing    mean score"
    ]
    assert "foundation/01           4         2         1        0          1     5.33 of 8" in (
        done.stdout
    )
    assert done.stdout.splitlines()[-2] == "1 learner not on the roster"
    assert done.stderr == "verify: eve is not on the roster: graded under that name\n"


def test_exports_are_byte_identical_whatever_the_workers_and_the_environment(
    batch: Run, cohort: Path, tmp_path: Path
) -> None:
    for at in range(40):
        shutil.copytree(cohort / ("ada" if at % 3 else "eve"), cohort / f"learner{at}")
    settings = [
        (["--jobs", "1"], {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C"}),
        (["--jobs", "2"], {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "LC_ALL": "tr_TR.UTF-8"}),
        (["--jobs", "3"], {"PYTHONHASHSEED": "3", "TZ": "America/Lima", "LC_ALL": "C.UTF-8"}),
    ]
    written = []
    for at, (words, environment) in enumerate(settings):
        exports = ["--csv", f"{at}.csv", "--jsonl", f"{at}.jsonl", "--gradebook", f"{at}.db"]
        batch(str(cohort), *words, *exports, **environment)
        paths = [tmp_path / f"{at}.csv", tmp_path / f"{at}.jsonl"]
        written.append([path.read_bytes() for path in paths])

    assert written[0][0].count(b"\n") > 43
    assert written[0] == written[1] == written[2]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere"], "verify: nowhere does not exist: expected a folder of submissions"),
        (["empty"], "verify: empty holds no submission"),
        (["cohort", "--roster", "no.csv"], "verify: --roster no.csv does not exist"),
        (["cohort", "--csv", "cohort"], "verify: --csv cohort"),
        (["cohort", "--flaky", "--csv", "a.csv"], "verify: --flaky writes nothing: leave --csv"),
        (["cohort", "--jobs", "0"], "verify batch: argument --jobs: 0 is no number of processes"),
        (["cohort", "--exercise", "expert"], "verify batch: argument --exercise: expert is not an"),
        (["cohort", "--exercise", "expert/77"], "verify: no exercise '77' in expert"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_2(
    batch: Run, cohort: Path, words: list[str], told: str
) -> None:
    (cohort.parent / "empty").mkdir()
    done = batch(*words)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(told)
    assert done.stderr.count("\n") == 1


def test_a_run_that_cannot_list_its_cohort_leaves_the_gradebook_as_it_was(
    batch: Run, run: Run, cohort: Path, tmp_path: Path
) -> None:
    (tmp_path / "students.csv").write_text("id\nada\nbob\n")
    (tmp_path / "others.csv").write_text("id\nzoe\n")
    (tmp_path / "late.csv").write_text("learner,path\nada,cohort/ada\nbob,nowhere\n")
    batch(str(cohort), "--roster", "students.csv", "--quiet")
    done = batch("late.csv", "--roster", "others.csv", "--quiet")
    run("-c", PROGRAM, "export", "--csv", "grades.csv", cwd=str(tmp_path))
    grades = (tmp_path / "grades.csv").read_text("utf-8")
    rows = [line.split(",")[0] for line in grades.splitlines()]

    assert done.returncode == 2
    assert list(dict.fromkeys(rows)) == ["learner", "ada", "bob", "eve"]
    assert ",missing," not in grades


def test_a_gradebook_with_a_roster_is_not_graded_into_without_one(
    batch: Run, cohort: Path, tmp_path: Path
) -> None:
    (tmp_path / "students.csv").write_text("id,login\n1,ada\n2,bob\n3,eve\n")
    batch(str(cohort), "--roster", "students.csv", "--quiet")
    done = batch(str(cohort), "--quiet")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "verify: gradebook.db has a roster: name it with --roster, or name another --gradebook\n"
    )


SLOW = """
import sys, time
from verify.batch import kernel, running
from verify.console import main

def grade_slowly(job, batch):
    time.sleep(0.02 * len(batch.items))
    return kernel.grade_batch(job, batch)

running.grade_batch = grade_slowly
sys.argv[0] = "verify"
sys.exit(main())
"""


@pytest.mark.skipif(os.name != "posix", reason="the signals are POSIX's")
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_keeps_what_is_done_and_says_how_to_go_on(
    environment: Environment, cohort: Path, tmp_path: Path, number: int, code: int, jobs: str
) -> None:
    for at in range(400):
        shutil.copytree(cohort / "ada", cohort / f"learner{at}")
    words = ["batch", "cohort", "--exercise", "foundation/01", "--jobs", jobs]
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, *words],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        wait_for_results(tmp_path / "gradebook.db", process)
        os.killpg(process.pid, number)  # as a terminal does it: to the workers as well
        out, err = process.communicate(timeout=30)
    told = re.fullmatch(
        r"verify: ([0-9]+) of 403 submissions in .*\n"
        r"verify: interrupted: ([0-9]+) of 403 are done and kept; to go on: (\S+) batch cohort"
        rf" --exercise foundation/01 --jobs {jobs}\n",
        err,
    )

    assert (out, process.returncode) == ("", code)
    assert told is not None, err
    assert told[1] == told[2]
    assert 0 < int(told[1]) < 403


@pytest.mark.skipif(os.name != "posix", reason="the signals are POSIX's")
def test_a_run_after_a_kill_loses_and_doubles_nothing(
    batch: Run, environment: Environment, cohort: Path, tmp_path: Path
) -> None:
    for at in range(400):
        shutil.copytree(cohort / "ada", cohort / f"learner{at}")
    words = ["batch", "cohort", "--exercise", "foundation/01", "--jobs", "2"]
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, *words], cwd=tmp_path, env=environment()
    ) as process:
        wait_for_results(tmp_path / "gradebook.db", process)
        process.kill()
    done = batch("cohort", "--quiet")
    graded, unchanged = map(
        int,
        re.findall(r"([0-9]+) submissions graded, ([0-9]+) unchanged", done.stdout)[0],
    )

    assert graded + unchanged == 403
    assert unchanged > 0
    assert "foundation/01         403       402         1        0" in done.stdout


CRASHING = """
import dataclasses, sys
from verify import catalog
from verify.console import main

def crash(attempt):
    return {}["lost"]

first, *others = catalog.level("foundation")
checks = (dataclasses.replace(first.checks[0], run=crash), *first.checks[1:])
exercises = (dataclasses.replace(first, checks=checks), *others)
catalog.level = lambda name, course="": exercises
sys.exit(main())
"""


def test_a_check_that_crashes_is_no_learners_zero(run: Run, cohort: Path, tmp_path: Path) -> None:
    words = ["batch", str(cohort), "--exercise", "foundation/01", "--quiet"]
    done = run("-c", CRASHING, *words, cwd=str(tmp_path), env={"TMPDIR": str(tmp_path)})
    *lines, last = done.stderr.splitlines()

    assert done.returncode == 3
    assert "foundation/01           3         0         0        3             -" in done.stdout
    assert lines == [
        f"verify: {learner}, foundation/01: the check F01.1 itself failed (KeyError): this is our"
        " fault; Report it with the log file; the other checks were graded."
        for learner in ("ada", "bob", "eve")
    ]
    assert last.startswith(
        "verify: 3 results are errors, no learner's zero: this is our fault; the"
    )
