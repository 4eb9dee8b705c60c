"""What is sent to a worker and what it sends back: plain, small, picklable values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from verify.gradebook.records import Known, Record


class Job(NamedTuple):
    """What is asked of every submission of a run; `rules` are the exercises' digests, in order.

    `exercises` are names such as `expert/04`; `course` is the folder of an instructor's own
    course, empty for the one that comes with the project. `provenance` asks for the levels of
    provenance; with it `witness_key` is the PEM text of the public key that signed statements are
    held against, empty for none.
    """

    exercises: tuple[str, ...]
    rules: tuple[str, ...]
    course: str = ""
    target: str | None = None
    issue: str | None = None
    strict: bool = False
    provenance: bool = False
    witness_key: str = ""


class Item(NamedTuple):
    """One submission of a batch: its id in the gradebook, and how its source opens it.

    One with a `conflict` is not opened.
    `known` has one entry an exercise, None where nothing is known; it is empty where nothing is
    known of any.
    """

    id: int
    payload: Any
    known: tuple[Known | None, ...] = ()
    conflict: str = ""


class Batch(NamedTuple):
    """Submissions of one container, graded together by one worker."""

    kind: str
    container: str
    items: tuple[Item, ...]


class Graded(NamedTuple):
    """What came of one submission: one record an exercise, None where it is known and unchanged."""

    id: int
    records: tuple[Record | None, ...]
