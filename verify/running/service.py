"""A submission's service, started behind a socket of ours: in a jail, or as a program like any."""

from __future__ import annotations

import math
import os
import re
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from tempfile import mkdtemp
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

import psutil
from typing_extensions import Self

from pipeline.jail import Jail, JailLimits
from verify.acceptance.service import NoAnswer
from verify.grading.ways import CONTAINER, JAIL, BrokenRun
from verify.running.client import answer_to
from verify.running.sources import INSTALLED, packed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verify.acceptance.service import Request, Response

_WORK = "/work"  # in a jail, the folder of its own in which the service is
_BEGUN = b"begun\n"
# The socket is standard input and the sources are standard output, since a shell can pass on no
# descriptor with two digits. Only once all is prepared does the service itself begin.
_SCRIPT = """\
ulimit -S -d "$(ulimit -H -d)" && ulimit -S -f "$(ulimit -H -f)" && exec 3<&0 </dev/null &&
tar -x -o -f - -C "$1" <&1 && exec >/dev/null && cd "$1/$2" && shift 2 &&
command -v "$1" >/dev/null && echo begun >&2 && exec "$@"
"""
_NOBODY = 65534  # the number of this user and of its group, on Debian and Ubuntu
_TICK = 0.1  # seconds between two looks at what the service uses
_ROUNDS = 10  # in which what a service has started is ended, if that starts more meanwhile
_HEARD = 16 << 10  # bytes of its own words that are kept
_PLACE = re.compile(r"([\w./@-]{1,300}):(\d{1,6})")
_SAYS = re.compile(r"^(?:Uncaught )?(?:[\w.]*(?:Error|Exception)\b.*)", re.MULTILINE)


class NotStarted(Exception):
    """The service has not answered once: why in one line, and where, a path and a line.

    With `is_limit` it took more than it may.
    """

    def __init__(self, why: str, path: str = "", line: int = 0, *, is_limit: bool = False) -> None:
        super().__init__(why)
        self.path, self.line, self.is_limit = path, line, is_limit


class Bounds(NamedTuple):
    """What a service may take, on machines with much else to do."""

    starting: int = 20  #: seconds until it listens
    answering: int = 10  #: seconds for an answer
    in_all: int = 120  #: seconds for all answers
    #: of each start; no honest service needs as much CPU time
    limits: JailLimits = JailLimits(
        memory=512 << 20, processes=128, cpu_seconds=15, file_size=16 << 20, temporary=64 << 20
    )


BOUNDS = Bounds()
# seconds of CPU time that asking and watching may take, beside grading, and seconds in all
BESIDE_GRADING = (10, BOUNDS.in_all)


class Project(NamedTuple):
    """A service to be started."""

    folder: str  #: its name
    files: Mapping[str, bytes]  #: what is in it, by path
    command: Sequence[str]
    installed: str = ""  #: the folder of the packages that it needs, empty for none
    tools: Sequence[str] = ()  #: files that its command reads


class Starter:
    """Starts a service anew, as often as it is called, in one of the ways of this module.

    What it may use is bounded for each start, and its time for all of them.
    """

    def __init__(self, project: Project, way: str, bounds: Bounds = BOUNDS) -> None:
        self.project, self.way, self.bounds = project, way, bounds
        self.until = time.monotonic() + bounds.in_all
        self.packed = packed(project.files, project.folder)

    def __call__(self, env: Mapping[str, str]) -> RunningService:
        """Return the service, which starts when it is entered."""
        return RunningService(self, env)


