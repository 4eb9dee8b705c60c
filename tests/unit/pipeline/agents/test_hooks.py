"""Our hooks find room beside the user's, and nothing of the user's is lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.agents.export import carry_out, planned
from pipeline.agents.hooks import HOOKS, Unmergeable, files_of, merged
from pipeline.agents.hooks_lint import hook_problems
from pipeline.agents.lint import lint_trees

if TYPE_CHECKING:
    from pathlib import Path


CURSOR = json.dumps(HOOKS["cursor"].wanted)
OURS = {"command": "python3 .cursor/hooks/record-dispatch.py", "timeout": 10}


def test_claude_runs_it_from_wherever_a_command_stands() -> None:
    script, config = files_of("claude")

    command = 'python3 "$CLAUDE_PROJECT_DIR/.claude/hooks/record-dispatch.py"'
    entry = {"hooks": [{"type": "command", "command": command, "timeout": 10}]}
    assert script.text == files_of("cursor")[0].text
    assert (config.path, config.shared) == (".claude/settings.json", True)
    assert json.loads(config.text) == {"hooks": {"SubagentStart": [entry], "SubagentStop": [entry]}}


def test_what_is_there_stays_and_ours_come_after_it() -> None:
    theirs = {"command": "./audit.sh"}
    there = {"hooks": {"stop": [theirs], "subagentStop": [theirs]}, "extra": [1]}

    text = merged(json.dumps(there).encode(), CURSOR)

    assert json.loads(text) == {
        "version": 1,
        "hooks": {"stop": [theirs], "subagentStop": [theirs, OURS], "subagentStart": [OURS]},
        "extra": [1],
    }
    assert text.endswith("}\n")


def test_a_file_that_has_them_is_left_as_it_is_written() -> None:
    text = json.dumps(json.loads(merged(b"{}", CURSOR)), indent=7)

    assert merged(text.encode(), CURSOR) == text


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"// mine\n{}", "is no JSON: "),
        (b'{"hooks": {}, "hooks": {}}', "is no JSON: "),
        (b"[]", "has no hooks as its client takes them"),
        (b'{"hooks": {"subagentStart": {}}}', "has no hooks as its client takes them"),
    ],
)
def test_what_nothing_can_be_put_into_is_refused(data: bytes, told: str) -> None:
    with pytest.raises(Unmergeable) as raised:
        merged(data, CURSOR)

    assert str(raised.value).startswith(told)


CONFIGS = {"cursor": ".cursor/hooks.json", "claude": ".claude/settings.json"}


def told(root: Path, client: str, value: Any) -> list[str]:
    """Return what is wrong with a file of hooks."""
    path = root / CONFIGS[client]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return [problem.line_for("x") for problem in hook_problems(str(root), client)]


@pytest.mark.parametrize("client", CONFIGS)
def test_what_is_exported_is_right(tmp_path: Path, client: str) -> None:
    carry_out(planned(files_of(client), str(tmp_path), force=False))

    assert [(each.path, each.format, each.problems) for each in lint_trees(str(tmp_path))] == [
        (CONFIGS[client], f"{client}-hooks", ())
    ]


@pytest.mark.parametrize("client", CONFIGS)
def test_a_script_that_is_not_there_is_told_where_it_is_called(tmp_path: Path, client: str) -> None:
    carry_out(planned(files_of(client), str(tmp_path), force=False))
    script = files_of(client)[0].path
    (tmp_path / script).unlink()

    problems = hook_problems(str(tmp_path), client)

    assert [(each.message, each.expected, each.path[-1]) for each in problems] == [
        ("the script is not there", script, "command")
    ] * 2


@pytest.mark.parametrize(
    ("client", "value", "begins"),
    [
        ("cursor", [], "x:1:1: value that is not allowed (expected "),
        ("cursor", {"version": 2, "hooks": {}}, "x:1:13: $.version: value that is not allowed"),
        (
            *("cursor", {"version": 1, "hooks": {"SubagentStart": []}}),
            "x:1:43: $.hooks.SubagentStart: the client knows no such event (expected one such as",
        ),
        (
            *("cursor", {"version": 1, "hooks": {"stop": [{"timeout": 0, "command": "x"}]}}),
            "x:1:47: $.hooks.stop[0].timeout: value that is not allowed (expected a number of ",
        ),
        (
            *("claude", {"hooks": {"Stop": {}}}),
            "x:1:20: $.hooks.Stop: value that is not allowed (expected an array of",
        ),
        (
            *("claude", {"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}),
            "x:1:50: $.hooks.Stop[0].hooks[0].command: the field is missing (expected a command",
        ),
    ],
)
def test_what_a_client_would_not_run_is_told(
    tmp_path: Path, client: str, value: Any, begins: str
) -> None:
    (line,) = told(tmp_path, client, value)

    assert line.startswith(begins)


def test_settings_without_hooks_and_events_of_new_versions_are_right(tmp_path: Path) -> None:
    new = {"hooks": {"SomethingNew": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]}}

    assert told(tmp_path, "claude", {"model": "opus"}) == []
    assert told(tmp_path, "claude", new) == []


def test_a_file_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside.json").write_text("{}")
    (tmp_path / "project" / ".cursor").mkdir(parents=True)
    (tmp_path / "project" / ".cursor" / "hooks.json").symlink_to(tmp_path / "outside.json")

    (checked,) = lint_trees(str(tmp_path / "project"))

    assert [problem.message for problem in checked.problems] == [
        "a link leads out of the folder: it is not followed"
    ]
