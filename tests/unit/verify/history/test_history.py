"""Questions to a history are answered as git itself answers them, within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.files import DENIED, Unreadable
from verify.history.objects import BeyondLimits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.stubs.repositories import UserRepository
    from verify.history.history import History

    Opened = Callable[[Path], History]

BRANCH = "feature/issue-7-health"


@pytest.mark.parametrize("digits", [7, 12, 40])
@pytest.mark.parametrize("kept", ["loose", "packed"])
def test_a_commit_is_found_by_its_id_also_abbreviated(
    digits: int, kept: str, work: UserRepository, history_in: Opened
) -> None:
    commit = work.git("rev-parse", BRANCH)
    if kept == "packed":
        work.git("gc", "--quiet")
    history = history_in(work.folder)

    assert history.find(commit[:digits].upper()) == {commit: "commit"}


def test_a_signed_commit_is_read(work: UserRepository, history_in: Opened) -> None:
    plain = work.git("cat-file", "commit", BRANCH)
    head, _, message = plain.partition("\n\n")
    signed = f"{head}\ngpgsig -----BEGIN SSH SIGNATURE-----\n U1NIU0lH\n \n author x\n{message}\n"
    signed = signed.replace(" author x\n", " -----END SSH SIGNATURE-----\n\n")
    name = work.git("hash-object", "-t", "commit", "-w", "--stdin", text=signed)
    history = history_in(work.folder)

    assert history.commit(name).message == message.strip()


def test_a_huge_message_is_refused_by_its_size(work: UserRepository, history_in: Opened) -> None:
    (work.folder / "message").write_text("feat: long\n\n" + 20_000 * "a line of words\n")
    work.git("commit", "--quiet", "--allow-empty", "-F", "message")
    history = history_in(work.folder)

    with pytest.raises(Unreadable, match="is larger than 256 KiB, the most that is read"):
        history.commit(work.git("rev-parse", "HEAD"))


def test_what_is_no_commit_is_told(history: History, work: UserRepository) -> None:
    with pytest.raises(Unreadable, match=r"is not a commit$") as refused:
        history.commit(work.git("rev-parse", "main^{tree}"))

    assert refused.value.reason == DENIED


def test_the_digest_is_another_one_once_anything_was_committed(
    work: UserRepository, history_in: Opened
) -> None:
    digests = []
    for message in ("", "feat: one more"):
        if message:
            work.commit(message)
        history = history_in(work.folder)
        digests.append(history.digest)
    again = history_in(work.folder)

    assert digests[0] != digests[1] == again.digest


def test_the_digest_is_another_one_once_an_object_is_gone(
    work: UserRepository, history_in: Opened
) -> None:
    name = work.git("rev-parse", "main:README.md")
    before = history_in(work.folder)
    digest = before.digest
    (work.folder / ".git" / "objects" / name[:2] / name[2:]).unlink()
    after = history_in(work.folder)

    assert after.digest != digest


@pytest.mark.parametrize(
    ("bound", "most", "told"),
    [
        ("MAX_STEPS", 3, "its commits take more than 3 steps"),
        ("MAX_COMMITS", 1, "it has more than 1 commits"),
    ],
)
def test_more_than_is_looked_through_is_beyond(
    bound: str,
    most: int,
    told: str,
    history: History,
    work: UserRepository,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(f"verify.history.history.{bound}", most)
    history.commit(work.git("rev-parse", "main"))

    with pytest.raises(BeyondLimits, match=f"^could not be read within the limits: {told}$"):
        history.commit(work.git("rev-parse", BRANCH))
