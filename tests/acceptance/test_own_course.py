"""An instructor makes a course, proves it, changes it, and grades by it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.acceptance.conftest import VERIFY

if TYPE_CHECKING:
    from tests.acceptance.conftest import Run

SHOW_IMPORTS = """
import sys
from verify.cli import main
main(["check", "foundation/02"])
OWN = "verify.course.own_course"
print([name for name in sys.modules if name.startswith(OWN)], file=sys.stderr)
"""


@pytest.fixture
def made(run: Run, tmp_path: Path) -> Path:
    """Return a course that `verify new-course` has made."""
    folder = tmp_path / "mine"
    done = run(*VERIFY, "new-course", str(folder))
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def submission(course: Path, name: str) -> str:
    return str(course / "fixtures" / "basics" / name)


def test_a_submission_is_graded_and_a_failure_leads_to_the_course_s_page(
    run: Run, made: Path
) -> None:
    words = ("basics/02", "--course", str(made))
    done = run(*VERIFY, *words, "--project", submission(made, "02-retro/broken-owner"))

    assert done.returncode == 1
    assert ".pipeline/ISSUE-1/retro.json:18:16  $.actions[1].owner" in done.stdout
    assert done.stdout.endswith(f"explain B02.4 --course {made}\n")
    explained = run(*VERIFY, "explain", "B02.4", "--course", str(made))
    lesson = re.search(r"Checks: (\S+)#(b02-4)$", explained.stdout, re.MULTILINE)
    assert lesson is not None
    page = made / "docs/basics/tutorials/02-retro.md"
    assert os.path.normpath(os.path.join(ROOT, lesson[1])) == str(page)
    assert f'<a id="{lesson[2]}"></a>' in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("deed", "line"),
    [
        (
            "raise SystemExit(0)",
            "verify: 1 check crashed: look at the checks of this course; the details",
        ),
        (
            "__import__('os')._exit(0)",
            "verify: grading this submission crashed the grading process (exit",
        ),
        ("exec('while True: pass')", "verify: grading this submission took more than 2 s of CPU"),
    ],
)
def test_a_check_of_the_course_that_exits_or_never_ends_does_not_pass(
    run: Run, made: Path, deed: str, line: str
) -> None:
    file = made / "exercises/basics/ex02_retro.py"
    place = '    team = artifact.value["team"]\n'
    text = file.read_text(encoding="utf-8").replace(place, f"    {deed}\n{place}")
    file.write_text(text, encoding="utf-8")
    words = ("check", "basics/02", "--course", str(made))
    done = run(*VERIFY, *words, "--project", submission(made, "02-retro/solved"))

    assert done.returncode == 3
    assert done.stderr.startswith(line)
    assert ("the fault is in this course" in done.stdout) == ("SystemExit" in deed)


def test_a_level_is_listed_for_the_work_in_this_folder(run: Run, made: Path) -> None:
    work = submission(made, "01-plan/solved")
    done = run(*VERIFY, "list", "basics", "--course", str(made), cwd=work, env={"PYTHONPATH": ROOT})

    assert done.returncode == 0  # a list only shows
    assert done.stdout.startswith("basics: 1 of 2 exercises passed\n")
    assert f"verify basics/02 --course {made} --project ." in done.stdout


def test_a_broken_file_is_one_line_with_its_place(run: Run, made: Path) -> None:
    file = made / "exercises/basics/ex02_retro.py"
    file.write_text(
        file.read_text(encoding="utf-8").replace("Exercise(\n", "Exercise(\n   level\n")
    )

    done = run(*VERIFY, "self-test", "--course", str(made))

    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(
        r"verify: --course \S+: \S+/ex02_retro\.py:32: this is not valid Python: [^\n]+\n",
        done.stderr,
    )


def test_what_the_how_to_page_quotes_is_what_the_commands_print(run: Run, tmp_path: Path) -> None:
    text = (Path(ROOT) / "docs" / "how-to" / "write-your-own-course.md").read_text(encoding="utf-8")
    quoted = re.findall(r"```console\n\$ python3 -m verify (.*)\n((?s:.*?))```\n", text)
    program = tmp_path / "bin" / "verify"  # as after set-up: the reader calls it by its name
    program.parent.mkdir()
    program.touch(mode=0o755)
    env = {"PYTHONPATH": ROOT, "PATH": f"{program.parent}:{os.environ['PATH']}"}

    printed = [
        run(*VERIFY, *words.split(), cwd=str(tmp_path), env=env).stdout for words, _ in quoted
    ]

    assert [answer.replace("python3 -m verify", "verify") for _, answer in quoted] == printed != []


def test_a_learner_s_run_imports_nothing_of_it(run: Run) -> None:
    assert run("-c", SHOW_IMPORTS).stderr.splitlines()[-1] == "[]"
