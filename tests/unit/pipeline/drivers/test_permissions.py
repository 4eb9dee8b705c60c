"""Each role may do what its part needs, known by the kind of a call, its files and its command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, get_args

import pytest
from acp.schema import ToolKind

from pipeline.agents.clients import CLIENTS
from pipeline.drivers.acp.permissions import RULES, Call, call_of, why_not
from pipeline.drivers.base import Reply
from pipeline.terminal.fault import Fault
from tests.stubs.scripted_client import a_turn

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stubs.scripted_client import ScriptedClient

ARTIFACT = "app/.pipeline/ISSUE-7/worker-result.json"
NOTHING, ONLY_ARTIFACT, PROJECT = (
    {"writes": "nothing", "artifact": ""},
    {"writes": "artifact"},
    {"writes": "project"},
)


def allowed(root: Path, rights: dict[str, Any], kind: str, *paths: str, command: str = "") -> bool:
    return not why_not(a_turn(root, **rights), Call(kind=kind, paths=paths, command=command))


def test_every_kind_of_the_protocol_has_a_rule() -> None:
    assert sorted(RULES) == sorted(get_args(ToolKind))


@pytest.mark.parametrize(
    ("path", "nothing", "artifact", "project"),
    [
        ("app/src/a.js", False, False, True),
        ("app/new/deep/a.js", False, False, True),
        (ARTIFACT, False, True, True),
        ("app/../app/src/a.js", False, False, True),
        ("app", False, False, False),
        ("README.md", False, False, False),
        ("app/../README.md", False, False, False),
        ("../elsewhere.txt", False, False, False),
        ("/etc/passwd", False, False, False),
        ("app/.pipeline/ISSUE-7/plan.json", False, False, False),
        ("app/.pipeline/ISSUE-8/worker-result.json", False, False, False),
        ("app/.Pipeline/ISSUE-7/plan.json", False, False, False),
        ("app/.git/config", False, False, False),
        ("app/vendored/.GIT/hooks/pre-commit", False, False, False),
        (".git/hooks/pre-commit", False, False, False),
        ("app/sub/.git./config", False, False, False),
        ("app/sub/.git /config", False, False, False),
        ("app/sub/.Git::$INDEX_ALLOCATION/config", False, False, False),
        ("app/sub/GIT~1/config", False, False, False),
        ("app/sub/.g\u200cit/config", False, False, False),
        ("app/.pipeline./ISSUE-7/plan.json", False, False, False),
        ("app/.github/workflows/ci.yml", False, False, True),
        ("app/.gitignore", False, False, True),
        ("application/a.js", False, False, False),
        ("app/a\0.js", False, False, False),
    ],
)
def test_a_role_writes_what_it_may_and_nothing_else(
    root: Path,
    path: str,
    nothing: bool,  # noqa: FBT001  # a column of the table
    artifact: bool,  # noqa: FBT001
    project: bool,  # noqa: FBT001
) -> None:
    found = [
        [allowed(root, rights, kind, path) for rights in (NOTHING, ONLY_ARTIFACT, PROJECT)]
        for kind in ("edit", "delete", "move")
    ]

    assert found == [[nothing, artifact, project]] * 3


def test_every_file_of_a_call_must_be_one_that_the_role_may_write(root: Path) -> None:
    assert allowed(root, PROJECT, "move", "app/a.js", "app/b.js") is True
    assert allowed(root, PROJECT, "move", "app/a.js", "b.js") is False
    assert allowed(root, PROJECT, "edit") is False


def test_a_link_is_where_it_leads_to(root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / "app/out").symlink_to(tmp_path / "elsewhere")
    (root / "app/in").symlink_to(root / "app", target_is_directory=True)
    (root / ".git").mkdir()
    (root / "app/hidden").symlink_to(root / ".git")
    (root / "app/.pipeline").symlink_to(tmp_path)

    assert allowed(root, ONLY_ARTIFACT, "edit", ARTIFACT) is False
    assert allowed(root, PROJECT, "edit", "app/out/a.js") is False
    assert allowed(root, PROJECT, "edit", "app/hidden/config") is False
    assert allowed(root, PROJECT, "edit", "app/in/a.js") is True


def test_in_a_project_at_the_root_the_artifacts_of_others_and_git_are_kept_apart(
    root: Path,
) -> None:
    rights = {"target": ".", "artifact": ".pipeline/ISSUE-7/worker-result.json"}

    assert allowed(root, rights, "edit", "src/a.js") is True
    assert allowed(root, rights, "edit", ".pipeline/ISSUE-7/worker-result.json") is True
    assert allowed(root, rights, "edit", ".pipeline/ISSUE-7/plan.json") is False
    assert allowed(root, rights, "edit", ".git/config") is False


@pytest.mark.parametrize("kind", ["read", "search"])
def test_every_role_reads_the_repository_and_not_the_machine(root: Path, kind: str) -> None:
    assert allowed(root, NOTHING, kind, "README.md", str(root / "app/a.js")) is True
    assert allowed(root, NOTHING, kind) is True
    assert allowed(root, PROJECT, kind, "README.md", "/etc/passwd") is False


def test_no_role_reaches_out_or_changes_its_mode_and_every_role_thinks(root: Path) -> None:
    found = {kind: allowed(root, PROJECT, kind) for kind in ("fetch", "switch_mode", "think")}

    assert found == {"fetch": False, "switch_mode": False, "think": True}


def test_an_unknown_tool_is_a_dispatch_where_one_is_expected(root: Path) -> None:
    planner = {"role": "x-planner", "delegate": "x-worker"}

    assert allowed(root, PROJECT, "other") is False
    assert allowed(root, planner, "other") is True
    assert allowed(root, planner, "other", "app/a.js") is False
    assert allowed(root, planner, "other", command="npm test") is False


def test_p2_a_call_that_runs_a_command_is_judged_by_it_whatever_its_kind(root: Path) -> None:
    def allowed_as(kind: str, command: str) -> bool:
        return allowed(root, PROJECT, kind, "app/a.js", command=command)

    kinds = ("read", "search", "edit", "think")

    assert [allowed_as(kind, "cat app/a.js") for kind in kinds] == [True] * 4
    assert [allowed_as(kind, "cat app/a.js; id") for kind in kinds] == [False] * 4
    assert [allowed_as(kind, "git push") for kind in kinds] == [False] * 4
    assert allowed_as("fetch", "git status") is False
    assert allowed_as("edit", "str_replace") is True  # what an editing tool does
    assert allowed_as("execute", "view") is False


def test_p2_the_title_of_a_call_is_not_its_command(root: Path) -> None:
    call = call_of({"kind": "execute", "title": "git status"})

    assert why_not(a_turn(root), call) == ("the client does not say which command it would run")


def test_p2_a_client_whose_titles_are_whole_commands_is_judged_by_them(root: Path) -> None:
    def found(kind: str, title: str) -> str:
        return why_not(a_turn(root), call_of({"kind": kind, "title": title}), titled=True)

    assert found("execute", "git status") == ""
    assert found("execute", "git status; id").startswith("a command must be plain words")
    assert found("execute", "") == "the client does not say which command it would run"
    assert found("read", "README.md; id") == ""
    assert [name for name, client in CLIENTS.items() if client.titled] == ["gemini"]


def test_a_file_of_git_is_not_read(root: Path) -> None:
    (root / ".git").mkdir()
    (root / "config").symlink_to(root / ".git/config")

    assert [
        allowed(root, PROJECT, "read", path) for path in (".git/config", "app/.GIT/x", "config")
    ] == [False] * 3
    assert why_not(a_turn(root), Call(kind="read", paths=(".git/config",))) == (
        ".git/config is outside the repository, or in .git"
    )


def test_a_call_is_what_all_messages_about_it_tell() -> None:
    first = {
        "kind": "edit",
        "title": "Write",
        "rawInput": {"file_path": "/r/a.js", "content": "x"},
        "locations": [{"path": "/r/a.js", "line": 1}],
    }
    later = {
        "title": None,
        "content": [{"type": "diff", "path": "a.js"}, {"type": "content"}],
        "locations": [{"path": "/r/b.js"}, 7],
    }

    assert call_of(first, later) == Call(kind="edit", title="Write", paths=("/r/a.js", "/r/b.js"))


@pytest.mark.parametrize(
    ("raw", "command"),
    [
        ({"command": "npm test"}, "npm test"),
        ({"command": ["npm", "test"]}, "npm test"),
        ({"command": ["bash", "-lc", "npm test"]}, "npm test"),
        ({"command": ["/bin/sh", "-c", "npm test"]}, "npm test"),
        ({"command": ["./bash", "-c", "npm test"]}, "./bash -c 'npm test'"),
        ({"command": ["app/crash", "-c", "npm test"]}, "app/crash -c 'npm test'"),
        ({"command": ["git", "-c", "ls", "push"]}, "git -c ls push"),
        ({"command": ["cat", "a; b"]}, "cat 'a; b'"),
        ({"command": "cat", "args": ["/etc/passwd"]}, "cat /etc/passwd"),
        ({"command": "sh", "args": ["-c", "id"]}, "id"),
        ({"command": "npm test", "env": {"PATH": "app"}}, "env 'npm test'"),
        ({"command": [7]}, "7"),
        ({"command": None}, ""),
    ],
)
def test_a_command_is_a_text_or_words(raw: dict[str, Any], command: str) -> None:
    assert call_of({"kind": "execute", "rawInput": raw}).command == command


@pytest.mark.parametrize(
    "message",
    [{}, {"kind": 7, "title": [], "locations": 7, "content": "x", "rawInput": []}, {"kind": "new"}],
)
def test_a_call_that_says_nothing_is_one_of_another_kind(message: dict[str, Any]) -> None:
    assert call_of(message) == Call(kind="other")


OPTIONS = [
    {"optionId": "cancel", "kind": "reject_once", "name": "Allow once"},
    {"optionId": "no-never", "kind": "reject_always", "name": "No"},
    {"optionId": "reject", "kind": "allow_always", "name": "Always"},
    {"optionId": "p1", "kind": "allow_once", "name": "Reject"},
]


def asking(kind: str, path: str, options: list[dict[str, str]]) -> dict[str, Any]:
    call = {"toolCallId": "7", "kind": kind, "title": "Write", "locations": [{"path": path}]}
    return {"permission": {"toolCall": call, "options": options}}


def test_an_option_is_chosen_by_its_kind_and_nothing_is_allowed_permanently(
    client: ScriptedClient, root: Path
) -> None:
    own, others = str(root / "app/a.js"), str(root / "README.md")
    turn = [
        asking("edit", own, OPTIONS),
        asking("edit", others, OPTIONS),
        asking("edit", own, OPTIONS[1:3]),
        asking("edit", others, OPTIONS[1:3]),
        asking("edit", others, OPTIONS[2:]),
    ]
    reply = client.taken({"turns": [turn]})
    answers = reply.text.replace("}{", "}\n{").splitlines()

    assert [json.loads(each)["outcome"] for each in answers] == [
        {"outcome": "selected", "optionId": "p1"},
        {"outcome": "selected", "optionId": "cancel"},
        {"outcome": "cancelled"},
        {"outcome": "selected", "optionId": "no-never"},
        {"outcome": "cancelled"},
    ]
    assert client.messages[0] == "Write"
    assert client.messages[1].startswith(f"refused: Write ({root}/README.md"[:40])


def test_a_question_about_another_session_than_the_turns_is_refused(client: ScriptedClient) -> None:
    question = asking("edit", str(client.root / "app/a.js"), OPTIONS)
    question["permission"]["sessionId"] = "session-0"
    reply = client.taken({"turns": [[question]]})

    assert json.loads(reply.text)["outcome"]["optionId"] == "cancel"
    assert client.messages == ["refused: Write (no turn is running)"]


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("terminal/create", {"command": "git", "args": ["status"]}),
        ("fs/read_text_file", {"path": "README.md"}),
        ("fs/write_text_file", {"path": "app/a.js", "content": "x"}),
    ],
)
def test_p2_the_driver_runs_no_command_and_touches_no_file_for_a_client(
    client: ScriptedClient, method: str, params: dict[str, Any]
) -> None:
    request = {"method": method, "params": {"sessionId": "session-1", **params}}
    reply = client.taken({"turns": [[{"request": request}]]})

    assert json.loads(reply.text)["code"] == -32601  # JSON-RPC: method not found
    assert list(client.root.rglob("*.*")) == []


def refused_silently() -> dict[str, Any]:
    question = asking("edit", "README.md", OPTIONS)
    question["permission"]["silent"] = True
    return question


@pytest.mark.parametrize("stop", ["end_turn", "cancelled"])
def test_p2_a_turn_that_ends_with_a_refusal_continues_with_its_reason(
    client: ScriptedClient, stop: str
) -> None:
    turns = [[refused_silently(), {"stop": stop}], [{"say": "Done without it."}]]
    reply = client.taken({"turns": turns})
    allowed = "app/.pipeline/ISSUE-7/worker-result.json and the target project's own files"
    refusal_ = f"Write (README.md is not a file that this role may write (only {allowed}))"
    prompts = [each["prompt"][0]["text"] for each in client.heard("session/prompt")]

    assert reply == Reply(text="Done without it.")
    assert client.messages == [f"refused: {refusal_}"]
    assert prompts[1:] == [
        f"This was refused: {refusal_}. Do not try it again. Continue your task without it."
    ]


def test_an_agent_that_only_repeats_what_is_refused_gets_three_more_prompts(
    client: ScriptedClient,
) -> None:
    driver = client.driver({"turns": [[refused_silently(), {"stop": "cancelled"}]]})
    with pytest.raises(Fault, match="was cancelled"):
        driver.take(a_turn(client.root), client.tell)

    assert len(client.heard("session/prompt")) == 4
