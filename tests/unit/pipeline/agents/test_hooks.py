"""Our hooks find room beside the user's, and nothing of the user's is lost."""

from __future__ import annotations

import json

import pytest

from pipeline.agents.hooks import HOOKS, Unmergeable, files_of, merged

CURSOR = json.dumps(HOOKS["cursor"].wanted)
OURS = {"command": "python3 .cursor/hooks/record-dispatch.py", "timeout": 10}


def test_cursor_runs_the_script_from_the_project_s_root() -> None:
    script, config = files_of("cursor")

    assert (script.path, script.shared) == (".cursor/hooks/record-dispatch.py", False)
    assert (config.path, config.shared) == (".cursor/hooks.json", True)
    assert json.loads(config.text) == {
        "version": 1,
        "hooks": {"subagentStart": [OURS], "subagentStop": [OURS]},
    }


def test_claude_runs_it_from_wherever_a_command_stands() -> None:
    script, config = files_of("claude")

    command = 'python3 "$CLAUDE_PROJECT_DIR/.claude/hooks/record-dispatch.py"'
    entry = {"hooks": [{"type": "command", "command": command, "timeout": 10}]}
    assert script.text == files_of("cursor")[0].text
    assert (config.path, config.shared) == (".claude/settings.json", True)
    assert json.loads(config.text) == {
        "hooks": {"SubagentStart": [entry], "SubagentStop": [entry]},
    }


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


def test_other_settings_without_hooks_get_some() -> None:
    assert json.loads(merged(b'{"model": "opus"}', CURSOR)) == {
        "model": "opus",
        **HOOKS["cursor"].wanted,
    }


def test_a_file_that_has_them_is_left_as_it_is_written() -> None:
    text = json.dumps(json.loads(merged(b"{}", CURSOR)), indent=7)

    assert merged(text.encode(), CURSOR) == text


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"// mine\n{}", "is no JSON: "),
        (b'{"hooks": {}, "hooks": {}}', "is no JSON: "),
        (b"[]", "has no hooks as its client takes them"),
        (b'{"hooks": []}', "has no hooks as its client takes them"),
        (b'{"hooks": {"subagentStart": {}}}', "has no hooks as its client takes them"),
    ],
)
def test_what_nothing_can_be_put_into_is_refused(data: bytes, told: str) -> None:
    with pytest.raises(Unmergeable) as raised:
        merged(data, CURSOR)

    assert str(raised.value).startswith(told)
