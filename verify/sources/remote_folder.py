"""A learner's folder in a bucket: what all learners are asked for is fetched for many at a time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from pipeline.reading import MISSING, Unreadable
from verify.history import BUNDLE
from verify.sources.remote_asking import HERE, IS_FILE, NAMES, READ, Question
from verify.submission import checked_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.history.history import History
from verify.sources.remote_asking import Asking

_AHEAD = 16  # submissions that are fetched together: each may hold as much as all artifacts


class Fetching:
    """The folders of a batch. What most of those before were asked is fetched ahead of its use."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._expected: list[str] = []
        self._counts: Counter[Question] = Counter()
        self._opened = 0
        self._fetched: dict[str, dict[Question, Any]] = {}

    def expect(self, folders: Sequence[str]) -> None:
        """Note which folders are going to be opened, in order."""
        self._expected = list(reversed(folders))

    def open(self, folder: str) -> dict[Question, Any]:
        """Return what is fetched of a folder already; the next ones are fetched with it."""
        if folder not in self._fetched:
            self._fetch(folder)
        self._opened += 1
        return self._fetched.pop(folder, {})

    def ask(self, folder: str, question: Question) -> Any:
        """Return an answer about a folder."""
        return self._asking.all([_below(folder, question)])[0]

    def note(self, questions: Sequence[Question]) -> None:
        """Note what a submission was asked."""
        self._counts.update(questions)

    def _fetch(self, folder: str) -> None:
        if folder in self._expected:
            del self._expected[self._expected.index(folder) :]
        usual = [each for each, times in self._counts.items() if 2 * times > self._opened]
        self._fetched.clear()
        if not usual:
            return
        ahead = self._expected[:-_AHEAD:-1]
        folders = [folder, *(each for each in ahead if each != folder)]
        questions = [(each, question) for each in folders for question in usual]
        answers = self._asking.all([_below(each, question) for each, question in questions])
        self._fetched = {each: {} for each in folders}
        for (each, question), answer in zip(questions, answers, strict=True):
            self._fetched[each][question] = answer


class RemoteFolder:
    """A submission in a folder of a bucket, by POSIX paths relative to it.

    What cannot be asked is an `OSError`: a fault of ours, never a learner's.
    """

    def __init__(self, root: str, fetching: Fetching) -> None:
        self.root = root
        self._fetching = fetching
        self._answers = fetching.open(root)
        self._asked: dict[Question, None] = {}
        self._history: History | None = None
        self._has_history = False

    def read(self, path: str) -> bytes:
        """Return the bytes of the object at a path; raises `Unreadable`."""
        checked_parts(path)
        data: bytes = self._answer(READ, path)
        return data

    def is_file(self, path: str) -> bool:
        """Tell whether an object stands at the path."""
        try:
            checked_parts(path)
        except Unreadable:
            return False
        return bool(self._answer(IS_FILE, path))

    def names(self, path: str) -> list[str]:
        """Return the sorted names below a prefix, not too many; raises `Unreadable`."""
        if path:
            checked_parts(f"{path}/name")
        found: list[str] = self._answer(NAMES, path)
        return found

    def history(self) -> History | None:
        """Return the history of the bundle that was handed in; raises `Unreadable`.

        A `.git` in a bucket is not read: it is hundreds of objects, each a request.
        """
        if not self._has_history:
            from verify.history.opening import of_bundle  # of few exercises

            try:
                self._history = of_bundle(self.read(BUNDLE))
            except Unreadable as error:
                if error.reason != MISSING:
                    raise
            self._has_history = True
        return self._history

    def close(self) -> None:
        """Tell what was asked: the next learners will be asked the same."""
        self._fetching.note(tuple(self._asked))

    def _answer(self, operation: str, path: str) -> Any:
        answer = self._known(Question(operation, path))
        if isinstance(answer, Unreadable) and answer.reason == MISSING:
            # Nothing is missing where the whole bucket is: that is no learner's fault.
            here = self._known(Question(HERE, ""))
            if isinstance(here, OSError):
                raise here
            if here is not True:
                raise OSError(f"{self.root} is not there any more")
        if isinstance(answer, (Unreadable, OSError)):
            raise answer
        return answer

    def _known(self, question: Question) -> Any:
        self._asked[question] = None
        if question not in self._answers:
            self._answers[question] = self._fetching.ask(self.root, question)
        return self._answers[question]


def _below(folder: str, question: Question) -> Question:
    return Question(question.operation, f"{folder}/{question.path}".rstrip("/"))
