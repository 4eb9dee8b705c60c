"""A big archive as a worker opens it: only the one that was listed is graded by its places."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.stubs.archives import tar_bytes, written, zip_bytes
from verify.sources.archive_backend import ArchiveReplaced
from verify.sources.backends import backend_of
from verify.sources.tar_source import tar_source
from verify.sources.zip_source import zip_source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.sources.base import Source

KINDS: dict[str, tuple[Callable[..., bytes], Callable[[str], Source]]] = {
    "zip": (zip_bytes, zip_source),
    "tar": (tar_bytes, tar_source),
}


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_that_was_replaced_is_our_fault_and_nobodys_zero(
    tmp_path: Path, kind: str
) -> None:
    made, of = KINDS[kind]
    path = written(tmp_path / f"cohort.{kind}", made(("ada/a", b"1"), ("bob/a", b"2")))
    source = of(path)
    payloads = {entry.learner: source.payload(entry.inner) for entry in source.entries()}
    source.close()
    with backend_of(kind, path) as backend:
        before = backend.submission(payloads["bob"]).read("a")
    written(path, made(("bob/a", b"3"), ("eve/a", b"4"), ("ada/a", b"5")))

    assert before == b"2"
    with backend_of(kind, path) as backend, pytest.raises(ArchiveReplaced, match="was replaced"):
        backend.submission(payloads["bob"])


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_that_was_only_touched_is_another_one_too(tmp_path: Path, kind: str) -> None:
    made, of = KINDS[kind]
    path = written(tmp_path / f"cohort.{kind}", made(("ada/a", b"1"), ("bob/a", b"2")))
    source = of(path)
    payload = source.payload(next(iter(source.entries())).inner)
    source.close()
    os.utime(path, ns=(1, 1))

    with backend_of(kind, path) as backend, pytest.raises(ArchiveReplaced):
        backend.submission(payload)
