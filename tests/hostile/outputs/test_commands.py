"""What the commands of the protocol print of hostile artifacts, tasks and definitions is inert."""

from __future__ import annotations

import contextlib
import io
import json
import re
from typing import TYPE_CHECKING

import pytest

from pipeline import validate_command
from pipeline.cli import main as pipeline
from tests.hostile.outputs.conftest import artifacts, file_name
from tests.stubs.payloads import PAYLOADS
from verify.cli import main as verify

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Main = Callable[[list[str]], int]

# everything but printable characters and line feeds, and what is printable and yet not seen
RAW = re.compile(
    "[^\n -~\u00a1-\u00ac\u00ae-\u02ff\u0300-\u033f\u2010-\u2027\u2500-\u27ff\uff00-\uff5e]"
)
COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)
FORMATS = ("table", "json", "junit")


@pytest.fixture(params=PAYLOADS)
def text(request: pytest.FixtureRequest) -> str:
    """Return a payload that JSON and an argument can hold."""
    return PAYLOADS[request.param][0].replace("\udce9", "\u00e9")


@pytest.fixture
def project(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project with an issue, an agent and a task that say the payload everywhere."""
    folder = tmp_path / "project"
    issue = folder / ".pipeline" / "ISSUE-305"
    issue.mkdir(parents=True)
    for name, value in artifacts(text).items():
        (issue / name).write_text(json.dumps(value), "utf-8")
    agents = folder / ".claude" / "agents"
    agents.mkdir(parents=True)
    (agents / "a.md").write_text(f"---\nname: {json.dumps(text)}\n{text}\n---\n{text}", "utf-8")
    (agents / f"{file_name(text)}.md").write_text(f"---\ndescription: {text}\n", "utf-8")
    (folder / f"{file_name(text)}.json").write_text("{}", "utf-8")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.chdir(folder)
    return folder


def printed(main: Main, words: Sequence[str]) -> str:
    """Return what a command prints on both streams; it ends in one of its own exit codes."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            code = main(list(words))
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 3
    assert code in {0, 1, 2}, out.getvalue()
    return out.getvalue()


def assert_inert(text: str) -> None:
    assert RAW.findall(text) == []
    assert COMMAND.findall(text) == []
    assert "Traceback" not in text


@pytest.mark.usefixtures("project")
def test_schema_tells_of_artifacts_and_names(text: str) -> None:
    files = [f".pipeline/ISSUE-305/{name}" for name in artifacts(text)]
    told = printed(validate_command.main, ["--validate", *files, f"./{file_name(text)}.json"])

    assert len(told.splitlines()) > 10
    assert_inert(told)


def test_status_tells_of_artifacts(project: Path) -> None:
    for words in (["status"], ["status", "--json"], ["status", "ISSUE-305"]):
        told = printed(pipeline, [*words, "--project", str(project)])

        assert "ISSUE-305" in told
        assert_inert(told)


def test_lint_tells_of_definitions(project: Path) -> None:
    for words in ([], ["--json"]):
        told = printed(pipeline, ["agents", "lint", str(project), *words])

        assert "a.md" in told
        assert_inert(told)


@pytest.mark.usefixtures("project")
def test_classify_tells_of_a_task(text: str) -> None:
    for words in ([], ["--json"]):
        assert_inert(printed(pipeline, ["classify", *words, "--", text]))
        plan = ".pipeline/ISSUE-305/plan.json"
        assert_inert(printed(pipeline, ["classify", "a task", "--plan", plan, *words]))


@pytest.mark.parametrize("format_", FORMATS)
def test_a_check_tells_of_artifacts_and_the_folder(project: Path, text: str, format_: str) -> None:
    named = project.parent / f"x{file_name(text)}"
    project.rename(named)
    told = printed(verify, ["check", "expert/04", "--project", str(named), "--format", format_])

    assert_inert(told)


@pytest.mark.usefixtures("project")
def test_an_argument_that_is_none_is_told(text: str) -> None:
    for words in (["check", text], ["list", text], ["batch", text], ["override", text], [text]):
        assert_inert(printed(verify, words))
    for words in (["run", text], ["status", text], [text]):
        assert_inert(printed(pipeline, words))
