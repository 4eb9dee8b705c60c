"""The client of a submission's service reads what is hostile, within bounds."""

from __future__ import annotations

import socket
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from verify.acceptance.service import MAX_BODY, NoAnswer, Request, Response
from verify.running.client import answer_to

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OK = b"HTTP/1.1 200 OK\r\n"
BAD = {
    "nothing": (b"", "the connection was closed"),
    "no HTTP": (b"hello\r\n\r\n", "it is not HTTP (BadStatusLine: hello)"),
    "half a body": (OK + b"Content-Length: 9\r\n\r\nhalf", "it is not complete"),
    "long": (OK + b"\r\n" + b"x" * (MAX_BODY + 1), "it is longer than 256 KiB (the limit)"),
    "long chunk": (
        OK + b"Transfer-Encoding: chunked\r\n\r\nffffffff\r\n" + b"x" * (MAX_BODY + 9),
        "it is longer than 256 KiB (the limit)",
    ),
    "no chunk": (OK + b"Transfer-Encoding: chunked\r\n\r\n-9\r\nx", "it is not HTTP ("),
    "headers": (OK + b"a: b\r\n" * 200 + b"\r\n", "it is not HTTP (HTTPException: got more than"),
    "a long line": (OK + b"a: " + b"b" * 70_000 + b"\r\n\r\n", "it is not HTTP (LineTooLong"),
    "colours": (b"\x1b[31m\r\n\r\n", "it is not HTTP (BadStatusLine: \\u{1b}[31m)"),
}


@pytest.fixture
def serve(tmp_path: Path) -> Callable[[bytes], str]:
    """Return what answers one connection with bytes; it returns the path of its socket."""

    def start(answer: bytes, *, reads: bool = True) -> str:
        path = str(tmp_path / "socket")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()

        def work() -> None:
            with listener, listener.accept()[0] as connection:
                if reads:
                    connection.recv(1 << 20)
                try:
                    connection.sendall(answer)
                except OSError:  # the client has read enough
                    return

        Thread(target=work, daemon=True).start()
        return path

    return start


@pytest.mark.parametrize("kind", BAD)
def test_an_answer_that_is_none_says_why(serve: Callable[[bytes], str], kind: str) -> None:
    answer, why = BAD[kind]
    with pytest.raises(NoAnswer) as caught:
        answer_to(Request(method="GET", target="/"), serve(answer))

    assert str(caught.value).startswith(why)
    assert "\x1b" not in str(caught.value)


def test_an_answer_is_read_as_it_is(serve: Callable[[bytes], str]) -> None:
    head = OK.replace(b"200 OK", b"302 Found") + b"Location: http://169.254.0.1/\r\nX-A: 1\r\n"
    packed = b"\x1f\x8b" + bytes(20)
    answer = head + b"Content-Encoding: gzip\r\nX-A: 2\r\nContent-Length: 22\r\n\r\n" + packed

    assert answer_to(Request(method="GET", target="/"), serve(answer)) == Response(
        status=302,
        headers=(
            ("Location", "http://169.254.0.1/"),
            ("X-A", "1"),
            ("Content-Encoding", "gzip"),
            ("X-A", "2"),
            ("Content-Length", "22"),
        ),
        body=packed,
    )


def test_an_answer_may_come_before_the_whole_request_was_read(serve: Callable[..., str]) -> None:
    path = serve(OK.replace(b"200 OK", b"413 Large") + b"\r\n", reads=False)
    large = Request(method="POST", target="/", body=b"x" * (2 << 20))

    assert answer_to(large, path).status == 413
