"""Every definition below a folder is found, and nothing that stands there stops the search."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from pipeline.agents.clients import CLIENTS
from pipeline.agents.definitions import read_definition, read_toml
from pipeline.agents.export import export, hook_files
from pipeline.agents.lint import FORMATS, MAX_FILES, MAX_PROBLEMS, lint, lint_trees
from pipeline.agents.lint import TOML as TOML_FORMATS
from pipeline.bootstrap import ROOT

if TYPE_CHECKING:
    from pathlib import Path

GOOD = "---\nname: x-a\ndescription: a\n---\nBody\n"


def put(root: Path, path: str, text: str | bytes = GOOD) -> Path:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text if isinstance(text, bytes) else text.encode())
    return place


def found(root: Path) -> dict[str, list[str]]:
    return {
        each.path: [problem.line_for("") for problem in each.problems]
        for each in lint_trees(str(root))
    }


def test_every_place_of_every_client_is_looked_at(tmp_path: Path) -> None:
    places = [
        *(".claude/agents/x-a.md", ".opencode/agent/x-a.md", ".opencode/agents/x-a.md"),
        *(".gemini/agents/x-a.md", ".qwen/agents/x-a.md"),
        *(".github/agents/x-a.md", ".github/agents/x-b.agent.md"),
    ]
    client_folders = ("agents", "claude", "codex", "gemini", "qwen", "github", "opencode")
    skills = [f".{client}/skills/x-a/SKILL.md" for client in client_folders]
    skills += [".opencode/skill/x-a/SKILL.md", ".cursor/skills/x-a/SKILL.md"]
    for path in (*places, *skills):
        put(tmp_path, path)
    put(tmp_path, ".cursor/agents/x-a.md", "---\ndescription: a\nmodel: b\n---\nBody\n")
    put(tmp_path, ".cursor/rules/x-a.mdc", "---\nglobs: *.ts\n---\nBody\n")
    put(tmp_path, ".codex/agents/x-a.toml", "name='a'\ndescription='a'\ndeveloper_instructions='a'")
    others = [".cursor/agents/x-a.md", ".cursor/rules/x-a.mdc", ".codex/agents/x-a.toml"]

    assert found(tmp_path) == {path: [] for path in (*places, *skills, *others)}


@pytest.mark.parametrize(
    "body", ["", " \n\n", "\u200b\n", "\u00a0\u2060", "\ufeff\u2063"], ids=ascii
)
def test_a_body_in_which_there_is_nothing_to_see_is_a_problem(tmp_path: Path, body: str) -> None:
    put(tmp_path, ".claude/agents/x-a.md", GOOD.replace("Body\n", body))
    (problems,) = found(tmp_path).values()

    assert ["nothing follows the front matter" in problem for problem in problems] == [True]


def test_what_is_no_definition_is_passed_over(tmp_path: Path) -> None:
    for path in (".claude/agents/.hidden.md", ".claude/agents/notes.txt", ".claude/skills/a.md"):
        put(tmp_path, path)
    put(tmp_path, ".claude/skills/.x/SKILL.md")
    put(tmp_path, ".gemini/agents/inner/x-b.md")
    put(tmp_path, "agents/x-a.md")

    assert found(tmp_path) == {}


@pytest.mark.parametrize(
    ("path", "expected"),
    [(".cursor/rules/x-a.md", "x-a.mdc"), (".codex/agents/x-a.md", "x-a.toml")],
)
def test_a_file_that_the_client_passes_over_is_a_problem(
    tmp_path: Path, path: str, expected: str
) -> None:
    put(tmp_path, path)

    assert found(tmp_path) == {
        path: [
            (
                ":1:1: the client ignores files with this name here "
                f'(expected "{expected}", found "x-a.md"). To do: Rename the file to {expected}.'
            )
        ]
    }


def test_hostile_files_are_one_line_each(tmp_path: Path) -> None:
    agents = ".claude/agents"
    put(tmp_path, f"{agents}/big.md", "a" * (512 * 1024 + 1))
    put(tmp_path, f"{agents}/binary.md", b"\xff\x00")
    put(tmp_path, f"{agents}/deep.md", "---\na: " + "[" * 16_000 + "\n---\n")
    put(tmp_path, f"{agents}/lies.md/inner.md")
    os.mkfifo(tmp_path / agents / "pipe.md")
    (tmp_path / agents / "loop.md").symlink_to("loop.md")
    (tmp_path / agents / "nowhere.md").symlink_to("missing.md")
    (tmp_path / agents / "out.md").symlink_to("/etc/passwd")
    start = time.process_time()
    lines = found(tmp_path)

    assert time.process_time() - start < 5
    assert {path.rpartition("/")[2]: each for path, each in lines.items()} == {
        "big.md": [": is not checked: the lint reads at most 512 KiB"],
        "binary.md": [": is not UTF-8 text"],
        "deep.md": [
            ':2:19: nested too deeply (expected at most 16 levels, found "'
            + "[" * 98
            + '…"~8169c816). To do: Correct this line, or put its value in quotes.'
        ],
        "lies.md": [": is a folder, not a regular file"],
        "loop.md": [": is a link, not a regular file"],
        "nowhere.md": [": does not exist"],
        "out.md": [": is a link that leads outside the folder, so it is not followed"],
        "pipe.md": [": is a named pipe, not a regular file"],
    }


def test_a_folder_that_is_none_or_leads_away_is_one_line(tmp_path: Path) -> None:
    project = tmp_path / "project"
    put(project, ".claude/agents", "a file")
    put(tmp_path, "other/x-a.md")
    (project / ".qwen").mkdir()
    (project / ".qwen" / "agents").symlink_to(tmp_path / "other")

    assert found(project) == {
        ".claude/agents": [": cannot be listed: not a directory"],
        ".qwen/agents": [": is a link that leads outside the folder, so it is not followed"],
    }


def test_l_a_shared_folder_is_no_skill_and_a_skill_needs_its_file_name(tmp_path: Path) -> None:
    put(tmp_path, ".agents/skills/shared/references/a.md", "text")
    put(tmp_path, ".agents/skills/x-a/skill.md")

    assert found(tmp_path) == {
        ".agents/skills/x-a/skill.md": [
            (
                ":1:1: the client ignores files with this name here "
                '(expected "SKILL.md", found "skill.md"). To do: Rename the file to SKILL.md.'
            )
        ]
    }


def test_l_agents_in_subfolders_packages_and_plugins_are_found(tmp_path: Path) -> None:
    paths = [
        *(".claude/agents/team/x-a.md", ".claude/agents/README.md", ".claude/agents/docs/use.md"),
        *("packages/x/.cursor/rules/ui/x-a.mdc", "plugins/p/agents/x-a.md"),
        *("plugins/p/skills/x-a/SKILL.md", "node_modules/m/.claude/agents/x-a.md"),
    ]
    for path in paths:
        text = "# Text\n" if path.endswith(("README.md", "use.md")) else GOOD
        put(tmp_path, path, "---\nglobs: *.ts\n---\nBody\n" if path[-4:] == ".mdc" else text)
    put(tmp_path, "plugins/p/.claude-plugin/plugin.json", "{}")

    assert found(tmp_path) == {path: [] for path in (paths[0], *paths[3:6])}


def test_l_a_link_to_the_folder_above_is_followed_once(tmp_path: Path) -> None:
    put(tmp_path, ".claude/agents/x-a.md")
    (tmp_path / ".claude" / "agents" / "again").symlink_to(".", target_is_directory=True)

    assert found(tmp_path) == {".claude/agents/x-a.md": []}


@pytest.mark.parametrize("folder", [".claude/agents", ".qwen/agents", ".gemini/agents"])
def test_l_two_agents_with_one_name_are_a_problem(tmp_path: Path, folder: str) -> None:
    put(tmp_path, f"{folder}/x-a.md")
    put(tmp_path, f"{folder}/x-b.md")

    assert found(tmp_path) == {
        f"{folder}/x-a.md": [],
        f"{folder}/x-b.md": [
            (
                ":2:7: $.name: another agent has this name (expected a name of its own, found "
                f"the same name in {folder}/x-a.md). To do: Rename one of the two agents, or "
                "remove its file."
            )
        ],
    }


def test_l_what_clients_and_public_repositories_do_is_clean(tmp_path: Path) -> None:
    put(tmp_path, ".gemini/skills/x-a/SKILL.md", GOOD.replace("x-a", "Any Name"))
    put(tmp_path, ".cursor/agents/x-a.md")
    put(tmp_path, ".claude/skills/x-a/SKILL.md", GOOD + "a" * 300_000)
    for number in range(224):
        put(tmp_path, f".claude/agents/n{number}.md", GOOD.replace("x-a", f"n{number}"))

    assert [path for path, lines in found(tmp_path).items() if lines] == []
    assert len(found(tmp_path)) == 227


def test_more_files_than_anybody_has_are_not_read(tmp_path: Path) -> None:
    for number in range(MAX_FILES + 1):
        put(tmp_path, f".claude/agents/{number}.md")
    reason = ": is not checked: the lint reads at most 2,000 files of a folder"

    assert found(tmp_path) == {".claude/agents": [reason]}


def test_more_problems_than_anybody_reads_are_counted(tmp_path: Path) -> None:
    keys = "\n".join(f"k{number}: 1" for number in range(MAX_PROBLEMS + 5))
    put(tmp_path, ".gemini/agents/x-a.md", GOOD.replace("\n---\n", f"\n{keys}\n---\n", 1))
    (lines,) = found(tmp_path).values()

    assert len(lines) == MAX_PROBLEMS + 1
    assert lines[-1].endswith("and 5 more problems")


FORMAT_NAMES = list(dict.fromkeys(p.format for c in CLIENTS.values() for p in c.places))
START = "name: x-worker\ndescription: a\n"
NO_KEY = "Expected '=' after a key in a key/value pair"
TOML = "name = 'x'\ndescription = 'a'\ndeveloper_instructions = 'b'\n"
VIBE = "agent_type = 'subagent'\ndescription = 'a'\ninstructions = 'b'\n"


def lines(format_: str, front: str, name: str = "x-worker") -> list[str]:
    toml = format_ in TOML_FORMATS
    text = f"---\n{front}\n---\nBody\n"
    cursor = format_.startswith("cursor-")
    document = read_toml(front) if toml else read_definition(text, cursor=cursor)
    return [each.line_for("f") for each in lint(document, format_, name)]


@pytest.mark.parametrize(
    ("format_", "front"),
    [
        ("claude-agent", START + "tools: Read, Bash(git diff:*), mcp__x__y\nmodel: haiku"),
        ("claude-agent", START + "tools: [Read, Grep]\neffort: high\nx-unknown: a"),
        ("opencode-agent", "description: a\npermission: ask\nmodel: acme/m/2"),
        ("opencode-agent", 'description: a\npermission:\n  edit: deny\n  bash: {"*": ask}'),
        ("codex-agent", TOML + "model_reasoning_effort = 'xhigh'\n[mcp_servers.a]\nb = 1"),
        ("vibe-agent", VIBE + "active_model = 'fast'\nsafety = 'yolo'\n[tools.bash]\nb = 1"),
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
        (
            "opencode",
            "model: inherit",
            "4:8: $.model: value in the wrong format (expected provider/",
        ),
        (
            "opencode",
            "readonly: true",
            "4:1: $.readonly: this key is not allowed here (expected open",
        ),
        (
            *("opencode", 'permission:\n  bash:\n    "*": never'),
            '6:10: $.permission.bash["*"]: value in the wrong format (expected allow, ask or deny',
        ),
        ("gemini", "readonly: true", "4:1: $.readonly: unknown key: the client rejects the file"),
        ("gemini", "tools: Read, Write", "4:8: $.tools: value of the wrong type (expected a list"),
        (
            "claude",
            "tools: read, write",
            "4:8: $.tools: the client has no such tool (expected Read",
        ),
        ("claude", "color: on: off", "4:10: not YAML: mapping values are not allowed here"),
    ],
)
def test_a_trap_of_a_client_is_a_problem_where_it_is(format_: str, row: str, begins: str) -> None:
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
                "f:2:26: $.developer_instructions: value in the wrong format (expected the agent's",
            ],
        ),
        (
            TOML + "sandbox_mode = 'readonly'\nnickname_candidates = ['a', 1]\n",
            [
                "f:4:16: $.sandbox_mode: value in the wrong format (expected read-only, workspace-",
                "f:5:23: $.nickname_candidates[1]: value of the wrong type (expected text, not",
            ],
        ),
        ("---\nname: x\n---\nBody\n", [f"f:1:4: not TOML: {NO_KEY} (expected TOML 1.0)"]),
    ],
)
def test_a_definition_of_codex_is_compared_with_its_keys(text: str, begin: list[str]) -> None:
    found = lines("codex-agent", text)

    assert [line[: len(each)] for line, each in zip(found, begin, strict=True)] == begin


def test_a_skill_has_the_name_of_its_folder_and_an_agent_any_name() -> None:
    long = f"{START}compatibility: {'a' * 501}"
    assert "value too long (expected text of at most 500 " in lines("agent-skill", long)[0]
    assert lines("agent-skill", START.rstrip(), "x-git") == [
        (
            "f:2:7: $.name: the skill's name is not the name of its folder "
            '(expected "x-git", found "x-worker"). To do: Write `name: x-git`.'
        )
    ]
    assert lines("gemini-agent", START.rstrip(), "x-git") == []
    assert lines("opencode-agent", START.rstrip(), "x-git") == []


@pytest.mark.parametrize("format_", [name for name in FORMAT_NAMES if name not in TOML_FORMATS])
def test_a_prompt_that_is_blank_is_a_problem(format_: str) -> None:
    text = "---\nname: a\ndescription: b\nmodel: c/d\n---\n\n"
    text = text if format_ != "cursor-rule" else "---\ndescription: b\n---\n\n"
    problems = lint(read_definition(text), format_, "a")

    assert [each.rule for each in problems] == ["definition-body"]


DEFINITIONS = os.path.join(ROOT, "fixtures", "definitions")


def names(folder: str) -> list[str]:
    found = sorted(os.listdir(os.path.join(DEFINITIONS, folder)))
    return [name for name in found if not name.endswith(".expected")]


def text_of(folder: str, name: str) -> str:
    with open(os.path.join(DEFINITIONS, folder, name), encoding="utf-8", newline="") as file:
        return file.read()


def linted(folder: str, name: str) -> str:
    """Lint a fixture as Cursor's kind that its name begins with, called `x-worker`."""
    kind = name.partition("-")[0]
    problems = lint(
        read_definition(text_of(folder, name), cursor=True), f"cursor-{kind}", "x-worker"
    )
    return "".join(f"{problem.rule} {problem.line_for(name)}\n" for problem in problems)