class RunningService(AbstractContextManager["RunningService"]):
    """One start of a service: a tree of processes that ends when it is left."""

    def __init__(self, starter: Starter, env: Mapping[str, str]) -> None:
        self._starter, self._env = starter, env
        self._until = math.inf
        self._heard = b""
        self._why = ""  # the limit that it exceeded
        self._answered = False
        self._begun, self._user = time.time(), dict[str, Any]()

    def __enter__(self) -> Self:
        # with `dir`, it does not look for a folder by writing to it, which no worker may
        self._folder = mkdtemp(prefix="verify-run-", dir=os.environ.get("TMPDIR", "/tmp"))  # noqa: S108
        with socket.socket(socket.AF_UNIX) as listener:
            self._listen(listener)
            there, here = os.pipe()
            try:
                self._until = time.monotonic() + self._starter.bounds.starting
                self._begin(listener, there)
            finally:
                os.close(there)
        # Once our own copy is closed, a request to a service that has ended has an end, too.
        self._watch = Thread(target=self._watched, daemon=True)
        self._watch.start()
        with suppress(BrokenPipeError), os.fdopen(here, "wb") as sources:
            sources.write(self._starter.packed)
        return self

    def _listen(self, listener: socket.socket) -> None:
        """Bind a socket to a path, if possible to one that no service reaches and no kill leaves.

        That path is a short one, too, wherever temporary files are: 108 bytes are all it may have.
        """
        self._path = os.path.join(self._folder, ".socket")
        if sys.platform != "linux":
            listener.bind(self._path)
            listener.listen(128)
            return
        folder = os.open(self._folder, os.O_PATH)
        try:
            path = f"/proc/self/fd/{folder}/.socket"
            listener.bind(path)
            listener.listen(128)
            self._socket = os.open(path, os.O_PATH)
            os.unlink(path)
        finally:
            os.close(folder)
        self._path = f"/proc/self/fd/{self._socket}"
        if self._starter.way == JAIL:
            os.rmdir(self._folder)

    def _begin(self, listener: socket.socket, sources: int) -> None:
        project, jailed = self._starter.project, self._starter.way == JAIL
        limits = self._starter.bounds.limits
        at = _WORK if jailed else self._folder
        place = os.path.join(at, project.folder)
        words = ["sh", "-c", _SCRIPT, "sh", at, project.folder, *project.command]
        env = {"PATH": _search_path(), "HOME": at, "TMPDIR": "/tmp", **self._env}  # noqa: S108
        mounted = {f"{place}/{INSTALLED}": project.installed} if project.installed else {}
        if jailed:
            mounted |= {tool: tool for tool in project.tools}
            jail = Jail(
                reads=_prefixes(), reads_at=mounted, home=at, environment=env, limits=limits
            )
            self._jail = jail
            self._process = jail.start(
                words, stdin=listener.fileno(), stdout=sources, stderr=subprocess.PIPE
            )
            return
        os.mkdir(place)
        for link, target in mounted.items():
            os.symlink(target, link)
        if self._starter.way == CONTAINER:
            needed = [*mounted.values(), *project.tools, *_prefixes()]
            self._user = _as_nobody([self._folder, place], needed)
        self._jail = Jail(limits=limits)
        self._process = subprocess.Popen(  # noqa: S603  # the learner's own work, or a container's
            words,
            stdin=listener.fileno(),
            stdout=sources,
            stderr=subprocess.PIPE,
            env=env,
            start_new_session=True,
            **self._user,
        )

    def __exit__(self, *_: object) -> None:
        self._end()
        self._process.wait()
        if self._starter.way != JAIL:
            _end_of_home(self._folder, self._user.get("user"), self._begun)
        self._watch.join()
        if self._process.stderr is not None:
            self._process.stderr.close()
        if sys.platform == "linux":
            os.close(self._socket)
        shutil.rmtree(self._folder, ignore_errors=True)

    def send(self, request: Request) -> Response:
        """Return the answer to a request.

        Raises:
            NoAnswer: there is none, or none that is complete.
            NotStarted: there has not been one yet, and the service has ended.
            BrokenRun: we could not start it.
        """
        self._until = time.monotonic() + self._seconds
        try:
            response = answer_to(request, self._path)
        except NoAnswer as error:
            why = self._reason(str(error))
            if self._answered or not self._has_ended():
                raise NoAnswer(why) from None
            raise self._not_started(why) from None
        finally:
            self._until = math.inf
        self._answered = True
        return response

    def code(self) -> int | None:
        """Wait for the end, and return its exit code, None where a limit ended it.

        Raises `BrokenRun`: we could not start it.
        """
        code = self._process.wait()
        self._watch.join()
        if _BEGUN not in self._heard:
            raise self._not_started("it did not begin")
        return None if self._why else code

    @property
    def _seconds(self) -> int:
        """The seconds in which the next request is to be answered."""
        bounds = self._starter.bounds
        return bounds.answering if self._answered else bounds.starting

    def _watched(self) -> None:
        """Keep what the service says first, and end it where it uses more than it may."""
        errors = self._process.stderr
        assert errors is not None  # noqa: S101  # a pipe, as asked for
        is_open = True
        while self._process.poll() is None or is_open:
            if not is_open:
                time.sleep(_TICK)
            elif select.select([errors], [], [], _TICK)[0]:
                said = os.read(errors.fileno(), 1 << 16)
                self._heard += said[: _HEARD - len(self._heard)]
                is_open = bool(said)
                if len(self._heard) < _HEARD and is_open:
                    continue
            self._look()

    def _look(self) -> None:
        now = time.monotonic()
        if now > self._starter.until:
            self._why = f"more than {self._starter.bounds.in_all} s for all criteria"
        elif now > self._until:
            self._why = f"more than {self._seconds} s for an answer"
        else:
            self._why = self._jail.excess(self._process.pid) or self._why
        if self._why:
            self._end()

    def _end(self) -> None:
        if self._starter.way != JAIL:
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(OSError):
            self._process.kill()

    def _has_ended(self) -> bool:
        """Return whether the service has ended, which may take a moment to show."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
            self._watch.join(1)
        return self._process.poll() is not None

    def _reason(self, what: str) -> str:
        """Return why there is no answer: the limit, how the service ended, or what was read."""
        has_ended = self._has_ended()
        code = self._process.returncode or 0
        number = -code if code < 0 else code - 128
        if number == signal.SIGXCPU:
            self._why = f"more than {self._starter.bounds.limits.cpu_seconds} s of CPU time"
        if self._why:
            return f"it took {self._why} (the limit)"
        if not has_ended:
            return what
        names = {int(known): known.name for known in signal.Signals}
        how = names.get(number, f"exit code {code}")
        return f"the service ended ({how})"

    def _not_started(self, why: str) -> Exception:
        ours, begun, said = self._heard.partition(_BEGUN)
        if not begun:
            return BrokenRun(" ".join(ours.decode("utf-8", "replace").split())[-300:] or why)
        if self._why:
            return NotStarted(why, is_limit=True)
        text = said.decode("utf-8", "replace")
        folder = self._starter.project.folder
        at = re.search(rf"/{re.escape(folder)}/((?!{INSTALLED}/){_PLACE.pattern})", text)
        error = _SAYS.search(text)
        first = error[0] if error else next(filter(None, map(str.strip, text.splitlines())), "")
        return NotStarted(
            " ".join((first[:300] or why).split()),
            f"{folder}/{at[2]}" if at else "",
            int(at[3]) if at else 0,
        )


def _as_nobody(folders: Sequence[str], needed: Sequence[str]) -> dict[str, Any]:
    """Give folders to the user nobody, and return what starts a program as that user.

    So a service in a container of root's cannot write the result that root then reports. Return
    nothing if we are not root, or if that user could not reach all that the service needs.
    """
    if not hasattr(os, "geteuid") or os.geteuid():
        return {}
    paths = map(Path.resolve, map(Path, [os.path.dirname(folders[0]), *needed]))
    above = (folder for path in paths for folder in (path, *path.parents) if folder.is_dir())
    try:
        if all(folder.stat().st_mode & stat.S_IXOTH for folder in above):
            for folder in folders:
                os.chown(folder, _NOBODY, _NOBODY)
            return {"user": _NOBODY, "group": _NOBODY, "extra_groups": ()}
    except OSError:  # a container that has no such user
        pass
    return {}


def _end_of_home(folder: str, user: int | None, begun: float) -> None:
    """End what has a home: a daemon of a service leaves its session, and keeps its environment.

    If the service has a user of its own, whose environment root may not see in a container, end
    what this user has started since the service was begun.
    """
    for _ in range(_ROUNDS):
        found = [
            process
            for process in psutil.process_iter()
            if _home(process) == folder or (user and _is_of(process, user, begun))
        ]
        for process in found:
            with suppress(psutil.Error):
                process.kill()
        if not found:
            return


def _is_of(process: psutil.Process, user: int, begun: float) -> bool:
    with suppress(psutil.Error):
        return process.uids().real == user and process.create_time() >= begun - 1
    return False


def _home(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return process.environ().get("HOME", "")
    return ""


def _search_path() -> str:
    return os.pathsep.join([*(f"{at}/bin" for at in _prefixes()), "/usr/bin", "/bin"])


def _prefixes() -> list[str]:
    """Return the folders of Node.js, where it is not one of the system's programs."""
    node = shutil.which("node")
    prefix = os.path.dirname(os.path.dirname(os.path.realpath(node))) if node else ""
    return [] if prefix in ("", "/usr", "/") else [prefix]
