"""`python3 pipeline/schema.py --validate`, run as agents run it; every fixture is a test."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from pipeline.schema import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Output = tuple[int, str, str]
SCHEMA = os.path.join(ROOT, "pipeline", "schema.py")
ARTIFACTS = os.path.join(ROOT, "fixtures", "artifacts")
PLAN = '{"affected_files": ["é"], "steps": [{"order": 1, "file": "é", "description": "x"}]}'
WORKER = '{"status": "x", "blockers": [], "summary": "x", "files_changed": [%s]}'
UNPLANNED = (
    "$.affected_files[0]: this file stands in no step"
    " (expected a step whose file is it, found {found})"
)
UNAFFECTED = (
    "$.steps[0].file: this step's file is not among affected_files"
    " (expected one of {expected}, found {found})"
)
STUCK = 10  # seconds


def names(folder: str, ending: str = ".json") -> list[str]:
    """Return the names, without their ending, of a folder's fixtures."""
    found = sorted(os.listdir(os.path.join(ARTIFACTS, folder)))
    return [name.removesuffix(ending) for name in found if name.endswith(ending)]


def kind_in(name: str) -> str:
    """Return the kind that the name of a fixture begins with: `plan-full` is a plan."""
    return next(kind for kind in KINDS if name.startswith(f"{kind}-"))


def validate(
    *arguments: str,
    cwd: str | Path = ARTIFACTS,
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


@pytest.mark.spec("4.10")
@pytest.mark.parametrize("name", names("valid"))
def test_a_valid_fixture_prints_ok(name: str) -> None:
    assert validate("--validate", f"valid/{name}.json", "--kind", kind_in(name)) == (0, "OK\n", "")


@pytest.mark.spec("7.2")
@pytest.mark.parametrize("name", names("invalid"))
def test_an_invalid_fixture_is_told_in_the_lines_beside_it(name: str) -> None:
    with open(os.path.join(ARTIFACTS, "invalid", f"{name}.expected"), encoding="utf-8") as file:
        expected = file.read()

    found = validate("--validate", f"invalid/{name}.json", "--kind", kind_in(name))

    assert found == (1, "", expected)


def test_every_fixture_has_its_expectation_and_every_kind_its_fixtures() -> None:
    assert names("invalid", ".expected") == names("invalid")
    assert {kind_in(name) for name in names("valid")} == set(KINDS)
    assert {kind_in(name) for name in names("invalid")} == set(KINDS)


@pytest.mark.parametrize("name", [name for name in names("valid") if name.endswith("-full")])
def test_a_full_fixture_is_valid_in_the_exercise_profile(name: str) -> None:
    arguments = ["--kind", kind_in(name), "--profile", "exercise"]

    assert validate("--validate", f"valid/{name}.json", *arguments) == (0, "OK\n", "")


@pytest.mark.spec("2.5.21")
def test_a_core_fixture_lacks_fields_of_the_exercise_profile() -> None:
    file = "valid/plan-core.json"
    lines = [
        f"{file}:1:1: $.acceptance_mapping: this field is missing",
        f"{file}:1:1: $.produced_by: this field is missing",
    ]

    found = validate("--validate", file, "--kind", "plan", "--profile", "exercise")

    assert found == (1, "", "\n".join(lines) + "\n")


@pytest.mark.spec("4.1", "4.9", "4.10")
def test_the_script_runs_by_path_from_another_folder(tmp_path: Path, plan: Path) -> None:
    for folder in (tmp_path, plan.parent.parent, os.path.dirname(SCHEMA), ROOT):
        relative = os.path.relpath(SCHEMA, folder)

        assert validate("--validate", str(plan), cwd=folder) == (0, "OK\n", "")
        assert validate("--validate", str(plan), cwd=folder, schema=relative) == (0, "OK\n", "")


def test_modules_of_the_working_directory_are_not_imported(tmp_path: Path, plan: Path) -> None:
    for name in ("json.py", "pydantic_core.py", "pipeline.py", "argparse.py"):
        (tmp_path / name).write_text("raise SystemExit('imported from the wrong place')")

    assert validate("--validate", plan.name, cwd=tmp_path) == (0, "OK\n", "")


def test_several_paths_are_validated_and_all_problems_told(tmp_path: Path, plan: Path) -> None:
    (tmp_path / "git-result.json").write_text("[]")

    paths = ["plan.json", "git-result.json", "worker-result.json"]
    lines = [
        "git-result.json:1:1: wrong type (expected an object, found an array of 0 elements)",
        "worker-result.json: does not exist",
    ]

    assert validate("--validate", *paths[:1] * 2, cwd=plan.parent) == (0, "OK\n", "")
    assert validate("--validate", *paths, cwd=tmp_path) == (2, "", "\n".join(lines) + "\n")


def test_standard_input_is_validated() -> None:
    arguments = ["--validate", "-", "--kind", "plan"]

    assert validate(*arguments, stdin=PLAN.encode()) == (0, "OK\n", "")
    assert validate(*arguments, stdin=b"{]") == (
        1,
        "",
        "<stdin>:1:2: this is not JSON (expected a key in double quotes, found ])\n",
    )


def test_an_unknown_kind_is_wrong_usage(tmp_path: Path) -> None:
    code, out, err = validate("--validate", "report.json", cwd=tmp_path)

    assert (code, out) == (2, "")
    assert err == (
        "report.json: the name does not tell what this is (expected one of plan.json,"
        " worker-result.json, git-result.json, classifications.json; or name it with"
        " --kind plan|worker-result|git-result|classifications)\n"
    )


@pytest.mark.spec("7.1")
@pytest.mark.parametrize("path", ["/dev/zero", "/dev/stdin", ".", "nowhere"])
def test_what_is_no_readable_file_exits_with_2_in_one_line(path: str) -> None:
    code, out, err = validate("--validate", path, "--kind", "plan")

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"{path}: ")


