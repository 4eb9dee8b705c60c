"""The sandbox as it is shipped is sound, and leaves every issue to be solved."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    Completed = subprocess.CompletedProcess[str]
    Run = Callable[..., Completed]

SANDBOX = Path(ROOT, "sandbox")


def shipped_files() -> list[Path]:
    """Return the sandbox's files, without what learners add and npm installs."""
    added = {"node_modules", ".pipeline", ".cursor"}
    return [
        path
        for path in SANDBOX.rglob("*")
        if path.is_file() and not added & set(path.relative_to(SANDBOX).parts)
    ]


def read_json(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((SANDBOX / name).read_text(encoding="utf-8"))
    return value


def test_the_tests_of_the_sandbox_pass_as_a_learner_runs_them(
    shipped: Completed, counts: Callable[[Completed], dict[str, int]]
) -> None:
    found = counts(shipped)

    assert shipped.returncode == 0, shipped.stdout + shipped.stderr
    assert found == {"tests": found["tests"], "pass": found["tests"], "fail": 0}
    assert found["tests"] > 0


def test_the_linter_of_the_sandbox_has_nothing_to_say(installed: Path, run: Run) -> None:
    done = run("npm", "run", "--silent", "lint", cwd=installed)

    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.usefixtures("shipped")
def test_installing_and_testing_changes_no_file_of_the_sandbox(installed: Path) -> None:
    names = [path.relative_to(SANDBOX) for path in shipped_files()]

    assert [n for n in names if (installed / n).read_bytes() != (SANDBOX / n).read_bytes()] == []


def test_the_lock_file_pins_every_package_and_names_no_registry() -> None:
    packages = read_json("package-lock.json")["packages"]
    installed = {path: package for path, package in packages.items() if path}

    assert installed != {}
    assert [path for path, package in installed.items() if "integrity" not in package] == []
    assert [path for path, package in installed.items() if "resolved" in package] == []


def test_the_sandbox_and_all_that_it_depends_on_run_on_node_20() -> None:
    packages = read_json("package-lock.json")["packages"]
    too_new = {
        path: package["engines"]["node"]
        for path, package in packages.items()
        if re.match(r"\s*>=?\s*2[1-9]", package.get("engines", {}).get("node", ""))
    }

    assert read_json("package.json")["engines"] == {"node": ">=20"}
    assert too_new == {}


def test_the_misspelling_of_issue_301_stands_once_and_in_the_readme_only() -> None:
    misspelt = {
        str(path.relative_to(SANDBOX)): count
        for path in shipped_files()
        if path.parent != SANDBOX / "issues"
        and (count := path.read_text(encoding="utf-8").lower().count("recieve"))
    }

    assert misspelt == {"README.md": 1}
    assert (SANDBOX / "README.md").read_text(encoding="utf-8").count("recieve") == 1


def test_the_readme_names_every_source_file_and_no_other() -> None:
    readme = (SANDBOX / "README.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `(src/[^`]+\.js)` \|", readme, re.MULTILINE)
    sources = [path.relative_to(SANDBOX).as_posix() for path in (SANDBOX / "src").rglob("*.js")]

    assert sorted(table) == sorted(sources)


def test_the_sandbox_is_shipped_without_artifacts_and_definitions(run: Run) -> None:
    if not os.path.isdir(os.path.join(ROOT, ".git")):
        pytest.skip("no checkout of git's")
    added = [f"sandbox/{name}" for name in (".pipeline", ".cursor", "node_modules")]
    tracked = run("git", "ls-files", *added, cwd=Path(ROOT))

    assert (tracked.returncode, tracked.stdout) == (0, "")
