"""What each role's agent sees and changes in its jail, with real programs in a real repository."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.drivers.base import Allowed
from pipeline.drivers.command import CommandDriver
from pipeline.drivers.mounts import checked_paths, prefix_of, seen_tools, toolchains
from pipeline.terminal.fault import Fault
from tests.jails import needs_jail
from tests.stubs.repositories import UserRepository
from tests.stubs.scripted_client import ScriptedClient, a_turn

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_jail
ROLES: dict[str, dict[str, Any]] = {
    "x-planner": {"writes": "artifact", "artifact": "app/.pipeline/ISSUE-7/plan.json"},
    "x-worker": {},
    "x-reviewer": {"writes": "nothing", "artifact": ""},
}


@pytest.fixture
def user(root: Path) -> UserRepository:
    """Return a repository with a project, another one, and artifacts of two issues."""
    user = UserRepository(root)
    for path in ("app/src/a.js", "other/b.js", "README.md"):
        user.write(path, f"// {path}\n")
    user.commit("chore: begin")
    user.git("config", "remote.origin.url", "https://me:secret@example.org/x.git")
    for path in ("ISSUE-7/plan.json", "ISSUE-7/run.json", "ISSUE-8/plan.json"):
        user.write(f"app/.pipeline/{path}", "{}\n")
    return user


def said(root: Path, script: str, allowed: Allowed | None = None, **changes: Any) -> list[str]:
    """Return the lines that a shell script prints as the agent of a turn."""
    command = CommandDriver("sh {prompt_file}", seconds=30, allowed=allowed or Allowed())
    turn = a_turn(root, prompt=f"exec 2>&1\n{script}\n", **changes)
    return command.take(turn, ScriptedClient(root, root).tell).text.splitlines()


@pytest.mark.parametrize(
    ("role", "written"),
    [
        (
            "x-planner",
            [
                "app/.pipeline/ISSUE-7/plan.json",
                "app/.pipeline/ISSUE-7/worker-result.json",  # compared after the turn
                "app/.pipeline/ISSUE-7/new",
            ],
        ),
        (
            "x-worker",
            [
                "app/src/a.js",
                "app/new",
                "app/.pipeline/ISSUE-7/worker-result.json",
                "app/.pipeline/ISSUE-7/new",
            ],
        ),
        ("x-reviewer", []),
    ],
)
def test_a_role_writes_its_artifact_and_a_worker_the_target_project(
    user: UserRepository, role: str, written: list[str]
) -> None:
    paths = [
        *("app/src/a.js", "app/new", "other/b.js", "README.md", "new"),
        *("app/.pipeline/ISSUE-7/plan.json", "app/.pipeline/ISSUE-7/run.json"),
        *("app/.pipeline/ISSUE-7/worker-result.json", "app/.pipeline/ISSUE-7/new"),
        *("app/.pipeline/ISSUE-8/plan.json", "app/.pipeline/ISSUE-9"),
    ]
    loop = f"for path in {' '.join(paths)}; do"
    script = f'{loop} (echo x > "$path") 2>/dev/null && echo "$path"; done; true'

    assert said(user.folder, script, **ROLES[role]) == written
    found = [path for path in paths if is_written(user.folder / path)]
    assert found == written


def is_written(path: Path) -> bool:
    return path.is_file() and path.read_text("utf-8") == "x\n"


@pytest.mark.parametrize("role", sorted(ROLES))
def test_git_answers_from_a_copy_that_leads_to_no_setting_of_the_user(
    user: UserRepository, role: str
) -> None:
    user.write("app/src/a.js", "changed\n")
    user.git("branch", "feature/other")
    before = {path: path.read_bytes() for path in user.folder.glob(".git/*") if path.is_file()}
    script = """