def test_a_named_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "plan.json")
    expected = "plan.json: is a named pipe, not a regular file\n"

    assert validate("--validate", "plan.json", cwd=tmp_path) == (2, "", expected)


@pytest.mark.spec("8.2")
def test_a_huge_file_is_refused_at_once(tmp_path: Path) -> None:
    with (tmp_path / "plan.json").open("wb") as file:
        file.truncate(1 << 30)
    expected = "plan.json: is larger than 1024 KiB, the most that is read\n"

    assert validate("--validate", "plan.json", cwd=tmp_path) == (1, "", expected)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 500_000, ":1:65: too deeply nested (expected at most 64 levels)"),
        ("[" + "1," * 500_000, ":1:40001: too many elements (expected at most 20000)"),
        ("9" * 1_000_000, ":1:1: this number is too long (expected at most 308 digits, found"),
        ('"' + "\\" * 1_000_000, ":1:1: this string does not end on its line or has a wrong esc"),
        (" " * 1_000_000, ":1:1000001: this is not JSON (expected a value, found the end of the"),
    ],
)
def test_a_hostile_document_is_refused_at_once_in_one_line(
    tmp_path: Path, text: str, problem: str
) -> None:
    (tmp_path / "plan.json").write_text(text)

    code, out, err = validate("--validate", "plan.json", cwd=tmp_path)

    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"plan.json{problem}")


def test_a_terminal_without_unicode_is_shown_escapes(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(PLAN.replace('"é"', '"ü"', 1), encoding="utf-8")
    plain = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}

    code, out, err = validate("--validate", "plan.json", cwd=tmp_path, env=plain)

    assert (code, out) == (1, "")
    assert err.splitlines() == [
        f"plan.json:1:{column}: {problem}"
        for column, problem in (
            (21, UNPLANNED.format(found='"\\u00fc"')),
            (58, UNAFFECTED.format(expected='"\\u00fc"', found='"\\u00e9"')),
        )
    ]


def test_a_reader_that_goes_away_sees_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "worker-result.json").write_text(WORKER % ",".join(["1"] * 30))
    command = '"$0" "$@" 2>&1 | true'
    arguments = [sys.executable, SCHEMA, "--validate", *["worker-result.json"] * 500]
    done = subprocess.run(
        ["sh", "-c", command, *arguments],
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert (done.stdout, done.stderr) == (b"", b"")


def test_no_compiled_file_is_written_where_that_is_not_wanted(tmp_path: Path, plan: Path) -> None:
    folder = tmp_path / "cache"
    env = {"PYTHONPYCACHEPREFIX": str(folder)}

    quiet = validate("--validate", str(plan), env={**env, "PYTHONDONTWRITEBYTECODE": "1"})

    assert quiet == (0, "OK\n", "")
    assert not folder.exists()


@pytest.mark.spec("4.28")
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_explains_the_options_and_the_exit_codes(option: str) -> None:
    code, out, err = validate(option, env={"COLUMNS": "100"})

    assert (code, err) == (0, "")
    assert out.startswith("usage: schema.py ")
    for word in ("--validate PATH [PATH ...]", "--kind", "--profile", "exit codes: 0 valid"):
        assert word in out


@pytest.mark.parametrize("arguments", [[], ["--validate"], ["plan.json"], ["--kind", "report"]])
def test_wrong_usage_is_one_line_and_exits_with_2(arguments: list[str]) -> None:
    code, out, err = validate(*arguments)

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("schema.py: ")
