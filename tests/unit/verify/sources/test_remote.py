"""Buckets on a real S3 server, read as workers read them, and what goes wrong with them."""

from __future__ import annotations

import logging
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import fsspec
import pytest
from moto.server import ThreadedMotoServer

from pipeline.limits import MAX_BYTES
from pipeline.reading import MISSING, TOO_LARGE, Unreadable
from tests.stubs.archives import zip_bytes
from verify.sources.base import Entry, UnusableSource
from verify.sources.remote import RemoteBackend, RemoteSource
from verify.submission import NoSubmission

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECRETS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")


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


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """Yield the address of an S3 server with a bucket `cohort`."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def bucket(
    server: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, tmp_path: Path
) -> Any:
    """Return a function that puts objects below a prefix of this test's own bucket."""
    for name, value in {
        "AWS_ENDPOINT_URL": server,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": str(tmp_path / "none"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "none"),
        "AWS_EC2_METADATA_DISABLED": "true",
        SECRETS[0]: "key",
        SECRETS[1]: "secret",
    }.items():
        monkeypatch.setenv(name, value)
    fsspec.filesystem("s3").clear_instance_cache()
    name = f"cohort-{abs(hash(request.node.nodeid)):x}"
    system = fsspec.filesystem("s3")
    system.mkdir(name)

    def put(files: dict[str, bytes]) -> str:
        system.pipe({f"{name}/{path}": data for path, data in files.items()})
        return f"s3://{name}"

    return put


def test_folders_and_archives_below_a_prefix_are_submissions(bucket: Any) -> None:
    address = bucket(
        {
            "hw/alice/plan.json": b"alice",
            "hw/bob.zip": zip_bytes(("project/plan.json", b"bob")),
            "hw/carol d/plan.json": b"carol",
            "hw/notes.txt": b"",
            "hw/.hidden/plan.json": b"",
            "other/eve/plan.json": b"eve",
        }
    )
    source = RemoteSource(f"{address}/hw/")

    assert source.container == f"{address}/hw"
    assert list(source.entries()) == [
        Entry("alice", "alice/"),
        Entry("bob", "bob.zip"),
        Entry("carol d", "carol d/"),
    ]
    assert read_all(f"{address}/hw") == {"alice": b"alice", "bob": b"bob", "carol d": b"carol"}


