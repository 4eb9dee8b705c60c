"""Whether a cohort has the artifacts of its exercises, by a sample of its submissions."""

from __future__ import annotations

from collections import Counter
from contextlib import closing, suppress
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING

from pipeline.files import Unreadable
from verify.batch.job import Job, prepared
from verify.child.limits import CannotContinue, Limits
from verify.child.workers import run
from verify.course import catalog
from verify.intake.ledger import GRADED
from verify.intake.opening import open_entry
from verify.submissions.files import NoSubmission, Unresolved
from verify.submissions.submission import OpenSubmission

if TYPE_CHECKING:
    from verify.grading.model import Exercise
    from verify.intake.collection import Stamp
    from verify.intake.ledger import Ledger

    Sampled = tuple[str, str, str, Stamp]

_SAMPLE = 24


def other_exercise(job: Job, ledger: Ledger) -> str:
    """Return the exercise whose artifacts more submissions have than those of the job, or ""."""
    step = max(1, ledger.counts().get(GRADED, 0) // _SAMPLE)
    stamps = list(ledger.stamps.items())
    rows = islice(ledger.rows((GRADED,)), 0, None, step)
    sample = [
        (*place, row.place, stamp) for row in rows for place, stamp in [stamps[row.collection]]
    ]
    chunks = run(
        partial(held, job),
        sample,
        workers=1,
        limits=Limits(),
        expected=len(sample),
        stopping=lambda: False,
    )
    found: Counter[str] = Counter()
    with suppress(CannotContinue):  # no process can be started, which grading reports
        found.update(n for chunk in chunks for _, n in chunk if isinstance(n, str) and n)
    different = [name for name in found if name not in job.exercises]
    wrong = sum(found[name] for name in different)
    return max(different, key=found.__getitem__) if 2 * wrong > found.total() else ""


def held(job: Job, sampled: Sampled, again: bool) -> str:  # noqa: ARG001, FBT001  # as a worker calls it
    """Return an exercise of which a submission has a file, one of the job if it can, or "".

    `sampled` is what `open_entry` takes.
    """
    asked = [entry.exercise for entry in prepared(job)]
    course = list(catalog.exercises(job.course))
    paths = [path for exercise in (*asked, *course) for path in exercise.paths]
    with suppress(Unresolved, NoSubmission, Unreadable, OSError):
        files = open_entry(*sampled)
        with closing(files), OpenSubmission(files, paths) as submission:
            found = (e.name for e in asked if _has(submission, e, folders=True))
            elsewhere = (e.name for e in course if _has(submission, e, folders=False))
            return next(chain(found, elsewhere), "")
    return ""


def _has(submission: OpenSubmission, exercise: Exercise, *, folders: bool) -> bool:
    if not exercise.paths or any(map(submission.is_file, exercise.paths)):
        return bool(exercise.paths) or folders
    with suppress(Unreadable):
        return folders and bool(submission.names(exercise.paths[0].rpartition("/")[0]))
    return False
