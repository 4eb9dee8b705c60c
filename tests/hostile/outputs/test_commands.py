"""What the commands print of hostile artifacts, tasks, definitions and arguments is inert."""

from __future__ import annotations

import contextlib
import io
import json
import re
from functools import partial
from typing import TYPE_CHECKING

import pytest

from pipeline.cli import main as pipeline
from pipeline.protocol.validate import main
from pipeline.schema import KINDS
from tests.hostile.outputs.conftest import artifacts, file_name
from tests.stubs.payloads import PAYLOADS, RAW
from verify.cli import main as verify

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Main = Callable[[list[str]], int]

COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)


def printed(main: Main, *words: str) -> str:
    """Return what a command prints on both streams: nothing of it takes effect."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            code = main(list(words))
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 3
    message = out.getvalue()
    assert code in {0, 1, 2}, message
    assert (RAW.findall(message), COMMAND.findall(message)) == ([], []), words
    assert "Traceback" not in message
    return message


def all_tell(main: Main, message: str, *commands: Sequence[str]) -> bool:
    return all(message in printed(main, *words) for words in commands)


@pytest.mark.parametrize("name", PAYLOADS)
def test_nothing_that_a_command_prints_takes_effect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    text = PAYLOADS[name][0].replace("\udce9", "\u00e9")
    folder = tmp_path / f"x{file_name(text)}"
    issue, agents = folder / ".pipeline" / "ISSUE-305", folder / ".claude" / "agents"
    for made in (issue, agents):
        made.mkdir(parents=True)
    for file, value in artifacts(text).items():
        (issue / file).write_text(json.dumps(value), "utf-8")
    (agents / "a.md").write_text(f"---\nname: {json.dumps(text)}\n{text}\n---\n{text}", "utf-8")
    (agents / f"{file_name(text)}.md").write_text(f"---\ndescription: {text}\n", "utf-8")
    (folder / f"{file_name(text)}.json").write_text("{}", "utf-8")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.chdir(folder)
    files = [f".pipeline/ISSUE-305/{file}" for file in artifacts(text)]
    message = printed(partial(main, KINDS), "--validate", *files, f"./{file_name(text)}.json")

    assert len(message.splitlines()) >= 10
    assert all_tell(
        pipeline, "ISSUE-305", ["status"], ["status", "--json"], ["status", "ISSUE-305"]
    )
    assert all_tell(pipeline, "a.md", ["agents", "lint"])
    assert all_tell(
        pipeline,
        "",
        ["classify", "--", text],
        ["classify", "--json", "--", text],
        ["classify", "a task", "--plan", ".pipeline/ISSUE-305/plan.json"],
        *(["run", text], ["status", text], [text]),
    )
    for format_ in ("table", "json", "junit"):
        check = ["check", "expert/04", "--project", str(folder), "--format", format_]
        assert all_tell(verify, "E04.1", check)
    assert all_tell(
        verify, "", *([word, text] for word in ("check", "list", "batch", "override")), [text]
    )
