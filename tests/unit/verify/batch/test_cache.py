"""The recorder passes every question on, notes it, and digests what came back."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from pipeline.files import MISSING, Unreadable
from verify.batch.cache import AccessRecorder, digests_of
from verify.submissions.history.history import History
from verify.submissions.history.objects import ObjectStore
from verify.submissions.history.refs import Branches

if TYPE_CHECKING:
    from collections.abc import Callable


class Memory:
    """A submission in memory; a file that is not there is missing."""

    root = "memory"

    def __init__(self, **files: bytes) -> None:
        self.files = files
        self.past: History | Unreadable | None = None

    def read(self, path: str) -> bytes:
        if path in self.files:
            return self.files[path]
        raise Unreadable(MISSING, "does not exist")

    def is_file(self, path: str) -> bool:
        return path in self.files

    def names(self, path: str) -> list[str]:
        if path:
            raise Unreadable(MISSING, "does not exist")
        return sorted(self.files)

    def history(self) -> History | None:
        if isinstance(self.past, Unreadable):
            raise self.past
        return self.past


def ask(door: Memory | AccessRecorder) -> AccessRecorder:
    recorder = AccessRecorder(door)
    recorder.read("plan")
    with pytest.raises(Unreadable):
        recorder.read("gone")
    recorder.is_file("plan")
    recorder.names("")
    with pytest.raises(Unreadable):
        recorder.names("folder")
    return recorder


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        (lambda files: files.update(plan=b"[1]"), [0]),
        (lambda files: files.update(gone=b""), [1, 3]),
        (lambda files: files.pop("plan"), [0, 2, 3]),
        (lambda files: files.update({"\ud800": b""}), [3]),
    ],
    ids=["changed", "there", "gone", "an odd name"],
)
def test_each_answer_changes_with_what_it_answers(
    change: Callable[[dict[str, bytes]], object], differs: list[int]
) -> None:
    recorder = ask(Memory(plan=b"[]"))
    door = Memory(plan=b"[]")
    change(door.files)
    again = digests_of(recorder.reads, door)
    pairs = [(recorder.digests[at : at + 16], again[at : at + 16]) for at in range(0, 80, 16)]

    assert [number for number, (before, after) in enumerate(pairs) if before != after] == differs


def with_history(digest: str) -> Memory:
    """Return a submission with an empty history that goes by a digest."""
    door = Memory()
    door.past = History(ObjectStore(), Branches({}))
    door.past.digest = digest
    return door


def history_answer(door: Memory) -> bytes:
    recorder = AccessRecorder(door)
    with suppress(Unreadable):
        recorder.history()

    assert json.loads(recorder.reads) == [["history", ""]]
    assert digests_of(recorder.reads, door) == recorder.digests
    return recorder.digests


def test_h_a_question_that_was_answered_is_not_asked_again() -> None:
    door = Memory(plan=b"[]")
    recorder = ask(door)
    door.files.update(gone=b"", plan=b"[1]")
    again = AccessRecorder(recorder)

    assert (ask(recorder).reads, again.read("plan"), again.names("")) == (
        recorder.reads,
        b"[]",
        ["plan"],
    )
    assert len(json.loads(recorder.reads)) == 5


def test_a_history_is_asked_for_once_and_its_digest_is_the_answer() -> None:
    door = with_history("one")
    recorder = AccessRecorder(door)

    assert (recorder.history(), recorder.history()) == (door.past, door.past)
    assert json.loads(recorder.reads) == [["history", ""]]


def test_histories_that_differ_lack_or_cannot_be_read_answer_differently() -> None:
    damaged = Memory()
    damaged.past = Unreadable(MISSING, "is damaged")
    answers = [with_history("one"), with_history("other"), Memory(), damaged]

    assert len({history_answer(door) for door in answers}) == 4