def test_more_learners_than_a_page_are_listed_in_a_whole_bucket(
    bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verify.sources.remote_listing._PAGE", 2)
    address = bucket({f"{name}/plan.json": name.encode() for name in "edcba"})

    assert read_all(address) == {name: name.encode() for name in "abcde"}


def test_a_folder_answers_as_one_on_a_disk(bucket: Any) -> None:
    address = bucket(
        {
            "hw/alice/sandbox/.pipeline/été ?#%41.json": b"{}",
            "hw/alice/empty.json": b"",
            "hw/alice/large.json": b" " * (MAX_BYTES + 1),
            "hw/alice/full.json": b" " * MAX_BYTES,
            "hw/alicia/secret.json": b"another learner's",
        }
    )
    with RemoteBackend(f"{address}/hw") as backend:
        door = backend.submission(RemoteSource(f"{address}/hw").payload("alice/"))
        found = [
            door.read("sandbox/.pipeline/été ?#%41.json"),
            door.read("empty.json"),
            len(door.read("full.json")),
            door.is_file("empty.json"),
            door.is_file("sandbox"),
            door.is_file("../alicia/secret.json"),
            door.names(""),
            door.names("sandbox/.pipeline"),
        ]
        refused = []
        for path in ("large.json", "no.json", "sandbox", "../alicia/secret.json", "", "/x", "a//b"):
            with pytest.raises(Unreadable) as raised:
                door.read(path)
            refused.append(raised.value.reason)
        for path in ("gone", "empty.json", ".."):
            with pytest.raises(Unreadable) as raised:
                door.names(path)
            refused.append(raised.value.reason)
        door.close()

    assert found == [
        b"{}",
        b"",
        MAX_BYTES,
        True,
        False,
        False,
        ["empty.json", "full.json", "large.json", "sandbox"],
        ["été ?#%41.json"],
    ]
    assert refused == [TOO_LARGE, *[MISSING] * 9]


def test_a_learner_who_vanishes_while_grading_is_an_error_of_ours(bucket: Any) -> None:
    address = bucket({"hw/alice/plan.json": b"", "hw/bob/plan.json": b""})
    source = RemoteSource(f"{address}/hw")
    payloads = [source.payload(entry.inner) for entry in source.entries()]
    system = fsspec.filesystem("s3")
    with RemoteBackend(source.container) as backend:
        system.rm(f"{address}/hw/alice", recursive=True)
        with pytest.raises(OSError, match="alice is not there any more"):
            backend.submission(payloads[0]).read("plan.json")
        system.rm(address, recursive=True)
        with pytest.raises(OSError, match="bob is not there any more"):
            backend.submission(payloads[1]).read("plan.json")


def test_a_server_that_stops_answering_is_an_error_of_ours(
    bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = bucket({"hw/bob.zip": b""})
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setattr("s3fs.S3FileSystem.retries", 1)
    fsspec.filesystem("s3").clear_instance_cache()
    with (
        RemoteBackend(f"{address}/hw") as backend,
        pytest.raises(OSError, match="cannot be reached: look at the address"),
    ):
        backend.submission("bob.zip")


def test_an_archive_that_is_none_is_that_learners_outcome(bucket: Any) -> None:
    address = bucket({"hw/alice.zip": b"no zip"})
    for name in ("alice.zip", "gone.zip"):
        with RemoteBackend(f"{address}/hw") as backend, pytest.raises(NoSubmission):
            backend.submission(name)


def test_what_cannot_be_listed_is_told_in_one_line(
    bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = bucket({"hw/alice/plan.json": b""})
    missing = fault_of("s3://no-such-bucket-of-ours/hw")
    nothing = fault_of(f"{address}/elsewhere")
    for name in SECRETS:
        monkeypatch.delenv(name)
    fsspec.filesystem("s3").clear_instance_cache()

    assert missing == "s3://no-such-bucket-of-ours/hw does not exist"
    assert nothing == (
        f"{address}/elsewhere holds no submission: expected a folder or an archive for each learner"
    )
    assert fault_of(f"{address}/hw").startswith(
        f"{address}/hw cannot be read without credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID"
    )


def test_an_address_that_is_none_is_refused_without_its_secrets() -> None:
    addresses = {
        "ftp://x/y": "ftp:// is no kind of address that is read: expected s3://, gs:// or az://",
        "https://host/hw": "https:// is no kind of address that is read",
        "s3://key:hidden@bucket/hw": "bucket/hw: an address must not have a password in it",
        "s3://bucket/hw?token=hidden": "s3://bucket/hw: an address ends before `?` and `#`",
        "s3:///hw": "s3:///hw names no bucket",
        "s3://b/hw.zip": "s3://b/hw.zip is a .zip archive: copy it here, and name the file",
        "s3://[host/hw": "s3://[host/hw is no address",
    }
    faults = {address: fault_of(address) for address in addresses}

    assert [a for a, told in addresses.items() if not faults[a].startswith(told)] == []
    assert [fault for fault in faults.values() if "hidden" in fault] == []


def _first_of(container: str, payload: Any) -> bytes:
    with RemoteBackend(container) as backend:
        door = backend.submission(payload)
        found = door.read("plan.json")
        door.close()
    return found


@pytest.mark.parametrize("way", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_a_worker_opens_the_bucket_itself(way: str, bucket: Any) -> None:
    address = bucket({"hw/alice/plan.json": b"alice"})
    source = RemoteSource(f"{address}/hw")
    (entry,) = source.entries()
    with ProcessPoolExecutor(1, mp_context=get_context(way)) as pool:
        found = pool.submit(_first_of, source.container, source.payload(entry.inner)).result(120)

    assert found == b"alice"