@pytest.mark.parametrize("name", names("valid"))
def test_a_usable_definition_has_no_problem(name: str) -> None:
    assert linted("valid", name) == ""


@pytest.mark.spec("1.22")
@pytest.mark.parametrize("name", names("invalid"))
def test_a_definition_that_cannot_be_used_has_the_problems_beside_it(name: str) -> None:
    assert linted("invalid", name) == text_of("invalid", f"{os.path.splitext(name)[0]}.expected")


@pytest.mark.parametrize("folder", [".cursor/agents", ".claude/agents", ".qwen/agents"])
def test_p15_what_yaml_allows_is_taken_alike_for_every_client(tmp_path: Path, folder: str) -> None:
    front = "name: x-a\ndescription: over\n  two lines\nmodel: inherit\nreadonly: True"
    put(tmp_path, f"{folder}/x-a.md", f"---\n{front}\n---\nBody\n")

    assert found(tmp_path) == {f"{folder}/x-a.md": []}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a" * 64, None),
        ("x-2-y", None),
        ("a" * 65, "value too long"),
        *(
            (name, "value in the wrong format")
            for name in ("", "X-Worker", "-worker", "x-", "x--worker", "x_worker")
        ),
    ],
)
def test_a_skill_has_a_name_within_its_specification(name: str, message: str | None) -> None:
    text = f"---\nname: {name}\ndescription: a\n---\nBody\n"
    problems = lint(read_definition(text), "cursor-skill", name)

    assert [(problem.path, problem.message) for problem in problems] == (
        [(("name",), message)] if message else []
    )


