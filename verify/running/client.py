"""A small client of HTTP/1.1 over a Unix socket: what comes back is hostile, and bounded."""

from __future__ import annotations

import socket
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING

from pipeline.files import size_of
from pipeline.terminal.display import visible
from verify.acceptance.service import MAX_BODY, NoAnswer, Response

if TYPE_CHECKING:
    from verify.acceptance.service import Request

_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
_SHOWN = 100


class _Connection(HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self._path)


def answer_to(request: Request, path: str) -> Response:
    """Send a request to the socket at a path, and return the answer; raises `NoAnswer`.

    It waits as long as the socket is open: whoever calls ends the service in time. Redirects are
    answers, and what is compressed stays so.
    """
    with closing(_Connection(path)) as connection:
        try:
            _send(connection, request)
            with connection.getresponse() as answer:
                body = answer.read(MAX_BODY + 1)
                status, headers = answer.status, tuple(answer.getheaders())
                left = answer.length  # None where its end is the end of the connection
        except (OSError, HTTPException, ValueError) as error:
            is_closed = isinstance(error, ConnectionError)
            said = visible(f"{type(error).__name__}: {error}".strip(), _SHOWN)
            what = "the connection was closed" if is_closed else f"it is not HTTP ({said})"
            raise NoAnswer(what) from None
    if len(body) > MAX_BODY:
        raise NoAnswer(f"it is longer than {size_of(MAX_BODY)} (the limit)")
    if left:
        raise NoAnswer("it is not complete")
    return Response(status=status, headers=headers, body=body)


def _send(connection: _Connection, request: Request) -> None:
    names = {name.lower() for name, _ in request.headers}
    connection.putrequest(
        request.method, request.target, skip_host="host" in names, skip_accept_encoding=True
    )
    for name, value in request.headers:
        connection.putheader(name, value)
    if "content-length" not in names and (request.body or request.method in _WITH_BODY):
        connection.putheader("Content-Length", str(len(request.body)))
    connection.putheader("Connection", "close")
    try:
        connection.endheaders(request.body or None)
    except (BrokenPipeError, ConnectionResetError):
        # A service may answer before it has read all. What the kernel still holds against the
        # socket would come in the place of the answer's end: asking for it takes it away.
        connection.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
