"""Grades the submissions of a gradebook again, by the places where they were met."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from verify.batch.impact import Change, Kept, change_of
from verify.batch.kernel import Graded
from verify.batch.run import Run
from verify.batch.witness import UNOPENED
from verify.gradebook.records import Pending
from verify.sources.base import UnusableSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from verify.batch.kernel import Job
    from verify.batch.limits import Limits
    from verify.batch.run import Engine
    from verify.gradebook.book import Book
    from verify.gradebook.current import Current, Held, Results
    from verify.gradebook.records import Known, Record
    from verify.gradebook.values import ExerciseInfo
    from verify.sources.base import Source

GONE = "its source is not there any more"
NOT_GRADED = "it was not graded yet"
_FOLDER = "folder"


class Regrading:
    """One regrading: `job` and `exercises` are today's; results go into `book` where there is one.

    `changes` are the results that differ, `kept` those that stay since there is nothing to grade,
    `failed` those that stay since grading was in error; `compared` counts what was graded again.
    """

    def __init__(
        self,
        results: Results,
        job: Job,
        exercises: Sequence[ExerciseInfo],
        *,
        naming: str = "",
        book: Book | None = None,
    ) -> None:
        self.changes: list[Change] = []
        self.kept: list[Kept] = []
        self.failed: list[Kept] = []
        self.crashes: list[str] = []
        self.compared = 0
        self._results = results
        self._job = job
        self._exercises = exercises
        self._book = book
        self._places = Places(naming)
        self._flying: dict[int, Current] = {}
        self._payloads: dict[int, Any] = {}

    def run(
        self,
        engine: Engine,
        limits: Limits,
        *,
        stopping: Callable[[], bool],
        graded: Callable[[Sequence[Graded]], None] = lambda _: None,
    ) -> None:
        """Grade everything again; `graded` is called with results as they come.

        Raises:
            StopRun: as `Run.graded`.
        """
        run = Run(engine, self._job, self._exercises, limits=limits, stopping=stopping)
        try:
            for results in run.graded(
                self._pending(),
                lambda one: self._payloads.pop(one.id),
                expected=len(self._results),
            ):
                self._keep(results)
                graded(results)
        finally:
            self._places.close()

    def _pending(self) -> Iterator[Pending]:
        """Yield what can be graded again, and note what cannot."""
        for current in self._results:
            number, _, _, kind, container, inner, results, conflict = current
            if not any(results):
                self._stay(current, NOT_GRADED)
                continue
            try:
                payload = self._places.payload(kind, container, inner)
            except UnusableSource:
                self._stay(current, GONE)
                continue
            self._payloads[number] = payload
            self._flying[number] = current
            known = tuple(map(self._known, results, self._job.rules))
            known = known if any(known) else ()
            yield Pending(number, kind, container, inner, known, conflict)

    def _known(self, held: Held | None, digest: str) -> Known | None:
        fresh = held is not None and held.outcome != "error" and held.rules.digest == digest
        return held.known if held is not None and fresh else None

    def _stay(self, current: Current, reason: str) -> None:
        self.kept += [_kept(current, exercise, reason) for exercise in self._exercises]

    def _keep(self, batch: Sequence[Graded]) -> None:
        written: list[Graded] = []
        for number, records in batch:
            current = self._flying.pop(number)
            fresh = tuple(
                self._compared(current, held, exercise, record)
                for held, exercise, record in zip(
                    current.results, self._exercises, records, strict=True
                )
            )
            written.append(Graded(number, fresh))
        if self._book is not None:
            self._book.record(written)

    def _compared(
        self, current: Current, held: Held | None, exercise: ExerciseInfo, record: Record | None
    ) -> Record | None:
        """Note what a record changes, and return it where it is to be written."""
        if held is None:
            self.kept.append(_kept(current, exercise, NOT_GRADED))
            return None
        self.compared += 1
        if record is None:
            return None
        if record.outcome == "error":  # our fault: no reason to take a score away
            self.failed.append(_kept(current, exercise, _why(record)))
            self.crashes += [record.crash] if record.crash else []
            return None
        if record.questions == UNOPENED != held.known.questions:
            self.compared -= 1
            self.kept.append(_kept(current, exercise, _why(record)))
            return None
        change = change_of(current, held, exercise, record)
        if change is not None:
            self.changes.append(change)
        return record


class Places:
    """The sources where submissions were met, each opened again once."""

    def __init__(self, naming: str) -> None:
        self._naming = naming
        self._sources: dict[tuple[str, str], Source | UnusableSource] = {}

    def payload(self, kind: str, container: str, inner: str) -> Any:
        """Return what a worker is sent of a submission.

        Raises:
            UnusableSource: its source is gone, or it is not in there any more.
        """
        place = (kind, container)
        if place not in self._sources:
            try:
                self._sources[place] = self._opened(kind, container)
            except UnusableSource as error:
                self._sources[place] = error
        source = self._sources[place]
        if isinstance(source, UnusableSource):
            raise UnusableSource(str(source))
        return source.payload(inner)

    def _opened(self, kind: str, container: str) -> Source:
        if "://" not in container and not os.path.exists(container):
            raise UnusableSource(GONE)
        if kind == _FOLDER:  # whatever else the folder may look like by now
            from verify.sources.folder import FolderSource

            return FolderSource(container)
        from verify.sources.detect import source_of

        source = source_of(container, naming=self._naming)
        if source.kind != kind:
            source.close()
            raise UnusableSource(GONE)
        return source

    def close(self) -> None:
        """Close the sources."""
        for source in self._sources.values():
            if not isinstance(source, UnusableSource):
                source.close()


def _kept(current: Current, exercise: ExerciseInfo, reason: str) -> Kept:
    return Kept(current.learner, current.attempt, exercise.name, reason)


def _why(record: Record) -> str:
    return record.findings[0].message if record.findings else "grading failed"
