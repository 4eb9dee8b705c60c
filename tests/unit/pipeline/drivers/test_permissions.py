"""Each role may do what its part needs, known by the kind of a call, its files and its command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, get_args

import pytest
from acp.schema import ToolKind

from pipeline.bootstrap import ROOT
from pipeline.drivers.acp.permissions import RULES, Call, call_of, chosen, refusal
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
VALIDATOR = f"python3 {ROOT}/pipeline/schema.py --profile exercise --validate {ARTIFACT}"


def allowed(root: Path, rights: dict[str, Any], kind: str, *paths: str, command: str = "") -> bool:
    return not refusal(a_turn(root, **rights), Call(kind=kind, paths=paths, command=command))


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

    assert allowed(root, PROJECT, "edit", "app/out/a.js") is False
    assert allowed(root, PROJECT, "edit", "app/hidden/config") is False
    assert allowed(root, PROJECT, "edit", "app/in/a.js") is True


def test_an_artifact_that_would_be_written_through_a_link_is_refused(
    root: Path, tmp_path: Path
) -> None:
    (root / "app/.pipeline").symlink_to(tmp_path)

    assert allowed(root, ONLY_ARTIFACT, "edit", ARTIFACT) is False


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


@pytest.mark.parametrize(
    ("command", "looking", "working"),
    [
        ("git diff --stat main", True, True),
        ("git log -3 --oneline", True, True),
        ("npm test", True, True),
        (VALIDATOR, True, True),
        ("python3 other/schema.py --validate x", False, True),
        ("python3", False, True),
        ("npm install left-pad", False, True),
        ("npm test && rm -rf .", False, True),
        ("npm test; id", False, True),
        ("npm test $(id)", False, True),
        ("npm test\nid", False, True),
        ("git diff --output=app/a.js", False, True),
        ("git -c core.pager=id diff", False, True),
        ("git diff 'unfinished", False, True),
        ("node --test app/test", True, True),
        ("git commit -m 'feat: x'", False, False),
        ("git -C app push origin main", False, False),
        ("cd app && git checkout -b mine", False, False),
        ("git -c user.name=x commit", False, False),
        ("gh pr create", False, False),
        ("git log --grep commit", True, True),
        ("git diff -- src/push.js", True, True),
    ],
)
def test_a_role_that_looks_runs_a_few_commands_and_a_worker_all_but_those_that_publish(
    root: Path,
    command: str,
    looking: bool,  # noqa: FBT001  # a column of the table
    working: bool,  # noqa: FBT001
) -> None:
    found = [
        allowed(root, rights, "execute", command=command)
        for rights in (NOTHING, ONLY_ARTIFACT, PROJECT)
    ]

    assert found == [looking, looking, working]


def test_a_worker_whose_client_tells_the_command_in_the_title_alone_is_held_to_it(
    root: Path,
) -> None:
    call = Call(kind="execute", title="git push")

    assert refusal(a_turn(root), call) == "`git push` is not the worker's to run"
    assert refusal(a_turn(root, **NOTHING), Call(kind="execute", title="npm test")) != ""


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
    ("given", "command"),
    [
        ("npm test", "npm test"),
        (["npm", "test"], "npm test"),
        (["bash", "-lc", "npm test"], "npm test"),
        ([7], ""),
        (None, ""),
    ],
)
def test_a_command_is_a_text_or_words(given: Any, command: str) -> None:
    assert call_of({"kind": "execute", "rawInput": {"command": given}}).command == command


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


def test_an_option_is_chosen_by_its_kind_whatever_its_id_and_name_say() -> None:
    assert chosen(OPTIONS, allow=True) == "p1"
    assert chosen(OPTIONS, allow=False) == "cancel"


def test_nothing_is_allowed_for_always_and_a_refusal_for_always_will_do() -> None:
    assert chosen(OPTIONS[1:3], allow=True) is None
    assert chosen(OPTIONS[1:3], allow=False) == "no-never"


def asking(kind: str, path: str, options: list[dict[str, str]]) -> dict[str, Any]:
    call = {"toolCallId": "7", "kind": kind, "title": "Write", "locations": [{"path": path}]}
    return {"permission": {"toolCall": call, "options": options}}


def test_a_client_gets_its_answers_over_the_protocol(client: ScriptedClient, root: Path) -> None:
    turn = [
        asking("edit", str(root / "app/a.js"), OPTIONS),
        asking("edit", str(root / "README.md"), OPTIONS),
        asking("edit", str(root / "README.md"), OPTIONS[2:]),
    ]
    driver = client.driver({"turns": [turn]})
    reply = driver.take(a_turn(root), client.told.append)
    answers = reply.text.replace("}{", "}\n{").splitlines()

    assert [json.loads(each)["outcome"] for each in answers] == [
        {"outcome": "selected", "optionId": "p1"},
        {"outcome": "selected", "optionId": "cancel"},
        {"outcome": "cancelled"},
    ]
    assert client.told[0] == "Write"
    assert client.told[1].startswith(f"refused: Write ({root}/README.md"[:40])


def test_a_question_about_another_session_than_the_turns_is_refused(
    client: ScriptedClient, root: Path
) -> None:
    question = asking("edit", str(root / "app/a.js"), OPTIONS)
    question["permission"]["sessionId"] = "session-0"
    reply = client.driver({"turns": [[question]]}).take(a_turn(root), client.told.append)

    assert json.loads(reply.text)["outcome"]["optionId"] == "cancel"
    assert client.told == ["refused: Write (no turn is being taken)"]
