"""What grading again would change: which scores, by which checks, or by other files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from verify.gradebook.stored import DIGEST, WORDS, questions_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.gradebook.current import Current, Held
    from verify.gradebook.records import Known, Record
    from verify.gradebook.values import ExerciseInfo

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


def change_of(
    current: Current, held: Held, exercise: ExerciseInfo, record: Record
) -> Change | None:
    """Return what a new record changes of a result, None where people would see no difference."""
    flips = tuple(_flips(held, exercise, record))
    before, after = Side(held.outcome, held.score), Side(record.outcome, record.score)
    if before == after and not flips:
        return None
    files = changed_files(held.known, record)
    return Change(current.learner, current.attempt, exercise.name, before, after, flips, files)


def _flips(held: Held, exercise: ExerciseInfo, record: Record) -> Iterator[Flip]:
    if "unresolved" in (held.outcome, record.outcome):  # that has no checks
        return
    words = words_of(held.outcomes, len(held.rules.passing))
    before = {
        mark.check.code: (word, mark.check.points)
        for mark, word in zip(held.rules.passing, words, strict=True)
    }
    for check, letter in zip(exercise.checks, record.outcomes, strict=False):
        was, points = before.pop(check.code, ("", 0))
        if (was, points) != (WORDS[letter], check.points):
            yield Flip(check.code, was, WORDS[letter], (points, check.points))
    for code, (was, points) in before.items():
        yield Flip(code, was, "", (points, 0))


def changed_files(before: Known, after: Record) -> tuple[str, ...]:
    """Return the paths that were asked for both times and answered otherwise."""
    earlier = _answers(before.questions, before.answers)
    later = _answers(after.questions, after.answers)
    changed = {
        path
        for question, answer in later.items()
        for _, path in [question]
        if earlier.get(question, answer) != answer
    }
    return tuple(sorted(changed))


def _answers(questions: str, answers: bytes) -> dict[tuple[str, str], bytes]:
    return {
        (operation, path): answers[at * DIGEST : (at + 1) * DIGEST]
        for at, (operation, path) in enumerate(questions_of(questions))
    }
