"""Runs a service of this project's own, unjailed, behind a Unix socket, and asks it over HTTP."""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

from verify.acceptance.reading import LISTEN
from verify.acceptance.service import MAX_BODY, NoAnswer, Request, Response

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from verify.acceptance.model import Acceptance

SECONDS = 60  # for one answer, on a machine that has other things to do
_INHERIT = 'exec 3<&0 </dev/null; exec "$@"'  # some shells know no descriptor above 9


class _OverUnix(http.client.HTTPConnection):
    def __init__(self, path: str, seconds: float) -> None:
        super().__init__("localhost", timeout=seconds)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Asked:
    """A running service; each request has a connection of its own."""

    def __init__(self, path: str, seconds: float) -> None:
        self._path = path
        self._seconds = seconds

    def send(self, request: Request) -> Response:
        connection = _OverUnix(self._path, self._seconds)
        try:
            try:
                headers = {"connection": "close", **dict(request.headers)}
                connection.request(request.method, request.target, request.body or None, headers)
            except BrokenPipeError:
                pass  # an answer may come before all of the body is read
            answer = connection.getresponse()
            body = answer.read(MAX_BODY + 1)
            return Response(status=answer.status, headers=tuple(answer.getheaders()), body=body)
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswer(f"{type(error).__name__}: {error}") from None
        finally:
            connection.close()


class Node:
    """Starts the service in a folder, with the command of the acceptance criteria."""

    def __init__(self, folder: Path, acceptance: Acceptance, seconds: float = SECONDS) -> None:
        self._folder = folder
        self._seconds = seconds
        self._command = [LISTEN if word == "{listen}" else word for word in acceptance.start]

    @contextmanager
    def __call__(self, env: Mapping[str, str]) -> Iterator[Asked]:
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
            path = os.path.join(folder, "s")
            listening.bind(path)
            listening.listen()
            words = ["sh", "-c", _INHERIT, "sh", *self._command]
            own = {"PATH": os.environ["PATH"], "LOG_LEVEL": "silent", **env}
            program = subprocess.Popen(
                words,
                cwd=self._folder,
                env=own,
                stdin=listening.fileno(),
                stdout=subprocess.DEVNULL,
            )
            listening.close()
            try:
                yield Asked(path, self._seconds)
            finally:
                program.kill()
                program.wait()


def laid_over(sandbox: Path, changes: Path, modules: Path, folder: Path) -> Path:
    """Return a copy of the sandbox with a solution's files over it and its packages linked."""
    ignored = shutil.ignore_patterns("node_modules", "issues", ".pipeline")
    shutil.copytree(sandbox, folder, ignore=ignored)
    shutil.copytree(changes, folder, dirs_exist_ok=True)
    (folder / "node_modules").symlink_to(modules, target_is_directory=True)
    return folder
