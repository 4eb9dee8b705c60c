"""Attempts to leave the jail, from escapes.toml: each works outside, and does nothing inside."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from pipeline import jail as jails
from pipeline.drivers import mounts
from pipeline.drivers.base import Allowed
from pipeline.drivers.environment import chosen
from tests.jails import needs_jail
from tests.stubs.repositories import UserRepository
from tests.stubs.scripted_client import a_turn

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = needs_jail

SECRET, WORKED, BEGUN = "S3CRET", "ESCAPED", "BEGUN"
NOBODY = 65534
ROLES: dict[str, dict[str, Any]] = {
    "x-planner": {"writes": "artifact", "artifact": "app/.pipeline/ISSUE-7/plan.json"},
    "x-worker": {},
    "x-reviewer": {"writes": "nothing", "artifact": ""},
}
HOME = (
    *(".ssh/id_ed25519", ".ssh/authorized_keys", ".git-credentials", ".netrc", ".npmrc"),
    *(".aws/credentials", ".config/gh/hosts.yml", ".gnupg/private-keys-v1.d/key", ".bashrc"),
    *(".docker/config.json", ".bash_history", ".local/share/keyrings/login", "bin/tool"),
)
GIT = (
    *("FETCH_HEAD", "hooks/post-merge", "modules/sub/config", "worktrees/x/config.worktree"),
    "info/exclude",
)
PYTHON = """exec python3 - <<'END'
import ctypes, os, struct
E, L, errno = os.environ, ctypes.CDLL(None, use_errno=True), ctypes.get_errno
ptr = lambda text: ctypes.create_string_buffer(text.encode())
attr = lambda *numbers: struct.pack(f"{len(numbers)}I", *numbers).ljust(72, b"\\0")
words = lambda given: [ctypes.c_long(word) if isinstance(word, int) else word for word in given]
call = lambda *given: L.syscall(*words(given))
SCRIPT
END
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """A way out: a shell script, for which users it works outside, and what it needs."""

    name: str
    script: str
    users: tuple[str, ...]
    offline: bool = False
    outside: str = ""  #: the words before the script where it is tried outside
    replaces: str = ""  #: what somebody replaces meanwhile
    limits: dict[str, int] = field(default_factory=dict)


def attempts() -> list[Attempt]:
    """Return the table's attempts; those by numbers of system calls are for one machine."""
    table = tomllib.loads(Path(__file__).with_name("escapes.toml").read_text("utf-8"))
    found = []
    for kind, entries in table.items():
        for name, given in entries.items():
            more = {"sh": given} if isinstance(given, str) else dict(given)
            python = more.pop("py", "").replace("\\n", "\n")
            if "call(" in python and os.uname()[4] != "x86_64":
                continue  # the numbers of system calls are another machine's
            script = more.pop("sh", PYTHON.replace("SCRIPT", python))
            users = tuple(more.pop("as", ("root", "nobody")))
            found.append(Attempt(name=f"{kind}: {name}", script=script, users=users, **more))
    return found


class World:
    """A home, a repository, another one, a process and a service that no agent may reach."""

    def __init__(self, folder: Path, template: Path, user: str) -> None:
        shutil.copytree(template, folder, symlinks=True)
        self.out, self.root, self.user = folder, folder / "repo", user
        os.mkfifo(folder / "fifo")
        self._reader = os.open(folder / "fifo", os.O_RDONLY | os.O_NONBLOCK)
        self._service = socket.socket(socket.AF_UNIX)
        self._service.bind(str(folder / "service.sock"))
        serve(self._service)
        (folder / "service.sock").chmod(0o777)
        own(folder, user)
        self.victim = subprocess.Popen(
            ["sh", "-c", "exec 9< secret; exec sleep 60"],
            cwd=folder,
            env={"KEY": SECRET, "PATH": "/usr/bin:/bin"},
            start_new_session=True,
            **ids(user),
        )
        while "sleep" not in psutil.Process(self.victim.pid).name():
            time.sleep(0.01)
        self.before = self.state()

    def close(self) -> None:
        """End what runs and remove all."""
        self.victim.kill()
        self.victim.wait()
        self._service.close()
        os.close(self._reader)
        shutil.rmtree(self.out, ignore_errors=True)

    def state(self) -> dict[str, object]:
        """Return what is there."""
        with contextlib.suppress(psutil.Error):
            alive = psutil.Process(self.victim.pid).status() in {"sleeping", "running"}
            found: dict[str, object] = {"victim": alive}
        for folder, folders, names in os.walk(self.out):
            for name in (*folders, *names):
                path = Path(folder, name)
                data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
                found[str(path.relative_to(self.out))] = (path.lstat().st_mode, data)
        return found

    def changed(self, role: str) -> list[str]:
        """Return what is not as it was, without what a role may write."""
        after = self.state()
        both = {*self.before, *after}
        different = {path for path in both if self.before.get(path) != after.get(path)}
        return sorted(path for path in different if not is_own(role, path))


