"""A door that notes what grading asks of a submission, and the digest of each answer.

Grading is a function of these answers: where they are the same again, so is the result.
"""

from __future__ import annotations

import json
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from pipeline.files import Unreadable
from verify.gradebook.records import UNREADABLE
from verify.gradebook.stored import DIGEST, SHORT, NotOurs, questions_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.history.history import History
    from verify.submission import Submission

READ, IS_FILE, NAMES, HISTORY = "read", "is_file", "names", "history"
UNOPENED = "[]"  # nothing could be asked; why not is the one answer
_YES, _NO = b"\x01" * DIGEST, b"\x00" * DIGEST


class Witness:
    """A submission as it is asked; `held` has the bytes of every file that was read through it.

    `noted` are files that were read of it before, each with its digest.
    """

    __slots__ = ("_answers", "_asked", "_door", "_history", "held", "root")

    def __init__(self, door: Submission, noted: Sequence[tuple[str, bytes]] = ()) -> None:
        self.root = door.root
        self.held: dict[str, bytes] = {}
        self._door = door
        self._asked = [(READ, path) for path, _ in noted]
        self._answers = [digest for _, digest in noted]
        self._history: tuple[History | None] | None = None  # as it was answered

    def read(self, path: str) -> bytes:
        """Return a regular file's bytes; raises `Unreadable`."""
        self._asked.append((READ, path))
        try:
            data = self._door.read(path)
        except Unreadable as error:
            self._answers.append(_no_file(error))
            raise
        self._answers.append(sha256(data).digest()[:DIGEST])
        self.held[path] = data
        return data

    def is_file(self, path: str) -> bool:
        """Tell whether a regular file stands at the path, reached without a link."""
        self._asked.append((IS_FILE, path))
        answer = self._door.is_file(path)
        self._answers.append(_YES if answer else _NO)
        return answer

    def names(self, path: str) -> list[str]:
        """Return a folder's sorted entry names; raises `Unreadable`."""
        self._asked.append((NAMES, path))
        try:
            names = self._door.names(path)
        except Unreadable as error:
            self._answers.append(_no_file(error))
            raise
        self._answers.append(_digest(json.dumps(names)))
        return names

    def history(self, _: str = "") -> History | None:
        """Return the history that came with the submission, None without; raises `Unreadable`."""
        if self._history is None:
            self._asked.append((HISTORY, ""))
            try:
                history = self._door.history()
            except Unreadable as error:
                self._answers.append(_no_file(error))
                raise
            self._answers.append(_NO if history is None else _digest(history.digest))
            self._history = (history,)
        return self._history[0]

    def close(self) -> None:
        """Leave the door open: whoever opened it closes it."""

    @property
    def questions(self) -> str:
        """Return what was asked, a JSON array of [operation, path]."""
        asked = tuple(self._asked)
        return _short_text(asked) if sum(len(path) for _, path in asked) <= SHORT else _text(asked)

    @property
    def answers(self) -> bytes:
        """Return the digests of the answers, 16 bytes a question."""
        return b"".join(self._answers)


def _text(asked: tuple[tuple[str, str], ...]) -> str:
    return json.dumps(asked)


_short_text = lru_cache(maxsize=256)(_text)


def answers_to(questions: str, door: Submission) -> bytes:
    """Ask a submission what was asked before and return the digests of its answers.

    Raises:
        NoSubmission: it cannot be opened.
    """
    try:
        asked = _short(questions) if len(questions) <= SHORT else questions_of(questions)
    except NotOurs:  # somebody changed the gradebook: nothing is known
        return b"?"
    witness = Witness(door)
    for operation, path in asked:
        with suppress(Unreadable):  # an answer like any other
            getattr(witness, operation)(path)
    return witness.answers


_short = lru_cache(maxsize=256)(questions_of)  # the same is asked of nearly all


def unopened_answer(reason: str) -> bytes:
    """Return the digest of why a submission could not be opened: to open is another answer."""
    return _digest(f"unopened: {reason}")


def _no_file(error: Unreadable) -> bytes:
    """Return the answer of a file that cannot be read: exports know it from a file's digest."""
    return UNREADABLE + _digest(f"{error.reason}: {error}")[: DIGEST - len(UNREADABLE)]


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()[:DIGEST]
