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
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

from pipeline.files import size_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PROGRAM, _SEEN = "bwrap", "--ro-bind"
_ALWAYS = (
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
    # Without capabilities root cannot remount a read-only folder; nor in a namespace of its own.
    *("--cap-drop", "ALL", "--disable-userns"),
    *("--new-session", "--die-with-parent", "--hostname", "jail"),
    *("--setenv", "TMPDIR", "/tmp"),  # noqa: S108  # it is the jail's own
)
SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/nix/store", "/gnu/store"),
)
# What looking up names, TLS and the loader need.
_ETC = (
    *("alternatives", "ca-certificates", "crypto-policies", "group", "host.conf", "hosts"),
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "nsswitch.conf", "passwd"),
    *("pki/ca-trust", "pki/tls/cert.pem", "pki/tls/certs", "protocols", "resolv.conf", "services"),
    *("ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf"),
)
# Settings of the kernel: root without capabilities owns them, and bubblewrap covers only some.
_KERNEL = ("acpi", "bus", "fs", "irq", "mtrr", "scsi", "sys", "sysrq-trigger")
# Root owns the devices too, and could change their rights for all users of this machine.
_FIXED = """mount --options remount,bind,ro /dev || exit 125
for n in 0 1 2; do [ /proc/self/fd/$n -ef /dev/null ] && eval "exec $n<>/dev/null"; done
exec "$@"
"""
_FLOOD = 64 << 20  # bytes printed after which a program counts as broken
_GLANCE = 0.25  # seconds between looks at the limits
_APPARMOR = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
_PACKAGE = "apt install bubblewrap, dnf install bubblewrap, or pacman -S bubblewrap"


