"""Buckets on a real S3 server: their entries, and what goes wrong with an address."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import fsspec
import pytest
from moto.server import ThreadedMotoServer

from pipeline.files import FILE, FOLDER, MAX_BYTES, MISSING, TOO_LARGE, Unreadable
from tests.stubs.archives import zip_bytes
from verify.intake.collection import Entry
from verify.intake.opening import collection_of, open_entry
from verify.intake.table import Unusable
from verify.submissions.files import Unresolved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Put = Callable[[dict[str, bytes]], str]


REFUSED = "is not a supported URL: expected s3://bucket/folder, gs:// or az://"


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """Yield the address of an S3 server."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def bucket(
    server: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, tmp_path: Path
) -> Put:
    """Return a function that puts objects into a bucket of this test's own."""
    for name, value in {
        "AWS_ENDPOINT_URL": server,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": str(tmp_path / "none"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "none"),
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }.items():
        monkeypatch.setenv(name, value)
    fsspec.filesystem("s3").clear_instance_cache()
    name = f"class-{abs(hash(request.node.nodeid)):x}"
    system = fsspec.filesystem("s3")
    system.mkdir(name)

    def put(files: dict[str, bytes]) -> str:
        system.pipe({f"{name}/{path}": data for path, data in files.items()})
        return f"s3://{name}"

    return put


def opened(address: str, name: str) -> Any:
    """Return the files of an entry, as a worker opens them."""
    collection = collection_of(address)
    return open_entry(collection.kind, collection.container, name)


def test_folders_and_archives_below_a_prefix_are_entries(bucket: Put) -> None:
    address = bucket({"hw/ada/a/plan.json": b"1", "hw/bob.zip": zip_bytes(("plan.json", b"2"))})
    address = f"{address}/hw"

    assert list(collection_of(f"{address}/").entries()) == [
        Entry("ada", FOLDER),
        Entry("bob.zip", FILE),
    ]
    assert opened(address, "ada").read("a/plan.json") == b"1"
    assert opened(address, "ada").names("") == ["a"]
    assert opened(address, "bob.zip").read("plan.json") == b"2"


def test_what_is_missing_or_too_large_is_the_learners_outcome(bucket: Put) -> None:
    address = bucket({"ada/large": bytes(MAX_BYTES + 1), "x.zip": b"PK cut"})
    files = opened(address, "ada")

    for path, reason in (("gone", MISSING), ("large", TOO_LARGE)):
        with pytest.raises(Unreadable) as refused:
            files.read(path)
        assert refused.value.reason == reason
    assert [files.is_file(path) for path in ("large", "gone")] == [True, False]
    with pytest.raises(Unresolved):
        opened(address, "x.zip")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("https://x.org/class.zip", REFUSED),
        (
            "ftp://x.org/a",
            REFUSED,
        ),
        ("s3://key:secret@bucket/a", REFUSED),
        ("s3:///a", REFUSED),
        ("s3://nobodys-bucket-at-all/a", "does not exist"),
    ],
)
@pytest.mark.usefixtures("bucket")
def test_an_address_that_cannot_be_read_is_refused_in_one_line_without_secrets(
    address: str, why: str
) -> None:
    with pytest.raises(Unusable) as refused:
        list(collection_of(address).entries())

    assert why in str(refused.value)
    assert "secret" not in str(refused.value)
    assert str(refused.value).isprintable()


def test_a_library_that_is_not_installed_is_installed_by_the_course(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lacking(*_: Any, **_options: Any) -> None:
        raise ImportError

    monkeypatch.setattr("fsspec.core.url_to_fs", lacking)
    with pytest.raises(Unusable) as raised:
        collection_of("s3://course/hw1")

    assert (
        str(raised.value) == "s3://course/hw1 needs the extra `cloud`: run python3 start.py cloud"
    )
