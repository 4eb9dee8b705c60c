"""Archives and folders on a real web server that wants a signature."""

from __future__ import annotations

import contextlib
import threading
from http.server import ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.limits import MAX_BYTES
from pipeline.reading import Unreadable
from tests.stubs.remote_places import SignedFiles, fault_of, read_all, zipped
from verify.sources.remote import RemoteBackend, RemoteSource, Sent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    """Yield the address of a web server of `tmp_path` that wants a signature."""

    def handler(*words: Any) -> SignedFiles:
        return SignedFiles(*words, directory=str(tmp_path))

    running = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{running.server_address[1]}"
    with contextlib.suppress(OSError):
        running.shutdown()
    running.server_close()
    thread.join()


def test_a_signed_address_is_used_and_its_signature_kept_nowhere(web: str, tmp_path: Path) -> None:
    (tmp_path / "hw.zip").write_bytes(
        zipped({"hw/alice/plan.json": b"a", "hw/bob/plan.json": b"b"})
    )
    source = RemoteSource(f"{web}/hw.zip?sig=hidden")
    entries = list(source.entries())

    assert source.container == f"{web}/hw.zip"
    assert "hidden" not in repr(entries)
    assert read_all(f"{web}/hw.zip?sig=hidden") == {"alice": b"a", "bob": b"b"}


def test_a_web_address_without_its_signature_says_what_to_do(web: str, tmp_path: Path) -> None:
    (tmp_path / "hw.zip").write_bytes(zipped({"hw/alice/plan.json": b"a"}))

    assert fault_of(f"{web}/hw.zip") == (
        f"{web}/hw.zip may not be read: permission denied; put the user's name and password into "
        "~/.netrc, or use a signed address"
    )
    assert fault_of(f"{web}/gone.zip?sig=hidden") == f"{web}/gone.zip does not exist"
    assert "hidden" not in fault_of(f"{web}/hw.zip?sig=hidden-no")


def test_a_folder_on_a_web_server_is_read_and_a_refusal_is_no_missing_file(
    web: str, tmp_path: Path
) -> None:
    (tmp_path / "alice x").mkdir()
    (tmp_path / "alice x/plan #1.json").write_bytes(b"{}")
    (tmp_path / "alice x/large.json").write_bytes(b" " * (MAX_BYTES + 1))
    with RemoteBackend(web) as backend:
        door = backend.submission(Sent("alice x/", "sig=hidden"))
        found = door.read("plan #1.json"), door.is_file("plan #1.json"), door.is_file("no.json")
        with pytest.raises(Unreadable, match="is larger than 1024 KiB"):
            door.read("large.json")
        with pytest.raises(Unreadable, match="does not exist"):
            door.read("no.json")
    with RemoteBackend(web) as backend:
        door = backend.submission(Sent("alice x/", "sig=no"))
        with pytest.raises(OSError, match=r"may not be read: permission denied"):
            door.read("plan #1.json")
        with pytest.raises(OSError, match=r"may not be read: permission denied"):
            door.is_file("plan #1.json")

    assert found == (b"{}", True, False)
