"""`--limits FILE` of every command that grades, and `verify limits`."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Completed = subprocess.CompletedProcess[str]
    Run = Callable[..., Completed]
    PathOf = Callable[[str], str]

PROGRAM = "import sys; from verify.console import main; sys.argv[0] = 'verify'; sys.exit(main())"


@pytest.fixture
def place(tmp_path: Path, fixture: PathOf) -> Path:
    """Return a folder with a cohort of two, of which one's plan is nine levels deep, and limits."""
    for learner in ("ada", "bob"):
        shutil.copytree(fixture("foundation/01-plan/solved"), tmp_path / "cohort" / learner)
    (path,) = (tmp_path / "cohort" / "bob").rglob("plan.json")
    plan = json.loads(path.read_text("utf-8"))
    for _ in range(8):
        plan = {**plan, "more": [plan.get("more", 1)]}
    path.write_text(json.dumps(plan), "utf-8")
    (tmp_path / "limits.json").write_text('{"depth": 8}')
    (tmp_path / "wrong.json").write_text('{"depth": 1}')
    return tmp_path


@pytest.fixture
def verify(run: Run, place: Path) -> Run:
    """Return a function that runs a command in the folder."""
    return lambda *words: run("-c", PROGRAM, *words, cwd=str(place))


def outcomes(place: Path) -> dict[str, str]:
    document = json.loads((place / "out.json").read_text("utf-8"))
    return {each["learner"]: each["marks"][0]["outcome"] for each in document["standings"]}


def test_a_learner_who_is_beyond_a_limit_of_the_instructors_fails(
    run: Run, verify: Run, place: Path, script: PathOf
) -> None:
    words = ["--project", str(place / "cohort" / "bob")]
    before = verify("check", "foundation/01", *words)
    after = verify("check", "foundation/01", *words, "--limits", "limits.json")
    by_script = run(
        script("foundation"), "--exercise", "01", *words, "--limits", str(place / "limits.json")
    )

    assert (before.returncode, after.returncode, by_script.returncode) == (0, 1, 1)
    assert "too deeply nested\n    expected  at most 8 levels" in after.stdout
    assert "--limits limits.json" in after.stdout.split("run again:\n")[1]
    assert "too deeply nested\n    expected  at most 8 levels" in by_script.stdout


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_workers_of_a_batch_have_the_limits_and_a_regrading_keeps_them(
    verify: Run, place: Path, jobs: str
) -> None:
    words = ["--exercise", "foundation/01", "--quiet", "--jobs", jobs, "--json", "out.json"]
    codes = [verify("batch", "cohort", *words, "--limits", "limits.json").returncode]
    limited = outcomes(place)
    same = verify("regrade", "--quiet")
    codes.append(verify("batch", "cohort", *words).returncode)
    wider = outcomes(place)
    narrower = verify("regrade", "--quiet", "--limits", "limits.json")

    assert codes == [1, 0]
    assert (limited, wider) == ({"ada": "pass", "bob": "fail"}, {"ada": "pass", "bob": "pass"})
    assert same.stdout == "0 of 2 change\nNothing was written.\n"
    assert "1 of 2 change: 1 down\n" in narrower.stdout


def test_a_wrong_limit_is_one_line_and_exit_code_2(verify: Run) -> None:
    told = "depth is 1 (expected a whole number from 8 to 128, in levels)"
    commands = [
        ["check", "foundation/01", "--project", "cohort/ada"],
        ["list", "foundation", "--project", "cohort/ada"],
        ["batch", "cohort", "--exercise", "foundation/01"],
        ["limits"],
    ]
    verify("batch", "cohort", "--exercise", "foundation/01", "--quiet")
    for words in [*commands, ["regrade"]]:
        done = verify(*words, "--limits", "wrong.json")

        assert (done.returncode, done.stdout) == (2, ""), words
        assert done.stderr == f"verify: --limits wrong.json: {told}\n"


def test_the_limits_are_listed_with_those_of_a_file(verify: Run) -> None:
    rows = {
        line.split()[0]: line.split()[1:5]
        for line in verify("limits", "--limits", "limits.json").stdout.splitlines()[2:]
    }

    assert rows["depth"] == ["8", "8", "128", "levels"]
    assert rows["artifact_bytes"] == ["1,048,576", "1,024", "4,194,304", "bytes"]