@dataclass(frozen=True, kw_only=True, slots=True)
class JailLimits:
    """What all processes of a jail may use; the wall time is for who waits for it."""

    memory: int = 8 << 30  #: bytes in use by all of them, see `Jail.excess`
    processes: int = 2048  #: and threads
    cpu_seconds: int = 0  #: of each process, which SIGXCPU ends; 0 is no limit
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
    environment: Mapping[str, str] = field(default_factory=dict)  #: and TMPDIR
    limits: JailLimits = field(default_factory=JailLimits)

    def argv(self, words: Sequence[str]) -> list[str]:
        """Return the command that runs a program, found inside, with its arguments in the jail.

        It needs `environment` as its own: words of a command are seen by every user.
        """
        ordered = sorted(self._mounts(), key=lambda mount: mount[0].rstrip("/").count("/"))
        mounts = [word for _, filled in ordered for word in filled]
        # The folders that bubblewrap has made for the places of others are not to be written to.
        sealed = ("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", self.folder, "--")
        program = [*_fixed_devices(), _found(PROGRAM), *_ALWAYS]
        network = "--share-net" if self.network else "--unshare-net"
        return [*program, network, *mounts, *sealed, *self._limited(), *words]

    def start(
        self,
        words: Sequence[str],
        *,
        stdin: int | IO[bytes] = subprocess.DEVNULL,
        stdout: int | IO[bytes] = subprocess.DEVNULL,
        stderr: int | IO[bytes] = subprocess.DEVNULL,
    ) -> subprocess.Popen[bytes]:
        """Start a program; to end all that it has started, kill the process that is returned."""
        return subprocess.Popen(  # noqa: S603  # no shell
            self.argv(words),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=dict(self.environment),
            start_new_session=True,  # Ctrl-C is for who started it
        )

    def run(
        self, words: Sequence[str], given: bytes = b"", *, seconds: float
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program to its end with an input, and return it with what it printed.

        Raises:
            TimeoutError: it took longer or used more than it may, and was ended; says which.
        """
        with TemporaryFile() as stdin, TemporaryFile() as printed, TemporaryFile() as said:
            stdin.write(given)
            stdin.seek(0)
            process = self.start(words, stdin=stdin, stdout=printed, stderr=said)
            try:
                if finished(process, (printed, said), seconds, self) is None:
                    raise TimeoutError(f"did not finish within {seconds:g} seconds")
            finally:
                process.kill()
                code = process.wait()
            found = [os.pread(file.fileno(), _FLOOD, 0) for file in (printed, said)]
        return subprocess.CompletedProcess(words, code, *found)

    def excess(self, pid: int) -> str:
        """Return which limit the jail of a process exceeds now, empty for none; ask repeatedly.

        RLIMIT_AS would keep Node.js from starting, and root has no RLIMIT_NPROC.
        """
        import psutil  # slow to import, and many starts have nothing to watch

        memory = count = 0
        with suppress(psutil.Error):
            for process in psutil.Process(pid).children(recursive=True):
                count += 1
                with suppress(psutil.Error):  # it has ended
                    memory += process.memory_info().rss
        if memory > self.limits.memory:
            return f"more than {size_of(self.limits.memory)} of memory"
        return f"more than {self.limits.processes:,} processes" * (count > self.limits.processes)

    def _mounts(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each place and the words that fill it; what is within another place follows it."""
        size = ("--size", str(self.limits.temporary), "--tmpfs")
        for path in filter(os.path.lexists, SYSTEM):
            is_link = os.path.islink(path)
            yield path, ("--symlink", os.readlink(path), path) if is_link else (_SEEN, path, path)
        yield "/proc", ("--proc", "/proc")
        names = (*(f"/etc/{name}" for name in _ETC), *(f"/proc/{name}" for name in _KERNEL))
        for path in filter(os.path.exists, names):
            yield path, (_SEEN, os.path.realpath(path), path)
        yield "/dev", ("--dev", "/dev")
        for path in ("/dev/shm", "/tmp", self.home):  # noqa: S108  # inside, they are its own
            yield path, (*size, path)
        for place, path in (*zip(self.reads, self.reads, strict=True), *self.reads_at.items()):
            yield place, (_SEEN, path, place)
        for place, path in (*zip(self.writes, self.writes, strict=True), *self.writes_at.items()):
            yield place, ("--bind", path, place)

    def _limited(self) -> list[str]:
        """Return the words that set the limits inside: outside, bubblewrap would count."""
        limits, seconds = self.limits, self.limits.cpu_seconds
        cpu = [f"--cpu={seconds}:{seconds + 1}"] if seconds else []  # SIGXCPU, and then SIGKILL
        most = ("--core=0", f"--nproc={limits.processes}", f"--fsize={limits.file_size}")
        return [_found("prlimit"), *most, *cpu, "--"]


def finished(
    process: subprocess.Popen[bytes], files: Sequence[IO[bytes]], seconds: float, jail: Jail | None
) -> int | None:
    """Return the exit code of a program that prints to files, None if it takes too long.

    Raises:
        TimeoutError: it printed too much, or used more than its jail allows; says which.
    """
    end, code = time.monotonic() + seconds, None
    while code is None and time.monotonic() < end:
        with suppress(subprocess.TimeoutExpired):
            code = process.wait(_GLANCE)
        if max(os.fstat(file.fileno()).st_size for file in files) > _FLOOD:
            raise TimeoutError(f"printed more than {size_of(_FLOOD)}")
        if jail and (excess := jail.excess(process.pid)):
            raise TimeoutError(f"used {excess}")
    return code


@cache
def missing() -> str:
    """Return why no jail can start here and what to do, in one line; empty if one can."""
    if sys.platform != "linux":
        return "a jail needs Linux (bubblewrap); on other systems use a Linux container or machine"
    if _found(PROGRAM) == PROGRAM:
        return f"bubblewrap is not installed: {_PACKAGE}"
    done = _tried(Jail().argv([]))
    return _why_not(done.stderr) if done.returncode else ""


def _tried(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run the words before a program with one that does nothing."""
    path = {"PATH": os.environ.get("PATH", os.defpath)}
    return subprocess.run(  # noqa: S603  # no shell
        [*words, _found("true")], env=path, capture_output=True, errors="replace", check=False
    )


def _found(name: str) -> str:
    """Return the path of a program of the system; PATH may lead to what an agent wrote."""
    return shutil.which(name, path=os.defpath) or shutil.which(name) or name


@cache
def _fixed_devices() -> tuple[str, ...]:
    """Return the words before bubblewrap by which root's jails cannot change the devices.

    There are none for another user, nor in a container that cannot mount: its devices are its own.
    """
    if os.geteuid():
        return ()
    words = (_found("unshare"), "--mount", _found("sh"), "-c", _FIXED, "sh")
    return () if _tried(words).returncode else words


def _why_not(printed: str) -> str:
    said = (printed.strip().splitlines() or ["it printed nothing"])[-1]
    if "unknown option" in said.lower():
        return f"bubblewrap is too old: install version 0.8 or newer ({_PACKAGE})"
    with suppress(OSError), open(_APPARMOR, encoding="ascii") as file:
        if file.read().strip() == "1":
            return (
                "AppArmor keeps bubblewrap from starting: give /usr/bin/bwrap a profile that "
                f"allows userns, or run: sudo sysctl -w {_APPARMOR[10:].replace('/', '.')}=0"
            )
    return (
        f"bubblewrap cannot start here ({said[:160]}): allow user namespaces; a Docker container "
        "needs --security-opt seccomp=unconfined --security-opt systempaths=unconfined"
    )
