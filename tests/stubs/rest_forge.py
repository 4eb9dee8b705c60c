"""A forge on this machine whose REST API has the documents that it is given, by their paths."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

TOKEN = "s3cret"  # noqa: S105  # of the stub


class RestForge:
    """A server; `asked` are the paths, with their queries, that were asked for with the token."""

    def __init__(self) -> None:
        self.documents: dict[str, Any] = {}
        self.asked: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.stub = self  # type: ignore[attr-defined]  # the handler's only way to it
        self.host = f"127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Answer with a document, 204 for an empty one, 404 for none, 401 without the token."""
        stub: RestForge = self.server.stub  # type: ignore[attr-defined]  # see RestForge
        given = {self.headers.get("PRIVATE-TOKEN"), self.headers.get("Authorization")}
        body: Any = {"message": "Unauthorized"}
        status = 401
        if given & {TOKEN, f"token {TOKEN}"}:
            stub.asked.append(self.path)
            status = 200 if self.path in stub.documents else 404
            body = stub.documents.get(self.path, {"message": "Not Found"})
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status if data else 204)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