git status --porcelain
git log --format=%s
git branch --format='%(refname:short)'
git config remote.origin.url || echo none
git config core.hooksPath /evil && git tag evil && git branch evil && rm -rf .git/refs
git update-ref refs/heads/main 0000000000000000000000000000000000000001 2>/dev/null || true
"""

    assert said(user.folder, script, **ROLES[role]) == [
        *("M app/src/a.js", "?? app/.pipeline/", "chore: begin", "feature/other", "main", "none"),
    ]
    after = {path: path.read_bytes() for path in user.folder.glob(".git/*") if path.is_file()}
    assert after == before
    assert user.branches() == ["feature/other", "main"]


def test_a_work_tree_of_its_own_has_a_copy_too(user: UserRepository, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    user.git("worktree", "add", "--quiet", str(tree), "-b", "feature/tree")
    script = "git branch --show-current; git status --porcelain; ls .git/config; cat .git"

    assert said(tree, script) == [
        "feature/tree",
        "ls: cannot access '.git/config': Not a directory",
        "gitdir: /run/git",
    ]


def test_the_home_and_the_environment_are_empty_but_for_what_is_allowed(
    user: UserRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("home", "shown", "filled"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(f"{name}\n", "utf-8")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("AWS_SECRET", "1")
    script = f"""
