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
from functools import cache
from glob import glob
from hashlib import sha256
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from pipeline.bootstrap import ROOT
from pipeline.files import Unreadable
from pipeline.protocol.validate import extension
from verify.course.catalog import ISSUES
from verify.gradebook.columns import NotOurs, reads_of
from verify.gradebook.records import DIGEST, UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from verify.gradebook.records import CacheKey
    from verify.submissions.history.history import History
    from verify.submissions.submission import Submission

T = TypeVar("T")

UNOPENED = "[]"  # nothing was read; why not is the one answer
_CODE = ("pipeline", "verify")
_FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:(?: .*)?\n)+", re.MULTILINE)
_IMPORTS = re.compile(r"^ *(?:from ([\w.]+) )?import (\([^)]*\)|.*)", re.MULTILINE)
_NAME = re.compile(r"[\w.]+")
_PAGES = ("docs", "fixtures")
_OF_COURSE = ("artifacts", "exercises", "issues")  # an exercise may read any file beside it
_LIBRARIES = ("dulwich-", "jsonschema-", "pyyaml-")


class AccessRecorder:
    """A submission that notes how it is read; the same question is asked only once."""

    def __init__(self, submission: Submission) -> None:
        self.root = submission.root
        self._submission = submission
        self._answers: dict[tuple[str, str], Any] = {}  # by operation and path, in order

    def read(self, path: str) -> bytes:
        """Return a regular file's bytes; raises `Unreadable`."""
        return self._answer("read", path, self._submission.read)

    def is_file(self, path: str) -> bool:
        """Return whether there is a regular file at the path, reached without a link."""
        return self._answer("is_file", path, self._submission.is_file)

    def names(self, path: str) -> list[str]:
        """Return a folder's sorted entry names; raises `Unreadable`."""
        return [*self._answer("names", path, self._submission.names)]

    def history(self, _: str = "") -> History | None:
        """Return the history that came with the submission, None without; raises `Unreadable`."""
        return self._answer("history", "", lambda _: self._submission.history())

    @property
    def reads(self) -> str:
        """Return what was read, a JSON array of [operation, path]."""
        return json.dumps([*self._answers])

    @property
    def digests(self) -> bytes:
        """Return the digests of the answers, 16 bytes a read."""
        return b"".join(map(_digest, self._answers.values()))

    @property
    def files(self) -> dict[str, bytes]:
        """Return the bytes of every file that was read, by its path."""
        answers = self._answers.items()
        return {path: answer for (_, path), answer in answers if isinstance(answer, bytes)}

    def _answer(self, operation: str, path: str, ask: Callable[[str], T]) -> T:
        question = operation, path
        if question not in self._answers:
            try:
                self._answers[question] = ask(path)
            except Unreadable as error:  # a new one: its traceback would keep all that it has
                self._answers[question] = Unreadable(error.reason, str(error))
        answer: T | Unreadable = self._answers[question]
        if isinstance(answer, Unreadable):
            raise Unreadable(answer.reason, str(answer))
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


def _digest(answer: object) -> bytes:
    """Return the digest of an answer: bytes as they are, a history by its own, others as JSON."""
    if isinstance(answer, Unreadable):  # exports know it from the digest of a file
        reason = _digest(f"{answer.reason}: {answer}")
        return UNREADABLE + reason[: DIGEST - len(UNREADABLE)]
    if not isinstance(answer, bytes):
        answer = json.dumps(getattr(answer, "digest", answer)).encode()
    return sha256(answer).digest()[:DIGEST]


@cache
def rules_digest(exercise: str, options: str, course: str = "") -> str:
    """Return the digest that one exercise is graded under, 64 hexadecimal digits.

    It is of the options, the versions, and the texts that decide a grade: of the modules that
    grading imports and their data, of the issues, and of what an instructor's own course may read.
    """
    level, _, number = exercise.partition("/")
    folder = os.path.join(ROOT, "verify", "course", "exercises", level)
    own_module = () if course else glob(f"ex{number}_*.py", root_dir=folder)
    names = [f"verify.course.exercises.{level}.{name[:-3]}" for name in own_module]
    texts_of_course = _of_course(course) if course else _texts(_below(ISSUES))
    for path, text in texts_of_course.items():
        names += _imported(text) if path.endswith(".py") else ()
    code = modules(["verify.batch.job", *names])
    parts = [
        f"{os.path.relpath(path, place)} {texts[path]}"
        for place, texts in ((course or ISSUES, texts_of_course), (ROOT, code))
        for path in sorted(texts)
    ]
    whole = "\0".join((exercise, options, *_versions(), *parts))
    return sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()


def modules(names: Iterable[str]) -> dict[str, str]:
    """Return the texts, by path, of modules of the project, of all that they import, and of data.

    What a function imports when it is called counts too, but not what only names a type. Data are
    the JSON files beside such a module, and in folders beside it that have no modules; and what
    Node.js loads.
    """
    texts: dict[str, str] = {}
    seen, left = set(), [*names]
    while left:
        name = left.pop()
        if name in seen or name.partition(".")[0] not in _CODE:
            continue
        seen.add(name)
        found, imported = _module(os.path.join(ROOT, *name.split(".")))
        texts |= found
        left += [name.rpartition(".")[0], *imported]
    folders = {os.path.dirname(path) for path in texts}
    patterns = ((at, pattern) for at in folders for pattern in ("*.json", "*/*.json", "*.mjs"))
    data = [os.path.join(at, name) for at, p in patterns for name in glob(p, root_dir=at)]
    packages = {
        at for at in map(os.path.dirname, data) if os.path.isfile(os.path.join(at, "__init__.py"))
    }
    return texts | _texts(p for p in data if os.path.dirname(p) not in packages - folders)


@cache
def _module(base: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the text of a module, by path, and what it imports; nothing where there is none."""
    texts = _texts(filter(os.path.isfile, (f"{base}.py", os.path.join(base, "__init__.py"))))
    return texts, tuple(name for text in texts.values() for name in _imported(text))


def _imported(text: str) -> Iterator[str]:
    """Yield the names of modules that a module imports, and other names that are none."""
    for source, words in _IMPORTS.findall(_FOR_TYPES.sub("", text)):
        yield source
        for word in _NAME.findall(words):
            yield f"{source}.{word}" if source else word


def _texts(paths: Iterable[str]) -> dict[str, str]:
    """Return the text of each file."""
    texts = {}
    for path in paths:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            texts[path] = file.read()
    return texts


def _of_course(course: str) -> dict[str, str]:
    """Return the texts, by path, of the files of an instructor's own course that decide a grade.

    They are its Python files, the files in three folders, and what a Python file names.
    """
    paths = [(path, os.path.relpath(path, course).split(os.sep)) for path in _below(course)]
    code = _texts(
        path for path, names in paths if names[-1].endswith(".py") and names[0] != "fixtures"
    )
    named = "\0".join(code.values())
    return code | _texts(
        path
        for path, names in paths
        if names[0] in _OF_COURSE or (names[0] not in _PAGES and names[-1] in named)
    )


def _below(folder: str) -> Iterator[str]:
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
            if not name.startswith(".") and not name.endswith(".pyc"):
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
