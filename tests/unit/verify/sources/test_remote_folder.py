"""A learner's folder far away: what all are asked is fetched ahead, and a history comes with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from pipeline.reading import MISSING, Unreadable
from tests.stubs.repositories import git
from verify.history import BUNDLE
from verify.sources.remote_asking import HERE, READ, Question
from verify.sources.remote_folder import Fetching, RemoteFolder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from verify.sources.remote_asking import Asking


class Bucket:
    """Answers by objects' paths, and keeps what it was asked, call by call."""

    def __init__(self, objects: dict[str, bytes]) -> None:
        self.asked: list[list[Question]] = []
        self._objects = objects

    def all(self, questions: Sequence[Question]) -> list[Any]:
        self.asked.append(list(questions))
        return [self._answer(question) for question in questions]

    def _answer(self, question: Question) -> Any:
        if question.operation == HERE:
            return True
        data = self._objects.get(question.path)
        return Unreadable(MISSING, "does not exist") if data is None else data


def folder_of(bucket: Bucket, name: str) -> RemoteFolder:
    return RemoteFolder(name, Fetching(cast("Asking", bucket)))


@pytest.fixture
def bundle(tmp_path: Path) -> bytes:
    """Return the bundle of a history of one commit."""
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    git(tmp_path, *who, "commit", "--quiet", "--allow-empty", "-m", "feat: begin")
    git(tmp_path, "bundle", "create", "--quiet", "all.bundle", "--all")
    return (tmp_path / "all.bundle").read_bytes()


def test_the_bundle_that_was_handed_in_is_the_history_and_is_read_once(bundle: bytes) -> None:
    bucket = Bucket({f"ada/{BUNDLE}": bundle})
    door = folder_of(bucket, "ada")
    history, again = door.history(), door.history()
    door.close()

    assert history is not None
    assert history is again
    assert list(history.branches.refs) == ["refs/heads/main"]
    assert bucket.asked == [[Question(READ, f"ada/{BUNDLE}")]]


def test_without_a_bundle_there_is_no_history_and_a_damaged_one_is_told(bundle: bytes) -> None:
    none = folder_of(Bucket({"ada/plan.json": b"{}"}), "ada")
    damaged = folder_of(Bucket({f"ada/{BUNDLE}": bundle[:40]}), "ada")

    assert none.history() is None
    with pytest.raises(Unreadable, match=r"^\.pipeline/history\.bundle "):
        damaged.history()
    damaged.close()


def test_what_most_were_asked_is_fetched_of_the_next_ones_together() -> None:
    names = ["ada", "bob", "cyd"]
    bucket = Bucket({f"{name}/p": name.encode() for name in names})
    fetching = Fetching(cast("Asking", bucket))
    fetching.expect(names)
    read = []
    for name in names:
        door = RemoteFolder(name, fetching)
        read.append(door.read("p"))
        door.close()

    assert read == [b"ada", b"bob", b"cyd"]
    assert [len(asked) for asked in bucket.asked if asked] == [1, 2]
