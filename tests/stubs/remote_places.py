"""What tests of buckets share: archives, and readers."""

from __future__ import annotations

import io
import zipfile

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
