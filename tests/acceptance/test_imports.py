"""A run imports what it uses: a learner waits for nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.acceptance.conftest import PathOf, Run

    Imported = Callable[..., set[str]]

# runs a script as Python does, and tells on stderr what it had imported in the end
WRAPPER = """
import sys
del sys.argv[0]
sys.path.insert(0, "")
with open(sys.argv[0], encoding="utf-8") as file:
    code = compile(file.read(), sys.argv[0], "exec")
try:
    exec(code, {"__name__": "__main__", "__file__": sys.argv[0]})
finally:
    print("\\n".join(sys.modules), file=sys.stderr)
"""
NEVER = {
    *("pathlib", "annotated_types", "shutil", "pydantic", "jsonschema", "referencing", "rpds"),
    *("importlib.metadata", "subprocess", "xml", "xml.etree", "hypothesis", "asyncio"),
    *("traceback", "difflib", "unicodedata", "watchfiles", "anyio"),
    *(
        "pipeline.agents.definitions",
        "verify.learner.watch",
        "verify.learner.progress",
        "verify.commands.next",
    ),
    *("verify.reporters.json_report", "verify.reporters.junit", "verify.reporters.github"),
    *(
        "verify.course.exercises.foundation",
        "verify.course.exercises.expert",
        "pydantic_core.core_schema",
    ),
}
EXTENSION = "pydantic_core._pydantic_core"
AFTERWARDS = """
import sys
from pipeline.protocol.validate import extension
compiled, imported = extension(), "pydantic_core" in sys.modules
import pydantic, pydantic_core
same = pydantic_core.ValidationError is compiled.ValidationError
print(imported, same, pydantic.TypeAdapter(int).validate_python(3))
"""


@pytest.fixture
def imported(run: Run, script: PathOf, fixture: PathOf) -> Imported:
    """Return a function that grades practitioner 02 and tells what was imported for it."""

    def grade(name: str, *words: str) -> set[str]:
        project = fixture(f"practitioner/02-delegate/{name}")
        options = ["--exercise", "02", "--project", project, *words]
        return set(run("-c", WRAPPER, script("practitioner"), *options).stderr.splitlines())

    return grade


def test_the_table_of_a_solution_needs_the_table_and_nothing_else(imported: Imported) -> None:
    modules = imported("solved")

    assert modules & NEVER == set()
    assert {"tabulate", "verify.reporters.table", EXTENSION} <= modules


def test_a_failure_needs_no_other_reporter_and_no_pydantic(imported: Imported) -> None:
    modules = imported("broken-order")

    assert modules & NEVER == set()


def test_a_submission_without_an_artifact_needs_no_pydantic_at_all(
    run: Run, script: PathOf, tmp_path: Path
) -> None:
    words = ("--exercise", "02", "--project", str(tmp_path))
    done = run("-c", WRAPPER, script("practitioner"), *words)
    modules = set(done.stderr.splitlines())

    assert done.returncode == 1
    assert modules & (NEVER - {"difflib"} | {EXTENSION}) == set()


def test_another_format_needs_no_table(imported: Imported) -> None:
    modules = imported("solved", "--format", "json")

    assert "verify.reporters.json_report" in modules
    assert modules & {"tabulate", "pydantic", "jsonschema", "verify.reporters.table"} == set()


def test_validating_an_artifact_needs_no_grader_and_no_table(run: Run, fixture: PathOf) -> None:
    plan = fixture("practitioner/02-delegate/solved/sandbox/.pipeline/ISSUE-201/plan.json")
    script = "pipeline/schema.py"  # relative to the repository, where commands are run
    done = run("-c", WRAPPER, script, "--validate", plan)
    modules = set(done.stderr.splitlines())

    assert done.stdout == "OK\n"
    assert modules & (NEVER | {"tabulate", "verify"}) == set()
    assert {EXTENSION, "pipeline.protocol.validate"} <= modules


def test_pydantic_can_be_imported_after_its_extension(run: Run) -> None:
    done = run("-c", AFTERWARDS)

    assert (done.stdout, done.stderr) == ("False True 3\n", "")


RUN = """
import sys
from pipeline.cli import main
code = main(sys.argv[1:])
print("\\n".join(sys.modules), file=sys.stderr)
sys.exit(code)
"""


def test_a_run_that_no_one_witnesses_loads_nothing_of_signatures(run: Run, tmp_path: Path) -> None:
    done = run("-c", RUN, "demo", "ISSUE-101", "--to", str(tmp_path / "copy"))
    modules = done.stderr.splitlines()

    assert done.returncode == 0
    assert "pipeline.run.attest" in modules
    signing = ("pipeline.signing", "cryptography", "securesystemslib")
    assert [name for name in modules if name.startswith(signing)] == []
