"""Writes down whose submissions a run meets: by the roster that was named, or that is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.display import visible
from verify import catalog
from verify.gradebook.reading import learners
from verify.gradebook.records import Enlisted
from verify.sources.base import one_submission
from verify.sources.roster import kept_roster

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterator, Sequence

    from verify.gradebook.book import Book
    from verify.sources.base import Entry, Source
    from verify.sources.roster import Roster

_NAMED = 21  # learners who are not on the roster: one more than are shown


class Interrupted(Exception):
    """A signal came before anything was graded."""


class Enlisting:
    """What the sources hold, as it is written down: with the roster's names.

    `projects` are folders of a submission's own: where one of them looks like a learner, a single
    submission was named as a source.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        roster: Roster | None,
        projects: Collection[str],
        stopping: Callable[[], bool],
    ) -> None:
        self.unknown: dict[str, None] = {}  # the first learners who are not on the roster
        self._sources = sources
        self._roster = roster
        self._projects = projects
        self._stopping = stopping

    def rows(self) -> Iterator[Enlisted]:
        """Yield each submission.

        Raises:
            Interrupted: a signal came meanwhile.
            UnusableSource: a source cannot be listed, or is itself one submission.
        """
        for source in self._sources:
            for entry in source.entries():
                if self._stopping():
                    raise Interrupted
                if entry.learner in self._projects:
                    raise one_submission(source.container, entry.learner)
                learner = self._learner(entry)
                yield Enlisted(learner, entry.attempt, source.kind, source.container, entry.inner)

    def _learner(self, entry: Entry) -> str:
        if self._roster is None:
            return entry.learner
        key = self._roster.key_of(entry)
        if key is None and len(self.unknown) < _NAMED:
            self.unknown[entry.learner] = None
        return key or entry.learner


def projects_of(course: str, naming: str) -> frozenset[str]:
    """Return the folders of a submission that a course's exercises work in.

    There are none where the names are said to be learners'.
    """
    if naming:
        return frozenset()
    exercises = (one for level in catalog.levels(course) for one in catalog.level(level, course))
    targets = {(one.target or ".").partition("/")[0] for one in exercises}
    return frozenset(targets - {"."})


def roster_for(
    connection: sqlite3.Connection, book: Book, named: Roster | None, *, dropped: bool
) -> Roster | None:
    """Return the roster of a run, which is in the gradebook now.

    It is the one that was named, else the one that is there, unless that is dropped.
    """
    if named is not None:
        book.enrol(named.learners)
        return named
    if not book.has_roster:
        return None
    if dropped:
        book.enrol(())
        return None
    return kept_roster(learners(connection))


def told_kept(gradebook: str, roster: Roster) -> str:
    """Return the line that says whose roster counts, where none was named."""
    number = len(roster.learners)
    what = f"the roster that {visible(gradebook, 300)} has counts ({number:,} learner"
    step = "name a newer one with --roster, or drop it with --no-roster"
    return f"{what}{'s' * (number != 1)}): {step}"