ls -A ~; echo $AWS_SECRET | grep .; cat {tmp_path}/shown/file {tmp_path}/filled/file
echo x > {tmp_path}/filled/file; echo x > {tmp_path}/shown/file; true
"""
    allowed = Allowed(reads=[str(tmp_path / "shown")], writes=[str(tmp_path / "filled")])
    nothing = f"cat: {tmp_path}/shown/file: No such file or directory"

    assert said(user.folder, script)[0] == nothing
    lines = said(user.folder, script, allowed)
    assert lines[:2] == ["shown", "filled"]
    assert lines[2].endswith(f"cannot create {tmp_path}/shown/file: Read-only file system")
    assert [(tmp_path / name / "file").read_text("utf-8") for name in ("shown", "filled")] == [
        *("shown\n", "x\n")
    ]


def test_the_programs_of_a_version_manager_run_and_its_registry_keys_are_empty(
    user: UserRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = tmp_path / "home" / ".manager"
    for name in ("shims", "versions/3/bin", "versions/3/lib"):
        (manager / name).mkdir(parents=True)
    (manager / "versions/3/lib/text").write_text("it runs\n", "utf-8")
    (manager / "credentials").write_text("key\n", "utf-8")
    (manager / "versions/3/bin/tool").write_text(f"#!/bin/sh\ncat {manager}/versions/3/lib/text\n")
    (manager / "shims/tool").write_text(f"#!/bin/sh\nexec {manager}/versions/3/bin/tool\n")
    for name in ("versions/3/bin/tool", "shims/tool"):
        (manager / name).chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{manager}/shims:{os.environ['PATH']}")

    assert said(user.folder, f"tool; cat {manager}/credentials; true")[0] == "it runs"
    assert "key" not in said(user.folder, f"cat {manager}/credentials; true")


@pytest.mark.parametrize(
    ("program", "prefix"),
    [
        ("/home/ann/.nvm/versions/node/v22/bin/node", "/home/ann/.nvm/versions/node/v22"),
        ("/home/ann/.pyenv/shims/python", "/home/ann/.pyenv"),
        ("/home/ann/.local/bin/agent", "/home/ann/.local/bin"),
        ("/home/ann/bin/agent", "/home/ann/bin"),
        ("/home/ann/agent", "/home/ann/agent"),
        ("/home/ann/.local/share/claude/versions/2.1", "/home/ann/.local/share/claude/versions"),
        ("/home/bin/x", "/home/bin"),
        ("/srv/bin/x", "/srv/bin"),
        ("/agent", "/agent"),
        ("/opt/node/lib/node_modules/x/node_modules/y/bin/y.js", "/opt/node/lib/node_modules"),
    ],
)
def test_a_prefix_is_what_an_installation_fills_and_never_the_home(
    program: str, prefix: str
) -> None:
    assert prefix_of(program, "/home/ann") == prefix


def test_only_what_lies_outside_the_system_is_a_toolchain(tmp_path: Path) -> None:
    for name in ("opt/node/bin", "bin"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "opt/node/bin/node").write_text("x")
    (tmp_path / "bin/node").symlink_to("../opt/node/bin/node")
    path = f"/usr/bin:{tmp_path}/bin:relative:{tmp_path}/missing"

    assert toolchains(path, str(tmp_path)) == [f"{tmp_path}/bin", f"{tmp_path}/opt/node"]


@pytest.mark.parametrize(
    ("link", "said_of_it"),
    [
        ("app/.pipeline/ISSUE-7", "app/.pipeline/ISSUE-7: is behind a link (expected a folder)"),
        ("app/.pipeline", "app/.pipeline/ISSUE-7: is behind a link (expected a folder)"),
        (".git", ".git: is a link (expected a git directory)"),
    ],
)
def test_a_link_in_the_place_of_a_folder_is_refused_in_words(
    user: UserRepository, tmp_path: Path, link: str, said_of_it: str
) -> None:
    place, elsewhere = user.folder / link, tmp_path / "elsewhere"
    place.rename(elsewhere)
    place.symlink_to(elsewhere)
    with pytest.raises(Fault) as fault:
        said(user.folder, "true")

    assert str(fault.value) == f"{user.folder}/{said_of_it}"


def test_offline_no_port_of_this_machine_answers(user: UserRepository) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f"bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port} && echo open'; true"

        assert said(user.folder, script, Allowed(offline=True)) != ["open"]
        assert said(user.folder, script) == ["open"]


def test_what_is_allowed_must_exist(tmp_path: Path) -> None:
    assert checked_paths("--allow-read", [str(tmp_path)]) == [str(tmp_path)]
    with pytest.raises(Fault) as fault:
        checked_paths("--allow-read", [f"{tmp_path}/x"])

    assert str(fault.value) == f"--allow-read {tmp_path}/x: does not exist"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with a secret in each place."""
    home = tmp_path / "ann"
    for name in (".ssh/id", "Documents/letter", ".docker/config.json", ".docker/bin/docker"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("secret\n", "utf-8")
    (home / ".docker/config.json").chmod(0o600)
    monkeypatch.setenv("HOME", str(home))
    return home


def program(path: Path, text: str = 'exec sh "$1"') -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    path.chmod(0o755)
    return path


SEARCH = "grep -r secret ~ / --include=id --include=letter --include=config.json -s -l; true"


@pytest.mark.parametrize("place", ["agent", "Documents/agent", "bin/agent", ".local/bin/agent"])
def test_wherever_a_program_lies_in_the_home_nothing_else_of_the_home_is_seen(
    user: UserRepository, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    agent = program(home / place)
    (tmp_path / "links").mkdir()
    (tmp_path / "links/agent").symlink_to(agent)
    monkeypatch.setenv("PATH", f"{home}/.docker/bin:{os.environ['PATH']}")
    search = SEARCH.replace("~ /", str(home))
    turn = a_turn(user.folder, prompt=search)
    command = CommandDriver(f"{agent} {{prompt_file}}", seconds=30, allowed=Allowed())
    tell = ScriptedClient(user.folder, user.folder).tell
    at_its_place = command.take(turn, tell).text
    monkeypatch.setenv("PATH", f"{tmp_path}/links:{os.environ['PATH']}")

    # a folder of documents is seen with the program that the user names in it
    assert at_its_place in ("", f"{home}/Documents/letter" * place.startswith("Documents"))
    assert said(user.folder, search) == []


def test_a_home_behind_a_link_is_a_home(
    user: UserRepository, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(home / "bin/tool")
    (home / "bin/link").symlink_to("tool")
    (tmp_path / "link").symlink_to(home)
    monkeypatch.setenv("HOME", str(tmp_path / "link"))
    monkeypatch.setenv("PATH", f"{tmp_path}/link/bin:{os.environ['PATH']}")

    assert said(user.folder, f"cat {home}/.ssh/id; true") == [
        f"cat: {home}/.ssh/id: No such file or directory"
    ]


def test_a_repository_that_has_the_home_in_it_is_refused(
    user: UserRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(user.folder / "app"))
    with pytest.raises(Fault) as fault:
        said(user.folder, "true")

    assert str(fault.value) == f"{user.folder}: has your home in it, which no agent may see"


def test_a_project_may_have_credentials_and_its_own_toolchain_is_written(
    user: UserRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    user.write("credentials/example.txt", "an example\n")
    user.write("app/.venv/bin/tool")
    monkeypatch.setenv("PATH", f"{user.folder}/app/.venv/bin:{os.environ['PATH']}")

    assert said(user.folder, "cat credentials/*; echo x > app/.venv/new && echo written") == [
        *("an example", "written")
    ]


def test_folders_nested_deeper_than_python_follows_are_removed(
    user: UserRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    nest = 'python3 -c \'import os\nfor _ in range(1200): os.mkdir("d"); os.chdir("d")\''

    assert said(user.folder, f"cd .git && {nest}; chmod 0 .; echo done") == ["done"]
    assert os.listdir(tmp_path / "scratch") == []


def test_a_submodule_cannot_be_made_a_repository_with_other_settings(user: UserRepository) -> None:
    other = UserRepository(user.folder.parent / "sub")
    other.commit("chore: begin", x="x\n")
    allow = ("-c", "protocol.file.allow=always")
    user.git(*allow, "submodule", "--quiet", "add", str(other.folder), "app/sub")
    user.commit()
    trap = f"rm -rf .git; git init -q; git config core.fsmonitor 'echo > {user.folder.parent}/ran'"
    lines = said(user.folder, f"cd app/sub; {trap}; true")
    user.repository.status()
    # where no jail was in the way
    (user.folder / "app/sub/.git").unlink()
    made = UserRepository(user.folder / "app/sub")
    made.commit("chore: begin")
    made.git("config", "core.fsmonitor", f"echo > {user.folder.parent}/ran; false")
    user.repository.status()

    assert lines[0].startswith("rm: cannot remove '.git'")
    assert not (user.folder.parent / "ran").exists()


def test_a_script_that_the_users_command_names_is_seen_with_what_is_beside_it(
    user: UserRepository, tmp_path: Path
) -> None:
    for name in ("agent/run.sh", "agent/lib.sh", "other/x"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("echo beside\n", "utf-8")
    (tmp_path / "agent/run.sh").write_text(f". {tmp_path}/agent/lib.sh; ls {tmp_path}/other 2>&1\n")
    command = CommandDriver(f"sh {tmp_path}/agent/run.sh", seconds=30, allowed=Allowed())
    with pytest.raises(Fault) as fault:
        command.take(a_turn(user.folder), ScriptedClient(user.folder, user.folder).tell)

    assert "exit code 2: beside" in str(fault.value)
    assert f"cannot access '{tmp_path}/other'" in str(fault.value)


def test_p2_a_linked_environment_of_the_course_is_seen_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mount over the link would lead out of the jail's own folders, and the jail not start."""
    shared, course = tmp_path / "shared", tmp_path / "course"
    (shared / "bin").mkdir(parents=True)
    (shared / "bin" / "python").touch(mode=0o755)
    course.mkdir()
    (course / ".venv").symlink_to(shared)
    monkeypatch.setattr("pipeline.drivers.mounts.ROOT", str(course))
    tools, _ = seen_tools(str(tmp_path / "project"), {"PATH": ""}, str(tmp_path))

    assert str(shared) in tools
    assert str(course / ".venv") not in tools
