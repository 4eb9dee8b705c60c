"""What a run asks of every submission, and what the gradebook is told of its exercises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify import catalog
from verify.batch.kernel import asked_of, options_of
from verify.batch.rules import digest_of
from verify.gradebook.values import CheckInfo, ExerciseInfo

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verify.batch.work import Job
    from verify.model import Exercise


def with_rules(job: Job) -> Job:
    """Return a job with the digests that its exercises are graded under here and now."""
    options = options_of(job)
    return job._replace(rules=tuple(digest_of(name, options, job.course) for name in job.exercises))


def infos_of(job: Job) -> tuple[ExerciseInfo, ...]:
    """Return a job's exercises as the gradebook keeps them.

    Raises:
        UnknownExercise, Misaimed: the job asks for what there is not.
        MalformedIssue: the course is damaged.
    """
    return tuple(_info(asked.exercise) for asked in asked_of(job))


def canonical(names: Iterable[str], course: str) -> tuple[str, ...]:
    """Return the exercises' own names in the order asked for, each once: `expert/4` is `expert/04`.

    Raises:
        UnknownExercise: there is no such exercise.
    """
    parted = (name.partition("/") for name in names)
    return tuple(
        dict.fromkeys(catalog.find(level, number, course).name for level, _, number in parted)
    )


def _info(exercise: Exercise) -> ExerciseInfo:
    checks = tuple(
        CheckInfo(
            check.code,
            check.title,
            check.points,
            check.advisory,
            f"{exercise.page}#{check.anchor}",
        )
        for check in exercise.checks
    )
    return ExerciseInfo(exercise.name, exercise.title, exercise.points, checks)
