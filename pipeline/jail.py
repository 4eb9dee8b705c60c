"""The one way to run what we do not trust: it sees the folders that are named, and no others.

A jail is a bubblewrap sandbox (bwrap(1)): own processes, users, IPC and host name, an empty home,
and no network unless it is asked for. Everything in it ends with the process that started it, so
start it from a thread that lives as long as the jail should.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from typing import IO, TYPE_CHECKING

import psutil

from pipeline.files import size_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Stream = int | IO[bytes] | None

PROGRAM = "bwrap"
_ALWAYS = (
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    # Without capabilities root cannot remount a read-only folder; nor in a namespace of its own.
    *("--cap-drop", "ALL", "--disable-userns"),
    *("--new-session", "--die-with-parent", "--hostname", "jail"),
)
_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
)
# What looking up names, TLS and the loader need.
_ETC = (
    *("alternatives", "ca-certificates", "crypto-policies", "group", "host.conf", "hosts"),
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "nsswitch.conf", "passwd"),
    *("pki/ca-trust", "pki/tls/cert.pem", "pki/tls/certs", "protocols", "resolv.conf", "services"),
    *("ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf"),
)
_APPARMOR = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
_PACKAGE = "apt install bubblewrap, dnf install bubblewrap, or pacman -S bubblewrap"


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What all processes of a jail may use; the wall time is for who waits for it."""

    memory: int = 8 << 30  #: bytes in use by all of them, see `Jail.excess`
    processes: int = 2048  #: and threads
    cpu_seconds: int = 0  #: of each process; 0 is no limit
    file_size: int = 4 << 30  #: bytes of one file
    temporary: int = 2 << 30  #: bytes in each folder of its own: the home, /tmp, /dev/shm


