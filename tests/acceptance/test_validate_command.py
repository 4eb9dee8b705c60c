"""`python3 pipeline/schema.py --validate`, run as agents run it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml  # type: ignore[import-untyped]  # few calls, not worth stubs

from pipeline.bootstrap import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

Output = tuple[int, str, str]
SCHEMA = os.path.join(ROOT, "pipeline", "schema.py")
PLAN = '{"affected_files": ["é"], "steps": [{"order": 1, "file": "é", "description": "Add é"}]}'
STUCK = 60  # seconds


def validate(
    *arguments: str,
    cwd: str | Path = ROOT,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    schema: str = SCHEMA,
) -> Output:
    """Run the command and return its exit code, its stdout and its stderr."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [sys.executable, schema, *arguments],
        cwd=cwd,
        env={**kept, "LC_ALL": "C.UTF-8", **(env or {})},
        input=stdin,
        capture_output=True,
        timeout=STUCK,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    """Return the path of a valid plan."""
    path = tmp_path / "plan.json"
    path.write_text(PLAN, encoding="utf-8")
    return path


@pytest.mark.spec("4.1", "4.9", "4.10")
def test_the_script_runs_by_path_from_another_folder(tmp_path: Path, plan: Path) -> None:
    relative = os.path.relpath(SCHEMA, tmp_path)

    assert validate("--validate", str(plan), cwd=tmp_path, schema=relative) == (0, "OK\n", "")
    assert validate("--validate", str(plan), cwd=os.path.dirname(SCHEMA)) == (0, "OK\n", "")


@pytest.mark.parametrize(
    "words",
    [
        ("--validate", "--kind", "plan", "x.json"),
        ("--kind", "plan", "--validate", "x.json"),
        ("--validate", "x.json", "--kind", "plan"),
        ("--validate", "--profile", "core", "--kind=plan", "x.json", "plan.json"),
        ("x.json", "--kind", "plan", "--validate"),
        ("--validate", "ISSUE-101-plan.json"),
        ("--validate", "plan-final.json"),
        ("--validate", "plan.JSON"),
    ],
)
def test_m10_options_may_be_in_any_order_and_a_name_may_say_more(
    words: tuple[str, ...], plan: Path, tmp_path: Path
) -> None:
    for name in words:
        if name.lower().endswith(".json"):
            (tmp_path / name).write_bytes(plan.read_bytes())

    assert validate(*words, cwd=tmp_path) == (0, "OK\n", "")


def test_m10_a_folder_is_answered_with_the_artifacts_in_it(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("notes.json", "git-result.json", "plan.json"):
        (tmp_path / name).write_text("{}")

    assert validate("--validate", ".", cwd=tmp_path) == (
        2,
        "",
        ". is a folder: give the artifacts in it, such as ./git-result.json, ./plan.json\n",
    )
    assert validate("--validate", "empty", cwd=tmp_path) == (
        2,
        "",
        "empty is a folder: give the artifacts in it, such as empty/plan.json\n",
    )


def test_modules_of_the_working_directory_are_not_imported(tmp_path: Path, plan: Path) -> None:
    for name in ("json.py", "pydantic_core.py", "pipeline.py", "argparse.py"):
        (tmp_path / name).write_text("raise SystemExit('imported from the wrong place')")

    assert validate("--validate", plan.name, cwd=tmp_path) == (0, "OK\n", "")


def test_a_terminal_without_unicode_is_shown_escapes(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(PLAN.replace('"é"', '"ü"', 1), encoding="utf-8")
    plain = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}

    code, out, err = validate("--validate", "plan.json", cwd=tmp_path, env=plain)

    assert (code, out) == (1, "")
    assert '(expected a step for this file, found "\\u00fc"). To do: ' in err


@pytest.mark.parametrize("name", ["é", "日", "😀", "naïve 😀.py"])
def test_m_what_a_terminal_without_unicode_shows_in_quotes_may_be_copied(
    name: str, tmp_path: Path
) -> None:
    text = PLAN.replace('["é"]', '["a"]').replace("é", name)
    (tmp_path / "plan.json").write_text(text, encoding="utf-8")
    plain = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}

    _, _, err = validate("--validate", "plan.json", cwd=tmp_path, env=plain)
    advice = re.search(r'To do: If this path is right, add (".*") to affected_files\.', err)

    assert err.isascii()
    assert advice is not None
    assert json.loads(advice[1]) == name


def test_a_reader_that_goes_away_sees_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "worker-result.json").write_text('{"files_changed": [1, 1, 1]}')
    command = '"$0" "$@" 2>&1 | true'
    arguments = [sys.executable, SCHEMA, "--validate", *["worker-result.json"] * 500]
    done = subprocess.run(
        ["sh", "-c", command, *arguments],
        cwd=tmp_path,
        capture_output=True,
        timeout=STUCK,
        check=False,
    )

    assert (done.stdout, done.stderr) == (b"", b"")


@pytest.mark.spec("4.28")
def test_help_explains_the_options_and_the_exit_codes() -> None:
    code, out, err = validate("--help-all", env={"COLUMNS": "100"})

    assert (code, err) == (0, "")
    assert out.startswith("usage: schema.py ")
    for word in ("--validate", "PATH [PATH ...]", "--kind", "--profile", "exit codes: 0 valid"):
        assert word in out


def test_the_hook_for_pre_commit_takes_artifacts_and_validates_them() -> None:
    (hook,) = yaml.safe_load(Path(ROOT, ".pre-commit-hooks.yaml").read_text("utf-8"))
    path = os.path.join(ROOT, "fixtures/artifacts/valid/plan-full.json")
    command = [sys.executable, *hook["entry"].split()[1:], "--kind", "plan", *hook["args"], path]
    taken = [".pipeline/ISSUE-7/plan.json", "sandbox/.pipeline/A-1/03-worker-result.json"]
    others = ["plan.json", ".pipeline/A-1/aplan.json", ".pipeline/A-1/plan.json.txt"]

    assert [name for name in (*taken, *others) if re.search(hook["files"], name)] == taken
    assert subprocess.check_output(command, cwd=ROOT, text=True) == "OK\n"
