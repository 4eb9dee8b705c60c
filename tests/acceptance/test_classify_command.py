"""`pipeline classify`, run as people do: text, file, plan, and what cannot be used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.acceptance.conftest import Run

    Classify = Callable[..., tuple[int, str, str]]

ISSUE = os.path.join(ROOT, "sandbox", "issues", "ISSUE-306.md")
WHOLE = Path(__file__).parent / "whole" / "classify.txt"
TYPO = "Fix a typo in the README"
RECORD = {
    "task": TYPO,
    "file_count": 1,
    "domain_scope": "single",
    "signals": ["single file", "documentation only", "no tests"],
    "tier": "trivial",
    "agents": ["x-worker-fast", "x-reviewer-fast"],
}


@pytest.fixture
def classify(run: Run, tmp_path: Path) -> Classify:
    """Return a function that runs the command in an empty folder and returns what came of it."""

    def run_classify(*words: str, message: str = "") -> tuple[int, str, str]:
        env = {"PYTHONPATH": ROOT, "COLUMNS": "80"}
        words = ("-m", "pipeline", "classify", *words)
        done = run(*words, cwd=str(tmp_path), env=env, message=message)
        return done.returncode, done.stdout, done.stderr

    return run_classify


def test_people_see_the_tier_the_agents_and_why(classify: Classify) -> None:
    assert classify(TYPO) == (0, WHOLE.read_text(encoding="utf-8"), "")


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_the_same_text_gets_the_same_words_as_evidence_in_each_process(run: Run, seed: str) -> None:
    task = "Add a changelog entry for the test scene, and fix the user guide page"
    env = {"PYTHONPATH": ROOT, "COLUMNS": "80", "PYTHONHASHSEED": seed}
    done = run("-m", "pipeline", "classify", task, env=env)

    assert done.stdout.partition("evidence\n")[2] == (
        '  file count: "interface, tests" (estimate)\n'
        '  domain scope: "page" (task)\n'
        '  tests wanted: "test" (task)\n'
        '  tests wanted: "test scene" (task)\n'
    )


def test_a_task_may_come_from_standard_input(classify: Classify) -> None:
    code, out, _ = classify("--file", "-", "--json", message=f"{TYPO}\r\n")

    assert (code, json.loads(out)) == (0, RECORD)


def test_an_issues_file_gives_its_title(classify: Classify) -> None:
    code, out, _ = classify("--file", ISSUE, "--json")
    record = json.loads(out)

    assert (code, record["task"], record["tier"]) == (0, "Rename buildApp to createApp", "trivial")


@pytest.mark.parametrize(
    ("words", "task"),
    [
        (["ISSUE-7"], "Split the monolith"),
        (["work on issue `ISSUE-7`: fix a typo in the README"], TYPO.replace("Fix", "fix")),
        ([TYPO, "--issue-file", "app/issues/ISSUE-7.md"], TYPO),
        (["work on issue ISSUE-7: x", "--issue-file", "app/issues/ISSUE-7.md"], "x"),
    ],
)
def test_c_the_issue_decides_and_is_found_as_by_the_run(
    classify: Classify, tmp_path: Path, words: list[str], task: str
) -> None:
    text = "# ISSUE-7: Split the monolith\n\n## Acceptance criteria\n\n- AC1_x: it works.\n"
    for folder in ("issues", "app/issues"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "ISSUE-7.md").write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, timeout=60)
    code, out, err = classify(*words, "--json")

    assert (code, err) == (0, "")
    assert (json.loads(out)["task"], json.loads(out)["tier"]) == (task, "complex")


def test_c_a_prompt_decides_only_where_there_is_no_issue(
    classify: Classify, tmp_path: Path
) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, timeout=60)
    prompt = "work on issue ISSUE-7: Fix a typo in the README"
    missing = "the issue file is missing (create issues/ISSUE-7.md or sandbox/issues/ISSUE-7.md, or"

    assert json.loads(classify(prompt, "--json")[1]) == RECORD
    assert classify("ISSUE-7") == (
        *(2, "", f"pipeline classify: ISSUE-7: {missing} use --issue-file)\n"),
    )
    (tmp_path / "issues").mkdir()
    (tmp_path / "issues" / "ISSUE-7.md").write_text("# ISSUE-8: Other\n", encoding="utf-8")
    assert classify(prompt)[0] == 2


def test_a_plans_files_are_counted(classify: Classify, tmp_path: Path) -> None:
    files = ["src/a/x.js", "src/b/y.js", "test/a/x.test.js"]
    steps = [{"order": n, "file": f, "description": "x"} for n, f in enumerate(files)]
    plan = {"affected_files": files, "steps": steps}
    (tmp_path / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    code, out, _ = classify("Show totals", "--plan", "plan.json", "--json")
    record = json.loads(out)

    assert (code, record["file_count"], record["domain_scope"]) == (0, 3, "cross-domain")


def test_an_invalid_plan_is_reported_as_the_validator_tells_it(
    classify: Classify, tmp_path: Path
) -> None:
    (tmp_path / "plan.json").write_text('{"affected_files": ["a"]}', encoding="utf-8")
    code, out, err = classify("Show totals", "--plan", "plan.json")

    assert (code, out) == (1, "")
    assert err == (
        'plan.json:1:25: $.steps: this field is missing (expected "steps", found only '
        '"affected_files"). To do: Add "steps" with an array with an object for each step: its '
        "order, file and description.\n"
    )


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ([], 'expected either a TASK, such as "fix a typo in the README", or --file\n'),
        ([" \t\n\u2003"], "the task is empty; expected a sentence that says what to do\n"),
        (
            ["ISSUE-303"],
            "FOLDER: is not in a git repository (make one: git init, then commit your files)\n",
        ),
        (["latin"], "latin does not describe a task; to read one from a file, use --file\n"),
        (
            ["x", "--file", "y"],
            'expected either a TASK, such as "fix a typo in the README", or --file\n',
        ),
        (["--file", "latin"], "latin: is not UTF-8 text\n"),
        (["x", "--plan", "none"], "none: does not exist\n"),
    ],
)
def test_what_cannot_be_used_is_one_line_and_exit_code_2(
    classify: Classify, tmp_path: Path, words: list[str], error: str
) -> None:
    (tmp_path / "latin").write_bytes(b"caf\xe9")

    error = error.replace("FOLDER", str(tmp_path))
    assert classify(*words) == (2, "", f"pipeline classify: {error}")


def test_the_page_quotes_the_benchmark_as_it_comes_out() -> None:
    script = os.path.join(ROOT, "benchmarks", "classification.py")
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=240, check=True
    )
    with open(f"{ROOT}/docs/explanation/classification.md", encoding="utf-8") as file:
        page = file.read()
    lines = [line for line in done.stdout.splitlines() if line and "ms a task" not in line]

    assert len(lines) > 15
    assert [line for line in lines if line not in page.splitlines()] == []