@dataclass(frozen=True, kw_only=True, slots=True)
class Jail:
    """What a program sees, and what it may use; all paths are absolute and exist.

    A folder or file within another has the rights of the innermost one that is named.
    """

    reads: Sequence[str] = ()  #: seen at their own places, read-only
    writes: Sequence[str] = ()  #: seen at their own places, and written
    reads_at: Mapping[str, str] = field(default_factory=dict)  #: places: what is seen there
    writes_at: Mapping[str, str] = field(default_factory=dict)  #: places: what is written there
    home: str = "/home/agent"  #: an empty folder of its own
    folder: str = "/"  #: where the program starts
    network: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)  #: all of it
    limits: Limits = field(default_factory=Limits)

    def argv(self, words: Sequence[str]) -> list[str]:
        """Return the command that runs a program, found inside, with its arguments in the jail.

        It needs `environment` as its own: words of a command are seen by every user.
        """
        network = ("--share-net",) if self.network else ("--unshare-net",)
        mounts = [word for entry in sorted(self._mounts(), key=_depth) for word in entry[1]]
        # The folders that bubblewrap has made for the places of others are not to be written to.
        sealed = ("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", self.folder, "--")
        return [_found(PROGRAM), *_ALWAYS, *network, *mounts, *sealed, *self._limited(), *words]

    def start(
        self,
        words: Sequence[str],
        *,
        stdin: Stream = subprocess.DEVNULL,
        stdout: Stream = subprocess.DEVNULL,
        stderr: Stream = subprocess.DEVNULL,
        pass_fds: Sequence[int] = (),
    ) -> subprocess.Popen[bytes]:
        """Start a program; to end all that it has started, kill the process that is returned."""
        return subprocess.Popen(  # noqa: S603  # no shell
            self.argv(words),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=dict(self.environment),
            pass_fds=pass_fds,
            start_new_session=True,  # Ctrl-C is for who started it
        )

    def run(
        self, words: Sequence[str], given: bytes = b"", *, seconds: float
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program to its end with an input, and return it with what it printed.

        Raises:
            TimeoutError: it took longer, and was ended.
        """
        pipe = subprocess.PIPE
        process = self.start(words, stdin=pipe, stdout=pipe, stderr=pipe)
        try:
            printed, said = process.communicate(given, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        finally:
            process.kill()
        return subprocess.CompletedProcess(words, process.returncode, printed, said)

    def excess(self, pid: int) -> str:
        """Return which limit the jail of a process exceeds now, empty for none; ask repeatedly.

        RLIMIT_AS would keep Node.js from starting, and root has no RLIMIT_NPROC.
        """
        memory = count = 0
        try:
            for process in psutil.Process(pid).children(recursive=True):
                memory, count = memory + _memory(process), count + 1
        except psutil.Error:
            return ""
        if memory > self.limits.memory:
            return f"more than {size_of(self.limits.memory)} of memory"
        return f"more than {self.limits.processes:,} processes" * (count > self.limits.processes)

    def _mounts(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each place and the words that fill it; what is within another place follows it."""
        size = ("--size", str(self.limits.temporary), "--tmpfs")
        for path in filter(os.path.lexists, _SYSTEM):
            is_link = os.path.islink(path)
            yield path, ("--symlink", os.readlink(path), path) if is_link else _seen(path, path)
        for name in _ETC:
            if os.path.exists(path := f"/etc/{name}"):
                yield path, _seen(os.path.realpath(path), path)
        yield "/proc", ("--proc", "/proc")
        yield "/dev", ("--dev", "/dev")
        for path in ("/dev/shm", "/tmp", self.home):  # noqa: S108  # inside, they are its own
            yield path, (*size, path)
        for place, path in (*zip(self.reads, self.reads, strict=True), *self.reads_at.items()):
            yield place, _seen(path, place)
        for place, path in (*zip(self.writes, self.writes, strict=True), *self.writes_at.items()):
            yield place, ("--bind", path, place)

    def _limited(self) -> list[str]:
        """Return the words that set the limits inside: outside, bubblewrap would count."""
        limits = self.limits
        words = [
            _found("prlimit"),
            "--core=0",
            f"--nproc={limits.processes}",
            f"--fsize={limits.file_size}",
        ]
        return [*words, *([f"--cpu={limits.cpu_seconds}"] if limits.cpu_seconds else []), "--"]


@cache
def missing() -> str:
    """Return why no jail can start here and what to do, in one line; empty if one can."""
    if sys.platform != "linux":
        return "a jail needs Linux (bubblewrap); on other systems use a Linux container or machine"
    if _found(PROGRAM) == PROGRAM:
        return f"bubblewrap is not installed: {_PACKAGE}"
    path = {"PATH": os.environ.get("PATH", os.defpath)}
    done = subprocess.run(  # noqa: S603  # bubblewrap, and a program that does nothing
        Jail().argv([_found("true")]),
        env=path,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return _why_not(done.stderr) if done.returncode else ""


def _found(name: str) -> str:
    """Return the path of a program of the system, also where PATH is a short one."""
    return shutil.which(name) or shutil.which(name, path=os.defpath) or name


def _why_not(printed: str) -> str:
    said = (printed.strip().splitlines() or ["it printed nothing"])[-1]
    if "unknown option" in said.lower():
        return f"bubblewrap is too old: install version 0.8 or newer ({_PACKAGE})"
    if os.path.exists(_APPARMOR):
        with open(_APPARMOR, encoding="ascii") as file:
            if file.read().strip() == "1":
                return (
                    "AppArmor keeps bubblewrap from starting: give /usr/bin/bwrap a profile that "
                    f"allows userns, or run: sudo sysctl -w {_APPARMOR[10:].replace('/', '.')}=0"
                )
    return (
        f"bubblewrap cannot start here ({said[:160]}): allow user namespaces; a Docker container "
        "needs --security-opt seccomp=unconfined --security-opt systempaths=unconfined"
    )


def _seen(path: str, place: str) -> tuple[str, str, str]:
    return "--ro-bind", path, place


def _depth(mount: tuple[str, tuple[str, ...]]) -> int:
    return len([name for name in mount[0].split("/") if name])


def _memory(process: psutil.Process) -> int:
    try:
        used: int = process.memory_info().rss
    except psutil.Error:  # it has ended
        return 0
    return used