@pytest.mark.parametrize("name", sorted(os.listdir(FORMATS)))
def test_the_published_schema_is_valid_named_and_described(name: str) -> None:
    with open(os.path.join(FORMATS, name), encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)

    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:issue-pipeline:{name.removesuffix('.schema.json')}:1"
    assert all(schema[key].strip() for key in ("title", "description"))
    assert all(field["description"].strip() for field in schema["properties"].values())


def test_importing_the_lint_does_not_import_jsonschema() -> None:
    code = "import sys, pipeline.agents.lint; print('jsonschema' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout == "False\n"


CONFIGS = {"cursor": ".cursor/hooks.json", "claude": ".claude/settings.json"}


def output(root: Path, client: str, value: Any) -> list[str]:
    """Return what is wrong with a file of hooks."""
    path = root / CONFIGS[client]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    (checked,) = lint_trees(str(root))
    return [problem.line_for("x") for problem in checked.problems]


@pytest.mark.parametrize("client", CONFIGS)
def test_what_is_exported_is_right(tmp_path: Path, client: str) -> None:
    export(hook_files(CLIENTS[client]), str(tmp_path), force=False)

    assert [(each.path, each.format, each.problems) for each in lint_trees(str(tmp_path))] == [
        (CONFIGS[client], f"{client}-hooks", ())
    ]