def is_own(role: str, path: str) -> bool:
    """Return whether a role may change a path."""
    if path.startswith("repo/app/.pipeline/ISSUE-7/"):
        return role != "x-reviewer" and not path.endswith("/run.json")
    is_project = path.startswith("repo/app/") and not path.startswith("repo/app/.pipeline")
    return role == "x-worker" and is_project


def ids(user: str) -> dict[str, Any]:
    """Return the options that start a process of a user."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if user == "nobody" else {}


def own(folder: Path, user: str) -> None:
    """Make a folder and all in it a user's."""
    if user == "nobody":
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def serve(service: socket.socket) -> None:
    """Answer each connection with the secret, until the socket is closed."""
    service.listen()

    def answer() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = service.accept()
                connection.sendall(SECRET.encode())
                connection.close()

    threading.Thread(target=answer, daemon=True).start()


class Machine:
    """Where worlds are made, and what all of them share."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.scratch = Path(tempfile.mkdtemp(prefix="j-"))
        self.scratch.chmod(0o755)
        self._count = 0
        self._monkeypatch = monkeypatch
        self.abstract = socket.socket(socket.AF_UNIX)
        self.abstract.bind(f"\0{self.scratch}")
        self.port = socket.create_server(("127.0.0.1", 0))
        for service in (self.abstract, self.port):
            serve(service)
        words = ["ipcmk", "-p", "0666", "-M", "4096"]
        made = subprocess.run(words, check=False, stdout=subprocess.PIPE, encoding="ascii")
        self.segment = made.stdout.strip().rpartition(" ")[2]
        self.blob = self._template()

    def close(self) -> None:
        """Remove all."""
        self.abstract.close()
        self.port.close()
        subprocess.run(["ipcrm", "-m", self.segment], check=False)
        shutil.rmtree(self.scratch, ignore_errors=True)

    def _template(self) -> str:
        """Make what each world is a copy of; return the other repository's secret blob."""
        folder = self.scratch / "template"
        for name in HOME:
            write(folder / "home" / name)
        write(folder / "home/.gitconfig", f"[http]\n\textraHeader = {SECRET}\n")
        write(folder / "secret")
        user, other = UserRepository(folder / "repo"), UserRepository(folder / "other")
        for path in ("app/src/a.js", "neighbour/b.js", "README.md"):
            user.write(path)
        user.commit()
        user.commit("chore: more")
        user.git("branch", "feature/other")
        user.git("config", "--unset", "core.hooksPath")
        for path in ("ISSUE-7/run.json", "ISSUE-8/plan.json", "forge/pulls/1.md"):
            user.write(f"app/.pipeline/{path}", "{}\n")
        other.commit("chore: begin", secret=f"{SECRET}\n")
        for made in (user, other):
            made.git("config", "remote.origin.url", f"https://me:{SECRET}@example.org/x.git")
            write(made.folder / ".git/hooks/post-merge", SECRET)
        for name in GIT:
            write(user.folder / ".git" / name, f"# {SECRET}\n")
        with open(user.folder / ".git/logs/HEAD", "a", encoding="utf-8") as file:
            file.write(f"{'0' * 40} {'0' * 40} {SECRET} <x> 1 +0000\tx\n")
        return other.git("rev-parse", "HEAD:secret")

    def world(self, user: str) -> World:
        """Return a new world of a user."""
        self._count += 1
        return World(self.scratch / str(self._count), self.scratch / "template", user)

    def script(self, world: World, attempt: Attempt) -> str:
        """Return the script, with the variables before it."""
        values = {
            "root": world.root,
            "other": world.out / "other",
            "out": world.out,
            "home": world.out / "home",
            "victim": world.victim.pid,
            "port": self.port.getsockname()[1],
            "name": self.scratch,
            "blob": self.blob,
            "session": os.getsid(0),
            "host": os.uname()[1],
            "segment": self.segment,
        }
        exports = "".join(f"export {name}='{value}'\n" for name, value in values.items())
        return f"{exports}cd '{world.root}'\necho {BEGUN}\n{attempt.script}\n"

    def environment(self, world: World) -> dict[str, str]:
        """Return the user's variables."""
        return {
            "HOME": str(world.out / "home"),
            "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "GH_TOKEN": SECRET,
            "SSH_AUTH_SOCK": str(world.out / "service.sock"),
            "LC_ALL": "C",
            "GIT_CONFIG_COUNT": "1",  # root makes copies of what is another user's
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
        }

    def outside(self, attempt: Attempt, user: str) -> str:
        """Return how an attempt works outside, empty if it does not."""
        world = self.world(user)
        words = (*attempt.outside.split(), "sh", "-c", 'sh -c "$0"; true')
        try:
            with meanwhile(world, attempt):
                done = subprocess.run(
                    [*words, self.script(world, attempt)],
                    env=self.environment(world),
                    cwd=world.root,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    timeout=60,
                    check=False,
                    **ids(user),
                )
            return proof(done.stdout, world, "x-worker", attempt)
        finally:
            world.close()

    def inside(self, attempt: Attempt, user: str, role: str) -> str:
        """Return how an attempt works in the jail of a role, empty if it does not."""
        world, copies = self.world(user), self.scratch / f"copies-{self._count}"
        copies.mkdir()
        printed = b""
        try:
            with self._monkeypatch.context() as patch:
                for name in os.environ:
                    patch.delenv(name)
                for name, value in self.environment(world).items():
                    patch.setenv(name, value)
                if user == "nobody":
                    become_nobody(patch)
                turn = a_turn(world.root, **ROLES[role])
                allowed = Allowed(offline=attempt.offline)
                start = partial(mounts.jail_of, programs=["/usr/bin/sh"], copies=str(copies))
                jail = start(turn, allowed, chosen(None, ()))
                own(copies, user)
                jail = replace(jail, limits=replace(jail.limits, **attempt.limits))
                with contextlib.suppress(TimeoutError), meanwhile(world, attempt):
                    done = jail.run(["sh", "-c", self.script(world, attempt)], seconds=30)
                    printed = done.stdout
                    if BEGUN.encode() not in printed:
                        return f"no jail: {done.stderr.decode()}"
            return proof(printed, world, role, attempt)
        finally:
            world.close()
            shutil.rmtree(copies, ignore_errors=True)


