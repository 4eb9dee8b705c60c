"""What a result depends on: while all of it is the same, a submission is not graded again.

It is what grading reads of the submission, with a digest of each answer, and the rules: the code,
the course, the options and the versions, with a digest of all.
"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import sha256
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

from pipeline.bootstrap import ROOT
from pipeline.files import Unreadable
from pipeline.protocol.validate import extension
from verify.catalog import ISSUES
from verify.gradebook.records import DIGEST, UNREADABLE, NotOurs, reads_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.gradebook.records import CacheKey
    from verify.history.history import History
    from verify.submission import Submission

T = TypeVar("T")

UNOPENED = "[]"  # nothing was read; why not is the one answer
_CODE = ("pipeline", "verify")
_DECIDES_NO_GRADE = (
    *("pipeline/commands", "pipeline/doctor.py", "pipeline/drivers", "pipeline/forges"),
    *("pipeline/run", "verify/commands", "verify/exports", "verify/report", "verify/reporters"),
    *("verify/selftest", "verify/watch.py"),
)
_IMPORTS = re.compile(rf"^ *from ({'|'.join(_CODE)})\b[\w.]* import (\([^)]*\)|.*)\n", re.MULTILINE)
_DATA = (".json", ".md")
_OF_COURSE = ("artifacts", "exercises", "issues")  # an exercise may read any file beside it
_LIBRARIES = ("dulwich-", "jsonschema-", "orjson-")


class AccessRecorder:
    """A submission that notes how it is read; `files` has the bytes of every file that was."""

    def __init__(self, submission: Submission) -> None:
        self.root = submission.root
        self.files: dict[str, bytes] = {}
        self._submission = submission
        self._reads: list[tuple[str, str]] = []
        self._digests: list[bytes] = []
        self._history: list[History | None] = []

    def read(self, path: str) -> bytes:
        """Return a regular file's bytes; raises `Unreadable`."""
        data = self.files[path] = self._noted("read", path, self._submission.read)
        return data

    def is_file(self, path: str) -> bool:
        """Return whether there is a regular file at the path, reached without a link."""
        return self._noted("is_file", path, self._submission.is_file)

    def names(self, path: str) -> list[str]:
        """Return a folder's sorted entry names; raises `Unreadable`."""
        return self._noted("names", path, self._submission.names)

    def history(self, path: str = "") -> History | None:
        """Return the history that came with the submission, None without; raises `Unreadable`."""
        if not self._history:
            found = self._noted("history", path, lambda _: self._submission.history())
            self._history.append(found)
        return self._history[0]

    def close(self) -> None:
        """Leave the submission open: it is closed where it was opened."""

    @property
    def reads(self) -> str:
        """Return what was read, a JSON array of [operation, path]."""
        return _text_of(tuple(self._reads))

    @property
    def digests(self) -> bytes:
        """Return the digests of the answers, 16 bytes a read."""
        return b"".join(self._digests)

    def _noted(self, operation: str, path: str, read: Callable[[str], T]) -> T:
        self._reads.append((operation, path))
        try:
            answer = read(path)
        except Unreadable as error:  # exports know it from the digest of a file
            reason = _digest(f"{error.reason}: {error}")
            self._digests.append(UNREADABLE + reason[: DIGEST - len(UNREADABLE)])
            raise
        self._digests.append(_digest(answer))
        return answer


def digests_of(reads: str, submission: Submission) -> bytes:
    """Read again what was read of a submission, and return the digests; raises as opening it."""
    try:
        pairs = reads_of(reads)
    except NotOurs:  # another program changed the gradebook: nothing is known
        return b"?"
    recorder = AccessRecorder(submission)
    for operation, path in pairs:
        with suppress(Unreadable):  # an answer like any other
            getattr(recorder, operation)(path)
    return recorder.digests


def changed_files(before: CacheKey, after: CacheKey) -> tuple[str, ...]:
    """Return the paths that were read both times with another answer."""
    earlier, later = before.by_read, after.by_read
    changed = (read for read, digest in later.items() if earlier.get(read, digest) != digest)
    return tuple(sorted({path for _, path in changed}))


def unopened_digest(reason: str) -> bytes:
    """Return the digest of why a submission could not be opened: to open is another answer."""
    return _digest(f"unopened: {reason}")


@lru_cache(maxsize=8)  # nearly all of a cohort are read alike
def _text_of(reads: tuple[tuple[str, str], ...]) -> str:
    return json.dumps(reads)


def _digest(answer: object) -> bytes:
    """Return the digest of an answer: bytes as they are, a history by its own, others as JSON."""
    if not isinstance(answer, bytes):
        answer = json.dumps(getattr(answer, "digest", answer)).encode()
    return sha256(answer).digest()[:DIGEST]


@cache
def digest_of_code(course: str = "") -> str:
    """Return the digest of the code, the course and the versions, 64 hexadecimal digits."""
    parts = sorted(map(_digest_of_module, modules()))
    for folder, paths in ((ISSUES, _below(ISSUES, _DATA)), (course, _of_course(course))):
        parts += [
            f"{os.path.relpath(path, folder)} {_digest_of_file(path)}" for path in sorted(paths)
        ]
    whole = "\n".join((*parts, *_versions()))
    return sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()


def rules_digest(exercise: str, options: str, course: str = "") -> str:
    """Return the digest that one exercise is graded under."""
    whole = f"{digest_of_code(course)}\0{exercise}\0{options}"
    return sha256(whole.encode()).hexdigest()


def modules() -> Iterator[str]:
    """Yield the paths of the project's files that can decide a grade."""
    without = tuple(os.path.join(ROOT, *name.split("/")) for name in _DECIDES_NO_GRADE)
    for name in _CODE:
        for path in _below(os.path.join(ROOT, name), (".py", *_DATA)):
            if not path.startswith(without):
                yield path


def _digest_of_module(path: str) -> str:
    """Return the digest of a file's text, without where it imports the project's names from."""
    with open(path, encoding="utf-8") as file:
        return sha256(_IMPORTS.sub("", file.read()).encode()).hexdigest()


def _digest_of_file(path: str) -> str:
    with open(path, "rb") as file:
        return sha256(file.read()).hexdigest()


def _of_course(course: str) -> Iterator[str]:
    """Yield the files of an instructor's own course that decide a grade: no page, no fixture."""
    for path in _below(course, ("",)) if course else ():
        top = os.path.relpath(path, course).partition(os.sep)[0]
        if top in _OF_COURSE or (path.endswith(".py") and top != "fixtures"):
            yield path


def _below(folder: str, endings: tuple[str, ...]) -> Iterator[str]:
    """Yield the files below a folder that can decide a grade.

    Links are followed, as reading a course follows them; no folder is entered twice.
    """
    entered: set[str] = set()
    for at, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(at)
        if real in entered:
            folders.clear()
            continue
        entered.add(real)
        for name in names:
            if name.endswith(endings) and not name.startswith(".") and not name.endswith(".pyc"):
                yield os.path.join(at, name)


def _versions() -> tuple[str, ...]:
    """Return the versions of Python and of the libraries that grade, without importing them.

    `importlib.metadata` says the same, and costs a cohort of thirty a tenth of its time.
    """
    spec = find_spec("jsonschema")
    folder = os.path.dirname(os.path.dirname((spec and spec.origin) or ""))
    libraries = sorted(n for n in os.listdir(folder or ".") if n.startswith(_LIBRARIES))
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return (f"python {python}", f"pydantic_core {extension().__version__}", *libraries)
