"""Carries out `verify flaky`: grades several times, tells what differs, returns the exit code."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT, interruptible
from pipeline.crash import broken, fenced
from pipeline.display import inert, visible
from pipeline.exit_codes import FAILED, PASSED, UNUSABLE
from pipeline.issues import MalformedIssue
from pipeline.streams import deliver, guarded, tell
from verify import catalog
from verify.batch.flaky import BY_ITSELF, GradingFailed, differences
from verify.batch.jobs import with_rules
from verify.batch.kernel import asked_of
from verify.batch.work import Batch, Item, Job

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from verify.batch.flaky import Difference, Plan
    from verify.model import Exercise
    from verify.sources.base import Source

TIMES = 3  # enough to tell what is not the same, for most of what is not
_SHOWN = 300  # characters of each side of a difference


class NothingToGrade(Exception):
    """A submission that is no folder, or a selection without fixtures; the message is one line."""


def flaky(submissions: Sequence[str], exercises: Sequence[str], course: str, times: int) -> int:
    """Grade each submission `times` times and tell what differs.

    Returns 0 where every check is the same each time, 1 where one is not, 2 for a wrong selection,
    3 where the harness itself failed.
    """
    return guarded(lambda: fenced(lambda: _flaky(submissions, exercises, course, times)))


def _flaky(submissions: Sequence[str], exercises: Sequence[str], course: str, times: int) -> int:
    interruptible()  # folders are put away
    try:
        chosen = _chosen(exercises, course)
        roots = [_checked(path) for path in submissions]
        folder = os.path.realpath(course) if course else ""
        plans, names = _plans(chosen, roots, folder)
        return _compared(plans, names, chosen, times)
    except (catalog.UnknownExercise, NothingToGrade) as error:
        tell(inert(f"verify: {visible(str(error), 1_000)}"))
        return UNUSABLE
    except MalformedIssue as error:
        return broken(f"the course's own files are damaged: {error}")


def flaky_cohort(job: Job, sources: Iterable[Source], times: int = TIMES) -> int:
    """Grade what sources hold `times` times, tell what differs, and return 0, 1 or 3.

    It writes to no gradebook: this is `verify batch --flaky`, on a sample of a cohort.

    Raises:
        UnusableSource: a source cannot be read.
    """
    interruptible()
    batches: list[Batch] = []
    names: dict[int, str] = {}
    for source in sources:
        items = []
        for entry in source.entries():
            items.append(Item(len(names), source.payload(entry.inner)))
            names[len(names)] = f"{entry.learner} {entry.attempt}".rstrip()
        batches.append(Batch(source.kind, source.container, tuple(items)))
    exercises = [asked.exercise for asked in asked_of(job)]
    return _compared([(job, tuple(batches))], names, exercises, times)


def _compared(
    plans: Sequence[Plan],
    names: Mapping[int, str],
    exercises: Sequence[Exercise],
    times: int,
) -> int:
    try:
        found = differences(plans, times)
    except GradingFailed as error:
        return broken(str(error), error.details)
    deliver(told(found, names, exercises, times))
    return FAILED if found else PASSED


def _chosen(names: Sequence[str], course: str) -> tuple[Exercise, ...]:
    """Return the exercises that are named, all of the course where none is."""
    if names:
        parted = [name.partition("/") for name in names]
        return tuple(catalog.find(level, number, course) for level, _, number in parted)
    return tuple(e for level in catalog.levels(course) for e in catalog.level(level, course))


def _checked(path: str) -> str:
    if not os.path.isdir(path):
        raise NothingToGrade(f"{visible(path, 300)} is not a folder (expected a submission's root)")
    return os.path.realpath(path)


def _plans(
    exercises: Sequence[Exercise], roots: Sequence[str], course: str
) -> tuple[list[Plan], dict[int, str]]:
    """Return what to grade, and the submissions' places by the ids of their items."""
    names: dict[int, str] = {}
    if roots:
        return [_plan([each.name for each in exercises], roots, names, course)], names
    plans = [_plan([each.name], _fixtures(each, course), names, course) for each in exercises]
    if not names:
        raise NothingToGrade("there are no fixtures here (expected submissions to grade)")
    return plans, names


def _plan(
    exercises: Sequence[str], roots: Iterable[str], names: dict[int, str], course: str
) -> Plan:
    job = with_rules(Job(tuple(exercises), (), course))
    batches = []
    for root in roots:
        above, name = os.path.split(root)
        batches.append(Batch("folder", above, (Item(len(names), name),)))
        names[len(names)] = root
    return job, tuple(batches)


def _fixtures(exercise: Exercise, course: str) -> list[str]:
    parts = (course, "fixtures") if course else (ROOT, "fixtures", "submissions")
    folder = os.path.join(*parts, exercise.level, f"{exercise.number:02}-{exercise.slug}")
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.path for entry in entries if entry.is_dir())
    except OSError:
        return []


def told(
    found: Sequence[Difference],
    names: Mapping[int, str],
    exercises: Sequence[Exercise],
    times: int,
) -> str:
    """Return the text of a comparison: each difference with both sides, then one line in sum.

    `names` are the places of the submissions by the ids of their items.
    """
    by_name = {exercise.name: exercise.for_cohort() for exercise in exercises}
    alike: dict[tuple[str, int | None, tuple[str, ...]], list[Difference]] = {}
    for each in found:
        alike.setdefault((each.exercise, each.check, each.because), []).append(each)
    parts = [
        _shown(group[0], by_name[group[0].exercise], names[group[0].item], len(group) - 1)
        for group in alike.values()
    ]
    looked_at = (
        f"{_counted(len(exercises), 'exercise')}, {_counted(len(names), 'submission')}, "
        f"graded {times} times"
    )
    differing = _counted(len({key[:2] for key in alike}), "check")
    verdict = f"FLAKY  {differing} not the same each time  {looked_at}"
    return "\n\n".join([*parts, verdict if found else f"STEADY  {looked_at}"]) + "\n"


def _counted(number: int, name: str) -> str:
    return f"{number} {name}{'s' * (number != 1)}"


def _shown(difference: Difference, exercise: Exercise, place: str, more: int) -> str:
    if difference.check is None:
        what = f"{exercise.name} does not ask the same of the submission"
    else:
        what = f"{exercise.checks[difference.check].code} is not the same each time"
    lines = [
        f"{what}: {visible(place, 300)}{f', and {more} more' if more else ''}",
        f"  {_reason(difference.because)}",
        f"  first  {visible(difference.first, _SHOWN)}",
        f"  then   {visible(difference.second, _SHOWN)}",
    ]
    return "\n".join(map(inert, lines))


def _reason(because: tuple[str, ...]) -> str:
    if because == BY_ITSELF:
        return "It differs by itself, by chance or by the clock: nothing else was changed."
    if not because:
        return "It takes several changes at once: no single one makes the difference."
    return f"It depends on the {', the '.join(because)}."