def become_nobody(patch: pytest.MonkeyPatch) -> None:
    """Start jails as an unprivileged user, for whom this Python may be out of reach."""
    words = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    patch.setattr(jails, "_fixed_devices", lambda: words)
    patch.setattr(sys, "executable", "/usr/bin/python3")
    patch.setattr(sys, "prefix", sys.base_prefix)
    patch.setattr(mounts, "ROOT", "/usr")


@contextlib.contextmanager
def meanwhile(world: World, attempt: Attempt) -> Iterator[None]:
    """Replace a file by one with the secret, by a rename, while an attempt is made."""
    if not attempt.replaces:
        yield
        return
    place, new = world.root / attempt.replaces, world.root / ".git" / "new"

    def put() -> None:
        write(new)
        own(new, world.user)
        new.rename(place)
        world.before = world.state()

    timer = threading.Timer(0.25, put)
    timer.start()
    try:
        yield
    finally:
        timer.join()


def proof(printed: bytes, world: World, role: str, attempt: Attempt) -> str:
    """Return by what an attempt shows that it worked, empty if by nothing."""
    text = printed.decode(errors="replace")
    if SECRET in text or WORKED in text:
        return f"printed {text[:200]!r}"
    changed = world.changed(role)
    return f"changed {changed[:8]}" if changed and not attempt.limits else ""


def write(path: Path, text: str = f"{SECRET}\n") -> None:
    """Write a file and the folders that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """Return the machine that is to be left alone."""
    made = Machine(monkeypatch)
    yield made
    made.close()


@pytest.mark.figure
def test_no_attempt_to_leave_the_jail_works_and_each_works_outside(
    machine: Machine, how_many: Callable[[int, int], int]
) -> None:
    table = attempts()
    users = ("root", "nobody") if os.getuid() == 0 and shutil.which("setpriv") else ("root",)
    tried = [(attempt, user) for attempt in table for user in users if user in attempt.users]
    count = how_many(16, len(tried))
    sample = random.Random(28).sample(tried, count)  # noqa: S311  # a sample, no secret
    vain, escaped, runs = [], [], 0
    for attempt, user in sample:
        if not machine.outside(attempt, user):
            vain.append(f"{attempt.name} as {user}")
            continue
        for role in ROLES:
            runs += 1
            if how := machine.inside(attempt, user, role):
                escaped.append((attempt.name, user, role, how))
    names = len({attempt.name for attempt, _ in sample})
    print(f"\n{names} attempts, {len(users)} users, {len(ROLES)} roles: {runs} runs, ", end="")
    print(f"{len(escaped)} escaped; they do not work here outside: {vain}")

    assert escaped == []
