"""What grading again would change: which scores, by which checks, or by other files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from verify.gradebook.stored import DIGEST, outcomes_of, reads_of
from verify.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.gradebook.current import Current, Held
    from verify.gradebook.records import Known, Mark
    from verify.model import ExerciseInfo

UP, DOWN, LEVEL = "up", "down", "level"


class Flip(NamedTuple):
    """A check whose outcome or points differ; an outcome is empty where there is no such check."""

    code: str
    before: str
    after: str
    points: tuple[int, int]


class Side(NamedTuple):
    """A result before or after: its outcome, and its score, None where it has none."""

    outcome: str
    score: int | None


class Change(NamedTuple):
    """One result that differs; `files` names what the submission answers otherwise than before."""

    learner: str
    attempt: str
    exercise: str
    before: Side
    after: Side
    flips: tuple[Flip, ...]
    files: tuple[str, ...]

    @property
    def way(self) -> str:
        """Return where the score goes: up, down or level; from an error to a score is up."""
        before, after = self.before.score, self.after.score
        if before is None or after is None:
            return UP if before is None and after is not None else LEVEL
        return UP if after > before else DOWN if after < before else LEVEL


class Kept(NamedTuple):
    """A result that stays because its submission could not be graded again, and why."""

    learner: str
    attempt: str
    exercise: str
    reason: str


def change_of(current: Current, held: Held, exercise: ExerciseInfo, mark: Mark) -> Change | None:
    """Return what a new mark changes of a result, None where people would see no difference."""
    flips = tuple(_flips(held, mark))
    before, after = Side(held.outcome, held.score), Side(mark.outcome.value, mark.graded)
    if before == after and not flips:
        return None
    files = changed_files(held.known, mark)
    return Change(current.learner, current.attempt, exercise.name, before, after, flips, files)


def _flips(held: Held, after: Mark) -> Iterator[Flip]:
    if Outcome.UNRESOLVED in (held.outcome, after.outcome):  # that has no checks
        return
    outcomes = outcomes_of(held.letters, len(held.rules.passing))
    before = {
        result.check.code: (outcome.value, result.check.points)
        for result, outcome in zip(held.rules.passing, outcomes, strict=True)
    }
    for result in after.results:
        code, points = result.check.code, result.check.points
        was, earlier = before.pop(code, ("", 0))
        if (was, earlier) != (result.outcome, points):
            yield Flip(code, was, result.outcome.value, (earlier, points))
    for code, (was, points) in before.items():
        yield Flip(code, was, "", (points, 0))


def changed_files(before: Known, after: Known | Mark) -> tuple[str, ...]:
    """Return the paths that were asked for both times and answered otherwise."""
    earlier = _digests(before.reads, before.digests)
    later = _digests(after.reads, after.digests)
    changed = {
        path
        for question, answer in later.items()
        for _, path in [question]
        if earlier.get(question, answer) != answer
    }
    return tuple(sorted(changed))


def _digests(reads: str, digests: bytes) -> dict[tuple[str, str], bytes]:
    return {
        (operation, path): digests[at * DIGEST : (at + 1) * DIGEST]
        for at, (operation, path) in enumerate(reads_of(reads))
    }