@pytest.mark.parametrize(
    ("client", "value", "begins"),
    [
        ("cursor", [], "x:1:1: value of the wrong type (expected "),
        ("cursor", {"version": 2, "hooks": {}}, "x:1:13: $.version: value that is not allowed"),
        (
            *("cursor", {"version": 1, "hooks": {"SubagentStart": []}}),
            "x:1:43: $.hooks.SubagentStart: the client has no such event (expected only session",
        ),
        (
            *("cursor", {"version": 1, "hooks": {"stop": [{"timeout": 0, "command": "x"}]}}),
            "x:1:47: $.hooks.stop[0].timeout: value that is not allowed (expected a number of ",
        ),
        (
            *("claude", {"hooks": {"Stop": {}}}),
            "x:1:20: $.hooks.Stop: value of the wrong type (expected an array of",
        ),
        (
            *("claude", {"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}),
            "x:1:50: $.hooks.Stop[0].hooks[0].command: the field is missing (expected a command",
        ),
    ],
)
def test_what_a_client_would_not_run_is_reported(
    tmp_path: Path, client: str, value: Any, begins: str
) -> None:
    (line,) = output(tmp_path, client, value)

    assert line.startswith(begins)


@pytest.mark.parametrize(
    ("path", "text", "ends"),
    [
        (CONFIGS["cursor"], '{"version": 1}', 'Add `"hooks": <value>`.'),
        (
            ".claude/agents/x-a.md",
            "---\nname: x-a\n---\nx",
            "Add the line `description: <value>`.",
        ),
        (
            *(".codex/agents/x-a.toml", "name='a'\ndescription='a'"),
            "Add the line `developer_instructions = <value>`.",
        ),
    ],
)
def test_a_missing_field_is_to_be_added_in_the_syntax_of_its_file(
    tmp_path: Path, path: str, text: str, ends: str
) -> None:
    put(tmp_path, path, text)
    (checked,) = lint_trees(str(tmp_path))

    assert [problem.line_for(path).partition("To do: ")[2] for problem in checked.problems] == [
        ends
    ]


def test_settings_without_hooks_and_events_of_new_versions_are_right(tmp_path: Path) -> None:
    new = {"hooks": {"SomethingNew": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]}}

    assert output(tmp_path, "claude", {"model": "opus"}) == []
    assert output(tmp_path, "claude", new) == []


def test_a_file_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside.json").write_text("{}")
    (tmp_path / "project" / ".cursor").mkdir(parents=True)
    (tmp_path / "project" / ".cursor" / "hooks.json").symlink_to(tmp_path / "outside.json")

    (checked,) = lint_trees(str(tmp_path / "project"))

    assert [problem.message for problem in checked.problems] == [
        "is a link that leads outside the folder, so it is not followed"
    ]


def test_l_a_large_file_of_codex_is_read_in_linear_time() -> None:
    text = TOML + "".join(f"k{number} = 1\n" for number in range(40_000))
    start = time.process_time()
    document = read_toml(text)

    assert time.process_time() - start < 5
    assert document.keys["k39999",] == (40_003, 1)


SLIPS = [
    ("claude", "tools: Raed, Bash", "4:8: $.tools: the client has no such tool", "Write Read"),
    ("claude", "tools: [bash]", "4:8: $.tools: the client has no such tool", "Write Bash"),
    ("claude", "allowed-tools: Read", "4:1: $.allowed-tools: this key is", "Rename allowed-tools"),
    ("claude", "max-turns: 3", "4:1: $.maxTurns: the key is misspelt", "Rename max-turns to"),
    ("gemini", "tools: [raed_file]", "4:8: $.tools: the client has no", "Write read_file"),
    ("gemini", "tool: [glob]", "4:1: $.tools: the key is misspelt", "Rename tool to tools."),
    ("copilot", "tools: [raed]", "4:8: $.tools: the client has no such tool", "Write read"),
    ("qwen", "tools: [edti]", "4:8: $.tools: the client has no such tool", "Write edit"),
    ("opencode", "tools: {bsah: true}", "4:8: $.tools: the client has no such", "Write bash"),
    ("opencode", "modle: a/b", "4:1: $.model: the key is misspelt", "Rename modle to model."),
    ("codex", TOML + "\"modle\" = 'a'", "1:1: $.model: the key is misspelt", "Rename modle"),
    ("cursor", "readOnly: true", "4:1: $.readonly: the key is misspelt", "Rename readOnly to"),
    ("cursor", "allowed-tools: Read", "4:1: $.allowed-tools: this key is not", "Remove allowed-"),
]


@pytest.mark.parametrize(("client", "row", "begins", "action"), SLIPS)
def test_l_a_misspelt_key_or_tool_is_one_problem(
    client: str, row: str, begins: str, action: str
) -> None:
    (line,) = lines(f"{client}-agent", row if client == "codex" else START + row)

    assert line.startswith(f"f:{begins}")
    assert line.partition("To do: ")[2].startswith(action)


@pytest.mark.parametrize(
    ("client", "row"),
    [
        *(("claude", "mode: subagent"), ("claude", "tools: Foo, mcp__a__raed")),
        *(("claude", "version: 1"), ("copilot", "tools: [my-server/raed, usages]")),
        *(("gemini", "tools: [mcp_a_b]"), ("qwen", "author: a")),
    ],
)
def test_l_what_may_be_of_a_newer_version_is_no_slip(client: str, row: str) -> None:
    assert lines(f"{client}-agent", START + row) == []


def test_l_a_misspelt_key_of_a_rule_is_to_be_renamed() -> None:
    (line,) = lines("cursor-rule", "alwaysapply: true\ndescription: a")
    (glob,) = lines("cursor-rule", "glob: *.ts\ndescription: a")

    assert line.endswith('found "alwaysapply"). To do: Rename alwaysapply to alwaysApply.')
    assert glob.endswith('found "glob"). To do: Rename glob to globs.')
