"""The project's own tests: found, run before the work and after it, and never published red."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.drivers.base import Allowed
from pipeline.protocol.agreement import fails_anew, is_gone
from pipeline.run.request import runs_by_itself
from pipeline.run.stages.test import TEST
from pipeline.run.suite import Command, _read, _table, commands_of
from tests.jails import needs_jail
from tests.stubs.agents import FILES, Scripted, plan, put, read, result, works, write
from tests.unit.pipeline.run.conftest import Work, run_of

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.drivers.base import Turn
    from tests.stubs.repositories import UserRepository
    from tests.unit.pipeline.run.conftest import Bench

COMMAND = "sh check.sh"
CHECK = """\
code=0
if grep -qs broken src/*.js; then echo "not ok 1 - answers 200"; code=1; fi
if grep -qs old src/*.js; then echo "not ok 2 - is old"; code=1; fi
echo "# pass 2"
echo "# fail $code"
exit $code
"""
ANEW = "the tests fail with the work: app/.pipeline/ISSUE-7/test-result.json"


FAILED = {
    "verdict": "failed",
    "command": "npm test",
    "failures": ["a"],
    "tail": "",
    "snapshot": "x",
}


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ({}, "Whether they did before the work is not known."),
        ({"before": {"verdict": "not run"}}, "Whether they did before the work is not known."),
        ({"before": {"verdict": "passed", "failures": []}}, "They did not before the work."),
    ],
)
def test_u1_tests_that_fail_say_whether_they_did_before_the_work(
    before: dict[str, Any], line: str
) -> None:
    assert TEST.why_not_done({**FAILED, **before}) == ['npm test fails: "a"', line]


@pytest.fixture
def checked(bench: Bench) -> Bench:
    """Return the repository with a suite of its own, and a task of the last tier."""
    bench = bench._replace(about=replace(bench.about, tier="complex"))
    (bench.root / "app" / "check.sh").write_text(CHECK)
    bench.git("add", "app/check.sh")
    bench.git("commit", "-q", "-m", "test: check")
    return bench


def breaks(turn: Turn) -> None:
    """Break a test, and call the work completed."""
    works(turn)
    put(turn, f"app/{FILES[0]}", "// broken\n")


def run(bench: Bench, driver: Scripted, **options: Any) -> int:
    return bench.run(driver, **{"test_command": COMMAND, **options})


def body(bench: Bench) -> str:
    (change,) = bench.forge.opened.values()
    return change.body


def stages(driver: Scripted) -> list[str]:
    return [turn.stage for turn in driver.turns]


def test_p6_a_suite_that_the_work_breaks_is_never_published_and_the_worker_gets_its_turns(
    checked: Bench,
) -> None:
    driver, again = Scripted(implement=breaks), Scripted()

    codes = [run(checked, driver, attempts=2), run(checked, again, attempts=2)]

    assert codes == [1, 1]
    assert stages(driver) == ["plan", "implement", "implement"]
    assert (again.turns, checked.forge.calls) == ([], 0)
    assert checked.stop[:2] == [ANEW, 'sh check.sh fails: "answers 200"']
    assert checked.git("branch", "--list", "feature/*") == ""
    assert "The project's tests fail: `sh check.sh`." in driver.turns[2].prompt
    assert "not ok 1 - answers 200" in driver.turns[2].prompt
    found = read(checked.folder / "test-result.json")
    assert {name: found[name] for name in ("verdict", "exit_code", "counts", "failures")} == {
        "verdict": "failed",
        "exit_code": 1,
        "counts": {"passed": 2, "failed": 1, "skipped": 0},
        "failures": ["answers 200"],
    }
    assert (found["produced_by"], found["before"]["verdict"]) == ("runner", "passed")
    assert "not ok 1" in (checked.folder / "test-output.txt").read_text()


def test_p6_a_worker_that_repairs_what_it_broke_is_published_and_the_request_says_so(
    checked: Bench,
) -> None:
    driver = Scripted(implement=[breaks, works])

    code = run(checked, driver)

    assert (code, checked.stop) == (0, [])
    assert stages(driver) == ["plan", "implement", "implement", "review", "publish"]
    assert "The tests pass: `sh check.sh`, 2 passed." in body(checked)
    history = (checked.folder / "history.jsonl").read_text().splitlines()
    assert [json.loads(line)["at"] for line in history] == ["test", "implement"]


def test_p6_retry_gives_the_worker_its_turns_back(checked: Bench) -> None:
    run(checked, Scripted(implement=breaks), attempts=1)
    driver = Scripted()

    code = run(checked, driver, attempts=2, retry=True)

    assert (code, stages(driver)) == (0, ["implement", "review", "publish"])


def test_p6_what_failed_before_the_work_is_named_apart_and_is_not_its_fault(
    checked: Bench,
) -> None:
    (checked.root / "app" / "src" / "main.js").write_text("// old\n")
    checked.git("commit", "-q", "-am", "chore: old")

    code = run(checked, Scripted())

    notices = [event.text for event in checked.events if event.what == "notice"]
    assert (code, checked.stop) == (0, [])
    assert notices == ['the tests fail before the work begins: sh check.sh ("is old")']
    assert "**The tests fail**, as they did before the work: `sh check.sh`" in body(checked)
    assert "Tests that failed before it, too:\n\n- `is old`" in body(checked)


def test_p6_a_new_failure_beside_an_old_one_is_not_published(checked: Bench) -> None:
    (checked.root / "app" / "src" / "main.js").write_text("// old\n")
    checked.git("commit", "-q", "-am", "chore: old")

    code = run(checked, Scripted(implement=breaks), attempts=1)

    assert (code, checked.forge.calls) == (1, 0)
    assert checked.stop[:2] == [ANEW, 'sh check.sh fails: "answers 200"']


def test_p6_a_failing_suite_that_the_user_allows_is_stated(checked: Bench) -> None:
    code = run(checked, Scripted(implement=breaks), allow_failing=True)

    assert (code, checked.stop) == (0, [])
    assert "**The tests fail**, and this was allowed: `sh check.sh`, exit code 1" in body(checked)
    assert "Tests that fail since this work:\n\n- `answers 200`" in body(checked)


@pytest.mark.parametrize(
    ("manifest", "why"),
    [
        ("", "no command was found that runs the project's tests (name one with --test-command)"),
        (
            "test:\n\ttouch ran\n",
            "without a jail, only the command that you name with --test-command is run",
        ),
    ],
)
def test_p6_tests_that_do_not_run_are_stated(bench: Bench, manifest: str, why: str) -> None:
    if manifest:
        (bench.root / "app" / "Makefile").write_text(manifest)
        bench.git("add", "app/Makefile")
        bench.git("commit", "-q", "-m", "build: x")

    driver = Scripted()
    driver.terms = "no jail"

    code = bench.run(driver)

    assert (code, f"The tests were not run: {why}." in body(bench)) == (0, True)
    assert not (bench.root / "app" / "ran").exists()


def test_p6_tests_that_passed_are_not_run_again_after_a_stop_and_others_are(
    checked: Bench,
) -> None:
    run(checked, Scripted(), until="test")
    run(checked, Scripted(), until="test")
    (checked.root / "app" / FILES[0]).write_text("// broken by hand\n")

    code = run(checked, Scripted(), until="test", attempts=1)

    assert code == 1
    assert [event for event, stage in checked.history if stage == "test"] == ["done", "kept"]


def test_p6_tests_that_change_the_work_stop_the_run(checked: Bench) -> None:
    command = f"test ! -f {FILES[0]} || echo '// more' >> {FILES[0]}"

    code = run(checked, Scripted(), test_command=command)

    assert code == 1
    assert checked.stop[0] == (
        f'the tests changed files of the work: "app/{FILES[0]}"; nothing was undone'
    )


def test_p6_a_suite_that_never_ends_is_ended(checked: Bench) -> None:
    code = run(checked, Scripted(), test_command="test ! -d src/../test || sleep 60", seconds=0.5)

    assert code == 1
    assert "did not finish within 0.5 seconds" in read(checked.folder / "test-result.json")["tail"]


@needs_jail
def test_p6_what_a_worker_wrote_is_tested_in_a_jail(checked: Bench, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s3cr3t")
    forged = "app/.pipeline/ISSUE-7/test-result.json"

    def attacks(turn: Turn) -> None:
        works(turn)
        lines = (
            f"cat {secret}\necho x > {secret}\necho x > {checked.root}/{forged}\necho x > {forged}"
        )
        put(turn, "app/check.sh", f"{CHECK.replace('exit $code', lines)}\nexit 0\n")
        write(turn, result(*FILES, "check.sh"))

    def plans(turn: Turn) -> None:
        value = plan()
        value["affected_files"].append("check.sh")
        value["steps"].append({"order": 3, "file": "check.sh", "description": "Test more"})
        write(turn, value)

    driver = Scripted(plan=plans, implement=attacks)
    driver.allowed = Allowed()

    code = run(checked, driver)

    output = (checked.folder / "test-output.txt").read_text()
    assert (code, secret.read_text()) == (0, "s3cr3t")
    assert "s3cr3t" not in output
    assert read(checked.folder / "test-result.json")["produced_by"] == "runner"


OUTPUTS = [
    ("# tests 3\n# pass 2\n# fail 1\n# skipped 0", (2, 1, 0)),
    ("Tests:       1 failed, 2 skipped, 3 passed, 6 total", (3, 1, 2)),
    ("      Tests  1 failed | 2 passed (3)", (2, 1, 0)),
    ("  2 passing (10ms)\n  1 failing", (2, 1, 0)),
    ("===== 1 failed, 2 passed, 1 skipped in 0.12s =====", (2, 1, 1)),
    ("2 passed, 1 warning in 0.12s", (2, 0, 0)),
    ("===== 2 passed, 1 error in 0.12s =====", (2, 1, 0)),
    ("Ran 3 tests in 0.001s\n\nFAILED (failures=1, errors=1)", (1, 2, 0)),
    ("Ran 3 tests in 0.001s\n\nOK (skipped=3)", (0, 0, 3)),
    ("1..3\n# tests 3\n# pass  2\n# fail  1", (2, 1, 0)),  # tape
    (2 * "test result: ok. 1 passed; 1 failed; 0 ignored\n", (2, 2, 0)),
    ("[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1", (1, 1, 1)),
    ("3 tests completed, 1 failed", (2, 1, 0)),
    ("Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3", (2, 1, 0)),
    ("3 examples, 1 failure", (2, 1, 0)),
    ("OK (3 tests, 5 assertions)", (3, 0, 0)),
    ("Tests: 3, Assertions: 5, Failures: 1.", (2, 1, 0)),
]


@pytest.mark.parametrize(("output", "expected"), OUTPUTS)
def test_closing_lines_are_counted(output: str, expected: tuple[int, int, int]) -> None:
    counts = _read(output.splitlines(), failed=False)["counts"]

    assert (counts["passed"], counts["failed"], counts["skipped"]) == expected


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("FAILED test/test_a.py::test_b - assert 1 == 2", "test/test_a.py::test_b"),
        ("not ok 3 - answers 200", "answers 200"),
        ("not ok 3 answers 200", "answers 200"),
        ("✖ answers 200 (1.2ms)", "answers 200"),
        ("  ● notes \u203a answers 200", "notes \u203a answers 200"),
        ("  1) notes answers 200:", "notes answers 200:"),
        ("--- FAIL: TestNotes (0.00s)", "TestNotes"),
        ("test notes::answers ... FAILED", "notes::answers"),
        ("NotesTest > answers FAILED", "NotesTest > answers"),
        ("  Failed Notes.Answers [2 ms]", "Notes.Answers"),
        ("1) NotesTest::testAnswers", "NotesTest::testAnswers"),
        ("rspec ./spec/notes_spec.rb:3 # notes", "./spec/notes_spec.rb:3"),
        ("FAIL: test_a (test_notes.Notes.test_a)", "test_a (test_notes.Notes.test_a)"),
    ],
)
def test_failures_are_named(line: str, name: str) -> None:
    assert _read([line], failed=True) == {"failures": [name]}


@pytest.mark.parametrize(
    ("files", "affected", "expected"),
    [
        ({"package.json": '{"scripts": {"test": "node --test"}}'}, "src/a.js", [("npm test", ".")]),
        (
            {
                "package.json": '{"scripts": {"test": "x"}}',
                "pnpm-lock.yaml": "",
                "packages/a/package.json": '{"scripts": {"test": "y"}}',
            },
            "packages/a/src/a.js",
            [("pnpm test", "packages/a")],
        ),
        (
            {"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\""}}'},
            "a.js",
            [],
        ),
        ({"pyproject.toml": "", "uv.lock": ""}, "src/a.py", [("uv run pytest", ".")]),
        ({"tox.ini": "[tox]\n", "setup.py": ""}, "a.py", [("tox", ".")]),
        ({"go.mod": "", "Makefile": "test:\n"}, "a.go", [("go test ./...", ".")]),
        ({"Cargo.toml": ""}, "src/a.rs", [("cargo test", ".")]),
        ({"Makefile": "all:\n\ntest: all\n"}, "a.c", [("make --eval='.PHONY: test' test", ".")]),
        (
            {"setup.cfg": "", "venv/bin/pytest": ""},
            "a.py",
            [("venv/bin/python -m pytest", ".")],
        ),
        ({"Makefile": "all:\n"}, "a.c", []),
        ({"GNUmakefile": "check: all\n"}, "a.c", [("make --eval='.PHONY: check' check", ".")]),
        ({"Rakefile": "Rake::TestTask.new\n"}, "a.rb", [("rake test", ".")]),
        ({"build.gradle.kts": "", "gradlew": ""}, "src/A.kt", [("./gradlew cleanTest test", ".")]),
        ({"pom.xml": ""}, "src/A.java", [("mvn -B test", ".")]),
        ({"A.csproj": ""}, "A.cs", [("dotnet test", ".")]),
        ({"composer.json": '{"scripts": {"test": "x"}}'}, "a.php", [("composer test", ".")]),
        ({"Gemfile": 'gem "rspec"\n'}, "a.rb", [("bundle exec rspec", ".")]),
        ({}, "a.c", []),
    ],
)
def test_the_nearest_manifest_says_how_to_test(
    user: UserRepository, files: dict[str, str], affected: str, expected: list[tuple[str, str]]
) -> None:
    for name, text in files.items():
        user.write(name, text)
    run = run_of(user.repository, Work())

    found = commands_of(run, [affected])

    root = user.repository.root
    assert [(tests.command, tests.folder) for tests in found] == [
        (command, root if folder == "." else f"{root}/{folder}") for command, folder in expected
    ]


RED: dict[str, Any] = {"verdict": "failed", "exit_code": 1}


def lacks(files: int, passed: int = 0) -> dict[str, Any]:
    """Return a result in which each of some files of tests needs a package that is not there."""
    failures = [f"test/{number}.js" for number in range(files)]
    counts = {"passed": passed, "failed": files}
    return {**RED, "failures": failures, "counts": counts, "missing": {"tape": files}}


@pytest.mark.parametrize(
    ("now", "before", "is_new"),
    [
        (RED, {}, True),
        (RED, {"verdict": "passed"}, True),
        (RED, {"verdict": "not run"}, True),
        (RED, RED, False),
        ({**RED, "exit_code": 2}, RED, True),
        (RED, {**RED, "failures": ["a"]}, True),
        ({**RED, "failures": ["a"]}, RED, True),
        ({**RED, "failures": ["a", "b"]}, {**RED, "failures": ["a"]}, True),
        ({**RED, "failures": ["a"]}, {**RED, "failures": ["a", "b"]}, False),
        ({**RED, "counts": {"failed": 2}}, {**RED, "counts": {"failed": 1}}, True),
        ({**RED, "counts": {"failed": 1}}, {**RED, "counts": {"failed": 1}}, False),
        ({"verdict": "passed"}, RED, False),
        (lacks(2), lacks(1), False),
        (lacks(2, passed=4), lacks(1, passed=5), True),
        ({**lacks(2), "missing": {"tape": 1, "left-pad": 1}}, lacks(1), True),
        ({**lacks(3), "missing": {"tape": 2}}, lacks(1), True),
        ({**RED, "missing": {"tape": 1}}, {**RED, "missing": {"tape": 1}}, False),
        ({**RED, "missing": {"nyc": 1}}, {**RED, "missing": {"tape": 1}}, True),
    ],
)
def test_a_failure_is_new_unless_both_runs_show_that_it_is_not(
    now: dict[str, Any], before: dict[str, Any], *, is_new: bool
) -> None:
    assert fails_anew({**now, "before": before}) is is_new


def test_p6_whoever_changes_how_tests_are_run_is_named_in_the_request() -> None:
    files = [name for row in _table()["manifests"] for name in row["file"].split()]

    assert [file for file in files if not runs_by_itself(f"app/{file}")] == []


GREEN = {"verdict": "passed", "exit_code": 0}
NONE: dict[str, Any] = {"verdict": "not run", "tail": "there are no tests"}


@pytest.mark.parametrize(
    ("now", "before", "gone"),
    [
        (NONE, GREEN, True),
        (NONE, RED, True),
        (NONE, NONE, False),
        (GREEN, GREEN, False),
        (GREEN, {**GREEN, "counts": {"passed": 3}}, True),
        ({**GREEN, "counts": {"passed": 0}}, {**GREEN, "counts": {"passed": 3}}, True),
        ({**GREEN, "counts": {"skipped": 3}}, {**RED, "counts": {"failed": 3}}, True),
        ({**GREEN, "counts": {"passed": 1}}, {**GREEN, "counts": {"passed": 3}}, False),
        (GREEN, {**GREEN, "counts": {"skipped": 3}}, False),
        (RED, {**GREEN, "counts": {"passed": 3}}, False),
    ],
)
def test_p6_tests_that_ran_before_and_do_not_now_are_gone(
    now: dict[str, Any], before: dict[str, Any], *, gone: bool
) -> None:
    assert is_gone({**now, "before": before}) is gone


@pytest.mark.parametrize("left", ["echo skipped\n", "echo '# pass 0'\n"])
def test_p6_a_worker_that_takes_the_tests_away_is_not_published(checked: Bench, left: str) -> None:
    def silences(turn: Turn) -> None:
        works(turn)
        put(turn, f"app/{FILES[1]}", left)

    tests = checked.root / "app" / FILES[1]
    tests.parent.mkdir(exist_ok=True)
    tests.write_text("echo '# pass 2'\n")
    checked.git("add", f"app/{FILES[1]}")
    checked.git("commit", "-q", "-m", "test: cover")
    command = f"sh {FILES[1]}"
    code = run(checked, Scripted(implement=silences), attempts=1, test_command=command)

    assert (code, checked.forge.calls) == (1, 0)
    gone = "tests ran before the work, and the output shows none now"
    assert checked.stop[:2] == [ANEW, f'{command} fails: "{gone}"']
    assert run(checked, Scripted(), test_command=command, allow_failing=True) == 0
    assert f"**T{gone[1:]}**, and this was allowed: `{command}`." in body(checked)


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("E   ModuleNotFoundError: No module named 'requests.auth'", "requests.auth"),
        ("/usr/bin/python3: No module named pytest", "pytest"),
        ("Error: Cannot find module 'tape'", "tape"),
        ("Error: Cannot find module '@scope/a/b'", "@scope/a/b"),
        ("Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'tape' imported from /x.mjs", "tape"),
        ("Error: Cannot find module './gone'", None),
        ("sh: 1: eslint: not found", "eslint"),
        ("sh: line 1: eslint: command not found", "eslint"),
        ("/bin/sh: 1: cmake: not found", "cmake"),
        ("make: cmake: No such file or directory", "cmake"),
        (
            "a.go:3:8: no required module provides package github.com/x/y; to add it:",
            "github.com/x/y",
        ),
        ("error[E0463]: can't find crate for `serde`", "serde"),
        ("error[E0432]: unresolved import `serde`", "serde"),
        ("LoadError: cannot load such file -- rspec/its", "rspec/its"),
        ("no module named pytest", None),
    ],
)
def test_p6_what_is_not_installed_is_read_from_the_output(line: str, missing: str | None) -> None:
    assert _read([line], failed=True).get("missing") == (missing and {missing: 1})


def test_p6_a_package_that_is_missing_is_named_before_the_work_and_in_the_request(
    checked: Bench,
) -> None:
    (checked.root / "app" / "check.sh").write_text("lint-it\n")
    checked.git("commit", "-q", "-am", "test: lint")

    code = run(checked, Scripted())

    notices = [event.text for event in checked.events if event.what == "notice"]
    assert (code, checked.stop) == (0, [])
    assert notices == [
        'the tests fail before the work begins: sh check.sh ("not installed: lint-it")'
    ]
    assert "Not installed:\n\n- `lint-it`" in body(checked)


def test_the_command_of_the_user_comes_first(user: UserRepository) -> None:
    user.write("Makefile", "test:\n")
    run = replace(run_of(user.repository, Work()), test_command="make check")

    assert commands_of(run, ["a.c"]) == [Command("make check", user.repository.root)]
