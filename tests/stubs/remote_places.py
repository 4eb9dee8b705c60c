"""What tests of buckets and web servers share: archives, a server of signed files, readers."""

from __future__ import annotations

import io
import zipfile
from http.server import SimpleHTTPRequestHandler

import pytest

from verify.sources.base import UnusableSource
from verify.sources.remote import RemoteBackend, RemoteSource


def zipped(files: dict[str, bytes]) -> bytes:
    """Return a .zip of files."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return made.getvalue()


def read_all(address: str, path: str = "plan.json") -> dict[str, bytes]:
    """Return a file of each learner, read as a worker reads a batch."""
    source = RemoteSource(address)
    entries = list(source.entries())
    payloads = [source.payload(entry.inner) for entry in entries]
    found = {}
    with RemoteBackend(source.container) as backend:
        backend.expect(payloads)
        for entry, payload in zip(entries, payloads, strict=True):
            door = backend.submission(payload)
            found[entry.learner] = door.read(path)
            door.close()
    source.close()
    return found


def fault_of(address: str) -> str:
    """Return the one line that an address is refused with."""
    with pytest.raises(UnusableSource) as raised:
        list(RemoteSource(address).entries())
    assert "\n" not in str(raised.value)
    return str(raised.value)


class SignedFiles(SimpleHTTPRequestHandler):
    """Serves files, by ranges too, to those who know the signature."""

    def do_HEAD(self) -> None:
        """Answer with the head alone."""
        self._serve(head=True)

    def do_GET(self) -> None:
        """Answer with the file, or a part of it."""
        self._serve(head=False)

    def _serve(self, *, head: bool) -> None:
        path, _, query = self.path.partition("?")
        if query != "sig=hidden":
            self.send_error(403)
            return
        try:
            with open(self.translate_path(path), "rb") as file:
                data = file.read()
        except OSError:
            self.send_error(404)
            return
        asked = self.headers.get("Range")
        self.send_response(206 if asked else 200)
        part = data
        if asked:
            start, _, end = asked.removeprefix("bytes=").partition("-")
            part = data[int(start) : int(end) + 1]
            self.send_header("Content-Range", f"bytes {start}-{end}/{len(data)}")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        if not head:
            self.wfile.write(part)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
