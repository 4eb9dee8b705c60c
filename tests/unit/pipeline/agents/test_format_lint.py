"""A definition that its client would not take as meant has a problem at the place to mend."""

from __future__ import annotations

import pytest

from pipeline.agents.format_lint import problems_of
from pipeline.agents.places import PLACES

BY_FORMAT = {place.format: place for place in PLACES}
START = "name: x-worker\ndescription: a\n"
NO_KEY = "Expected '=' after a key in a key/value pair"
TOML = "name = 'x'\ndescription = 'a'\ndeveloper_instructions = 'b'\n"


def lines(format_: str, front: str, name: str = "x-worker") -> list[str]:
    text = front if format_ == "codex-agent" else f"---\n{front}\n---\nBody\n"
    return [each.line_for("f") for each in problems_of(text, BY_FORMAT[format_], name)]


@pytest.mark.parametrize(
    ("format_", "front"),
    [
        ("claude-agent", START + "tools: Read, Bash(git diff:*), mcp__x__y\nmodel: haiku"),
        ("claude-agent", START + "tools: [Read, Grep]\neffort: high\nx-unknown: a"),
        ("opencode-agent", "description: a\npermission: ask\nmodel: acme/m/2"),
        ("opencode-agent", 'description: a\npermission:\n  edit: deny\n  bash: {"*": ask}'),
        ("codex-agent", TOML + "model_reasoning_effort = 'xhigh'\n[mcp_servers.a]\nb = 1"),
        ("gemini-agent", START + "tools: [read_file, 'mcp_*', '*']\nmax_turns: 5\nkind: local"),
        ("qwen-agent", START + "tools:\n  - read_file\nmodel: fast\nx-unknown: a"),
        ("copilot-agent", "description: a\ntools: read, Bash\nmodel: [a, b]\nmetadata: {a: b}"),
        ("agent-skill", START + "compatibility: git\nallowed-tools: Read Bash(git:*)\nversion: 1"),
        ("cursor-rule", "description:\nglobs: **/*.js, **/*.ts\nalwaysApply: false"),
    ],
)
def test_a_definition_that_the_client_takes_is_clean(format_: str, front: str) -> None:
    assert lines(format_, front) == []


@pytest.mark.parametrize(
    ("format_", "row", "begins"),
    [
        ("opencode", "tools: Read, Write", "4:8: $.tools: value of the wrong type (expected a map"),
        ("opencode", "model: inherit", "4:8: $.model: value of the wrong form (expected provider/"),
        ("opencode", "readonly: true", "4:1: $.readonly: the key does harm here (expected open"),
        (
            *("opencode", 'permission:\n  bash:\n    "*": never'),
            '6:10: $.permission.bash["*"]: value of the wrong form (expected allow, ask or deny',
        ),
        ("gemini", "readonly: true", "4:1: $.readonly: the key is not known here, and the client"),
        ("gemini", "tools: Read, Write", "4:8: $.tools: value of the wrong type (expected a list"),
        ("claude", "tools: read, write", "4:8: $.tools: value of the wrong form (expected Claude"),
        ("claude", "color: on: off", "4:10: no YAML: mapping values are not allowed here"),
    ],
)
def test_a_trap_of_a_client_is_a_problem_where_it_stands(
    format_: str, row: str, begins: str
) -> None:
    found = lines(f"{format_}-agent", START + row)

    assert [line for line in found if line.startswith(f"f:{begins}")] != []
    assert len(found) <= 2  # tools of another client are one a name


@pytest.mark.parametrize(
    ("text", "begin"),
    [
        (
            "name = 'x'\ndeveloper_instructions = ' '\n",
            [
                "f:1:1: $.description: the field is missing (expected text, not blank, that says",
                "f:2:26: $.developer_instructions: value of the wrong form (expected the agent's",
            ],
        ),
        (
            TOML + "sandbox_mode = 'readonly'\nnickname_candidates = ['a', 1]\n",
            [
                "f:4:16: $.sandbox_mode: value of the wrong form (expected read-only, workspace-",
                "f:5:23: $.nickname_candidates[1]: value of the wrong type (expected text, not",
            ],
        ),
        ("---\nname: x\n---\nBody\n", [f"f:1:4: no TOML: {NO_KEY} (expected TOML 1.0)"]),
    ],
)
def test_a_definition_of_codex_is_held_against_its_keys(text: str, begin: list[str]) -> None:
    found = lines("codex-agent", text)

    assert [line[: len(each)] for line, each in zip(found, begin, strict=True)] == begin


def test_a_skill_has_the_name_of_its_folder_and_an_agent_any_name() -> None:
    long = f"{START}compatibility: {'a' * 501}"
    assert "value too long (expected text of at most 500 " in lines("agent-skill", long)[0]
    assert lines("agent-skill", START.rstrip(), "x-git") == [
        (
            "f:2:7: $.name: the skill's name is not the name of its folder "
            '(expected "x-git", found "x-worker")'
        )
    ]
    assert lines("gemini-agent", START.rstrip(), "x-git") == []
    assert lines("opencode-agent", START.rstrip(), "x-git") == []


@pytest.mark.parametrize("format_", [name for name in BY_FORMAT if name != "codex-agent"])
def test_a_prompt_that_is_blank_is_a_problem(format_: str) -> None:
    text = "---\nname: a\ndescription: b\nmodel: c/d\n---\n\n"
    text = text if format_ != "cursor-rule" else "---\ndescription: b\n---\n\n"
    problems = problems_of(text, BY_FORMAT[format_], "a")

    assert [each.rule for each in problems] == ["definition-body"]
