"""Commands in the jail: what a worker needs runs, and nothing outside is changed or read."""

from __future__ import annotations

import random
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT
from pipeline.drivers.base import Allowed
from pipeline.drivers.command import CommandDriver
from tests.jails import needs_jail
from tests.stubs.repositories import UserRepository
from tests.stubs.scripted_client import a_turn
from tests.unit.pipeline.drivers.test_commands import SEEN_TO_ESCAPE

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = needs_jail
SECONDS = 20  # for a command: some of those that were seen to escape wait for something
SECRET = "S3CRET"  # noqa: S105  # what no command may print
ROLES: dict[str, dict[str, Any]] = {
    "x-worker": {},
    "x-planner": {"writes": "artifact", "artifact": "app/.pipeline/ISSUE-7/plan.json"},
    "x-reviewer": {"writes": "nothing", "artifact": ""},
}
FILES = {
    "app/package.json": '{"name": "app", "version": "1.0.0", "scripts": {"test": "node --test",'
    ' "build": "echo built > dist.txt", "lint": "node -e 1"}}',
    "app/package-lock.json": '{"name": "app", "version": "1.0.0", "lockfileVersion": 3,'
    ' "requires": true, "packages": {"": {"name": "app", "version": "1.0.0"}}}',
    "app/src/a.js": "module.exports = (a) => a + 1;\n",
    "app/test/a.test.js": "require('node:test')('x', () => {});\n",
    "app/test_a.py": "def test_a():\n    assert 1 + 1 == 2\n",
    "app/Makefile": "all:\n\techo made > out.txt\ntest:\n\tpython3 -m unittest -q\n",
    "app/main.c": "int main(void) { return 0; }\n",
    "app/.gitignore": "node_modules\n*.pyc\n",
    "other/b.js": "// other\n",
}


def needed() -> list[str]:
    """Return the commands that a worker needs, of the programs that are on this machine."""
    text = Path(__file__).with_name("needed_commands.txt").read_text("utf-8")
    words = {"PY ": f"{sys.executable} ", "SCHEMA": f"{ROOT}/pipeline/schema.py"}
    commands: list[str] = []
    lines = iter(text.splitlines()[1:])
    for line in lines:
        command = line
        while "<<'EOF'" in command and not command.endswith("\nEOF"):
            command += f"\n{next(lines)}"
        for short, long in words.items():
            command = command.replace(short, long)
        if shutil.which(command.split()[0]) or command.startswith((".", "command", "ulimit")):
            commands.append(command)
    return commands


def failures(root: Path, commands: list[str], **changes: Any) -> tuple[dict[str, str], str]:
    """Return the commands that fail, with their last words, and all that was printed."""
    run = "".join(
        f"cat > /tmp/command <<'END OF COMMAND'\n{command}\nEND OF COMMAND\n"
        f"(timeout {SECONDS} sh /tmp/command) </dev/null 2>&1 | tail -c 300; code=$?\n"
        f"echo; echo CODE {number} $code\n"
        for number, command in enumerate(commands)
    )
    script = f"cd {root}/app; set -o pipefail\n{run}"
    driver = CommandDriver("bash {prompt_file}", seconds=300, allowed=Allowed())
    said = driver.take(a_turn(root, prompt=script, **changes), lambda *_a, **_k: None).text
    found, last = {}, ""
    for line in said.splitlines():
        if line.startswith("CODE "):
            _, number, code = line.split()
            found.update({commands[int(number)]: last} if code != "0" else {})
            last = ""
        elif line.strip():
            last = line
    return found, said


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UserRepository:
    """Return a repository, in a home with something to be read."""
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh/id_ed25519").write_text(SECRET, "utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    user = UserRepository(tmp_path / "repository")
    for path, text in FILES.items():
        user.write(path, text)
    user.commit()
    user.git("config", "remote.origin.url", f"https://me:{SECRET}@example.org/x.git")
    return user


def outside(user: UserRepository) -> dict[str, bytes]:
    """Return all files but those of the target project."""
    top = user.folder.parent
    return {
        str(path): path.read_bytes()
        for path in top.rglob("*")
        if path.is_file() and user.folder / "app" not in path.parents
    }


@pytest.mark.slow
def test_p2_every_command_that_a_worker_needs_runs_and_changes_nothing_outside(
    user: UserRepository,
) -> None:
    before = outside(user)
    failed, said = failures(user.folder, needed())

    assert failed == {}
    assert (outside(user), SECRET in said) == (before, False)


@pytest.mark.slow
@pytest.mark.figure
@pytest.mark.parametrize("role", ROLES)
def test_p2_what_was_seen_to_escape_from_a_list_of_commands_does_nothing_outside(
    user: UserRepository, role: str, how_many: Callable[[int, int], int]
) -> None:
    before = outside(user)
    known = [*map(str.strip, SEEN_TO_ESCAPE), *(needed() if role != "x-worker" else [])]
    commands = random.Random(28).sample(known, how_many(8, len(known)))  # noqa: S311  # a sample
    print(len(commands), "commands as", role)
    _, said = failures(user.folder, commands, **ROLES[role])

    assert said.count("CODE ") == len(commands)
    assert (outside(user), SECRET in said) == (before, False)
