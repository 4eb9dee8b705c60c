"""The jail, with bubblewrap itself."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import psutil
import pytest

from pipeline import jail
from pipeline.jail import Jail, JailLimits
from tests.jails import needs_jail

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C"}


def printed(sandbox: Jail, script: str) -> str:
    """Return what a shell script prints in a jail, errors too."""
    process = sandbox.start(["sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return process.communicate(timeout=30)[0].decode()


@needs_jail
def test_a_program_reads_what_it_may_read_and_writes_what_it_may_write(tmp_path: Path) -> None:
    for name in ("shown", "work", "work/inner", "hidden", "elsewhere"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(f"{name}\n", "utf-8")
    sandbox = Jail(
        reads=[str(tmp_path / "shown"), str(tmp_path / "work/inner")],
        writes=[str(tmp_path / "work")],
        reads_at={"/at": str(tmp_path / "elsewhere")},
        folder=str(tmp_path / "work"),
        environment=ENVIRONMENT,
    )
    script = f"""
cat {tmp_path}/shown/file file /at/file
echo new > new
for path in {tmp_path}/shown/new inner/new /at/new /new /usr/new /dev/new; do
    echo new > $path
done
cat {tmp_path}/hidden/file
"""
    said = printed(sandbox, script)

    where = {
        f"{tmp_path}/shown/new": "Read-only file system",
        "inner/new": "Read-only file system",
        "/at/new": "Read-only file system",
        "/new": "Read-only file system",
        "/usr/new": "Read-only file system",
        "/dev/new": "Read-only file system",
    }
    lines = [f"sh: 5: cannot create {path}: {why}" for path, why in where.items()]
    lines.append(f"cat: {tmp_path}/hidden/file: No such file or directory")
    assert said.splitlines() == ["shown", "work", "elsewhere", *lines]
    assert sorted(os.listdir(tmp_path / "work")) == ["file", "inner", "new"]
    assert os.listdir(tmp_path / "work/inner") == ["file"]


@needs_jail
def test_its_home_its_environment_and_its_processes_are_its_own(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("key\n", "utf-8")
    home = str(tmp_path)
    sandbox = Jail(home=home, environment={**ENVIRONMENT, "ONE": "1"})
    said = printed(sandbox, f"ls -A {tmp_path}; env | sort; ls /proc | grep -c '^[0-9]'; id -u")

    lines = said.splitlines()
    environment = {line for line in lines if "=" in line}
    expected = {**ENVIRONMENT, "ONE": "1", "PWD": "/", "TMPDIR": "/tmp"}  # noqa: S108  # its own
    assert environment == {f"{name}={value}" for name, value in expected.items()}
    assert (len(lines) - len(environment), int(lines[-2]) < 8) == (2, True)
    assert lines[-1] == str(os.getuid())


@needs_jail
def test_the_network_is_there_only_where_it_is_asked_for() -> None:
    said = {}
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected"
        for network in (False, True):
            sandbox = Jail(network=network, environment=ENVIRONMENT)
            process = sandbox.start(["bash", "-c", script], stdout=subprocess.PIPE)
            said[network] = process.communicate(timeout=30)[0]

    assert said == {False: b"", True: b"connected\n"}


@needs_jail
def test_an_inherited_socket_is_reached_from_outside_and_its_folder_is_not_seen(
    tmp_path: Path,
) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "own.sock"))
        server.listen()
        serve = "import socket;c,_=socket.socket(fileno=0).accept();c.sendall(b'hello')"
        sandbox = Jail(reads=[sys.prefix, sys.base_prefix], environment=ENVIRONMENT)
        process = sandbox.start([sys.executable, "-c", serve], stdin=server.fileno())
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(30)
            client.connect(str(tmp_path / "own.sock"))
            said = client.recv(9)
        process.wait(30)

    assert said == b"hello"


@needs_jail
def test_all_that_it_started_ends_when_it_is_killed_or_its_parent_is() -> None:
    mark = "1234.5678"
    for kill_parent in (False, True):
        code = (
            "import subprocess, time; from pipeline.jail import Jail;"
            f"p = Jail(environment={ENVIRONMENT!r}).start(['sh', '-c', "
            f"'setsid sleep {mark} & sleep {mark}']);"
            "print(p.pid, flush=True); time.sleep(60)"
        )
        parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        assert parent.stdout
        pid = int(parent.stdout.readline())
        wait_until(lambda: len(sleeping(mark)) == 2)
        os.kill(parent.pid if kill_parent else pid, signal.SIGKILL)
        wait_until(lambda: not sleeping(mark))
        parent.kill()
        parent.communicate()


def sleeping(mark: str) -> list[psutil.Process]:
    return [p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == ["sleep", mark]]


def wait_until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@needs_jail
@pytest.mark.parametrize(
    ("script", "limits", "excess"),
    [
        (
            "x = bytearray(300 << 20); import time; time.sleep(60)",
            JailLimits(memory=200 << 20),
            "more than 200 MiB of memory",
        ),
        (
            "import os, time\nfor _ in range(30): os.fork() or time.sleep(60)\ntime.sleep(60)",
            JailLimits(processes=20),
            "more than 20 processes",
        ),
    ],
)
def test_what_exceeds_a_limit_is_seen_from_outside(
    script: str, limits: JailLimits, excess: str
) -> None:
    # as root: RLIMIT_NPROC does not bind it
    sandbox = Jail(reads=[sys.prefix, sys.base_prefix], limits=limits, environment=ENVIRONMENT)
    process = sandbox.start([sys.executable, "-c", script])
    if limits.processes == 20 and os.getuid():
        process.kill()
        pytest.skip("fork fails at the limit")
    wait_until(lambda: sandbox.excess(process.pid) or process.poll() is not None)
    found = sandbox.excess(process.pid)
    process.kill()
    process.wait()

    assert found == excess


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "bwrap: Unknown option --disable-userns\n",
            "bubblewrap is too old: install version 0.8 or newer",
        ),
        (
            "bwrap: No permissions to create new namespace\n",
            "(bwrap: No permissions to create new namespace)",
        ),
        ("", "(it printed nothing)"),
    ],
)
def test_why_no_jail_starts_is_one_line_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, told: str
) -> None:
    (tmp_path / "bwrap").write_text(f"#!/bin/sh\nprintf '%s' '{said}' >&2\nexit 1\n", "utf-8")
    (tmp_path / "bwrap").chmod(0o755)
    # the system's own folders come first: PATH may lead to what an agent wrote
    monkeypatch.setattr(os, "defpath", f"{tmp_path}:{os.defpath}")
    jail.missing.cache_clear()
    found = jail.missing()
    jail.missing.cache_clear()

    assert told in found
    assert len(found.splitlines()) == 1


def test_without_bubblewrap_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(os, "defpath", "/nowhere")
    jail.missing.cache_clear()
    found = jail.missing()
    jail.missing.cache_clear()

    assert found == (
        "bubblewrap is not installed: apt install bubblewrap, dnf install bubblewrap, "
        "or pacman -S bubblewrap"
    )
