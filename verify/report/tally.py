"""The figures of the report, from one pass over a cohort: entries, counts, groups and rows."""

from __future__ import annotations

import re
from collections import Counter
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.terminal.display import visible
from verify.exports.base import name_of
from verify.gradebook.records import plain_score
from verify.intake.table import by_heading
from verify.report.items import ItemTally
from verify.reporters.base import Sign, sign_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from verify.gradebook.copies import Copies
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Learner, Mark, Standing
    from verify.grading.model import CheckInfo, ExerciseInfo, Finding
    from verify.report.items import ItemFigures

_MOST_KINDS = 5_000  # of failures: a submission may cause messages that no other has
_BARS = 21  # if more scores than this are possible, they share bars
_CELL = 80  # characters of a name or a key that the table shows
_INDEX = re.compile(r"\d+")
_WORDS = {"pass": "passed", "skip": "skipped", "fail": "failed", "error": "not graded"}


SIGNS = {sign.label: sign for sign in Sign}
_GRAVEST_FIRST = ("error", "unresolved", "fail", "missing", "pass", "excused")


def letters_of(mark: Mark, exercise: ExerciseInfo) -> str:
    """Return a letter for each check of the exercise as it is now, in order.

    Where nothing was graded, each is the letter of the mark itself. A mark that a regrading left
    out has its earlier checks: a check that is new since then is not graded.
    """
    if not mark.results:
        return SIGNS[mark.outcome].letter * len(exercise.checks)
    found = {result.check.code: sign_of(result).letter for result in mark.results}
    return "".join([found.get(check.code, SIGNS["error"].letter) for check in exercise.checks])


def gravest(marks: Iterable[Mark]) -> Sign:
    """Return one outcome for several exercises: as in `_GRAVEST_FIRST`."""
    outcomes = {mark.outcome for mark in marks}
    return SIGNS[next((word for word in _GRAVEST_FIRST if word in outcomes), "missing")]


class LearnerRow(NamedTuple):
    """One standing: a row of the table and a page."""

    number: int  #: from 0, in the order of the cohort
    standing: Standing
    file: str  #: the name of the page
    outcome: Sign
    letters: tuple[str, ...]  #: a string for each exercise, with a letter for each check

    @property
    def name(self) -> str:
        """Return what the learner is called: the roster's name, else the key."""
        return self.standing.learner.name or self.standing.learner.key

    @property
    def scored(self) -> list[Mark]:
        """Return the marks that have a score, or need none."""
        marks = self.standing.marks
        return [mark for mark in marks if mark.score is not None or not mark.counts]


def entry_of(number: int, standing: Standing, exercises: Iterable[ExerciseInfo]) -> LearnerRow:
    """Return a standing as the report shows it; `exercises` are the cohort's, one per mark."""
    file = f"{name_of(standing.learner.key, standing.attempt)}.html"
    letters = tuple(map(letters_of, standing.marks, exercises))
    return LearnerRow(number, standing, file, gravest(standing.marks), letters)


def row_of(entry: LearnerRow, copies: Sequence[int], *, has_roster: bool) -> list[Any]:
    """Return an entry as a row of the table, which the overview's script reads.

    It has: file of the page, name, key where it differs from the name, e-mail, attempt, letter of
    the outcome, `u` for a learner off the roster and `l` for late work, letters of the exercises'
    outcomes, scores of the exercises (null for none), letters of the checks (a space between
    exercises), positions of the exercises whose score was set by hand, numbers of the groups of
    copies, the score and the points of what counts and has a score, and the section of the class.
    """
    learner, marks = entry.standing.learner, entry.standing.marks
    name, key = visible(entry.name, _CELL), visible(learner.key, _CELL)
    flags = "u" * (has_roster and not learner.rostered) + "l" * entry.standing.late
    return [
        entry.file.removesuffix(".html"),
        name,
        "" if name == key else key,
        visible(learner.email, _CELL),
        visible(entry.standing.attempt, _CELL),
        entry.outcome.letter,
        flags,
        "".join([SIGNS[mark.outcome].letter for mark in marks]),
        [plain_score(mark.score) for mark in marks],
        " ".join(entry.letters),
        [i for i, mark in enumerate(marks) if mark.override is not None],
        copies,
        entry.standing.known,
        section_of(learner),
    ]


def section_of(learner: Learner) -> str:
    """Return the learner's section of the class, from the roster's column `section`."""
    return visible(by_heading(learner.ids).get("section", ""), _CELL)


class Failure(NamedTuple):
    """One failure that several learners share."""

    check: CheckInfo
    message: str
    place: str
    rows: list[int]  #: the numbers of their entries, in order


class CopyGroup(NamedTuple):
    """Learners who submitted the same."""

    copies: Copies
    rows: list[int]  #: the numbers of their entries, in order

    @property
    def label(self) -> str:
        """Return what the table says about each of them."""
        if self.copies.shipped:
            return f"the shipped {self.copies.shipped}"
        if self.copies.common:
            return f"{self.copies.share:.0%} alike"
        count = self.copies.learners - 1
        return f"{count:,} other{'' if count == 1 else 's'}"


def _first_to_look_at(group: Copies) -> tuple[bool, bool, int, float]:
    is_near = bool(group.common)
    return not group.shipped, is_near, 0 if is_near else -group.learners, -group.share


class BarPart(NamedTuple):
    """A part of a bar."""

    outcome: str
    word: str
    number: int  #: how many have this outcome
    start: float  #: where it begins, out of 100
    width: float  #: out of 100


class Breakdown(NamedTuple):
    """The outcomes of a check or an exercise."""

    label: str
    title: str
    advisory: bool
    rate: float | None  #: the share that passes of those graded
    parts: list[BarPart]
    figures: ItemFigures | None = None  #: of a check


class Bar(NamedTuple):
    """One bar of the distribution."""

    low: int  #: the lowest score in it
    high: int  #: the highest score in it
    number: int  #: of learners
    width: float  #: of the longest bar, which is 100


def _counting_letters(entry: LearnerRow) -> list[str]:
    """Return the letters of each exercise, none where the learner is excused."""
    marks = entry.standing.marks
    return [made if mark.counts else "" for mark, made in zip(marks, entry.letters, strict=True)]


class CohortTally:
    """What the overview shows of a cohort; each entry is added once, in order."""

    def __init__(self, cohort: Cohort) -> None:
        self.exercises = tuple(cohort.exercises)
        self.has_roster = cohort.has_roster
        self.unit = cohort.unit
        self.entries = self.overridden = self.unknown = self.late = 0
        self.attempts = False  # whether a learner has more than one entry
        self.items = ItemTally(self.exercises)
        self.outcomes: Counter[str] = Counter()  # of whole entries, by their word
        self.scores: Counter[float] = Counter()  # of entries that have every score
        self.points: float = 0  # that an entry can have
        self.rows: list[list[Any]] = []
        self.left_out = 0  # findings, once there are too many kinds of failures
        order = sorted(cohort.copies(), key=_first_to_look_at)
        self.copies = [CopyGroup(copies, []) for copies in order]
        self._copies_of: dict[tuple[str, str], list[int]] = {}
        for number, group in enumerate(self.copies):
            for member in group.copies.members:
                self._copies_of.setdefault(member, []).append(number)
        self._failures: dict[tuple[str, str, str], Failure] = {}
        self._marks: Counter[tuple[int, str]] = Counter()
        self._letters = [Counter[tuple[int, str]]() for _ in self.exercises]  # by check

    def add_learner(self, attempts: Sequence[LearnerRow]) -> None:
        """Count a learner's entries, the one that counts last."""
        self.attempts = self.attempts or len(attempts) > 1
        for entry in attempts:
            self._add(entry)
        self.items.add([_counting_letters(entry) for entry in attempts])

    def _add(self, entry: LearnerRow) -> None:
        learner, marks = entry.standing.learner, entry.standing.marks
        self.entries += 1
        self.outcomes[entry.outcome.label] += 1
        self.overridden += any(mark.override is not None for mark in marks)
        self.unknown += self.has_roster and not learner.rostered
        self.late += entry.standing.late
        self.points = max(self.points, entry.standing.points)
        if entry.standing.total is not None:
            self.scores[entry.standing.total] += 1
        for position, (mark, letters) in enumerate(zip(marks, entry.letters, strict=True)):
            self._marks[position, mark.outcome] += 1
            self._letters[position].update(enumerate(letters))
            for result in mark.results:
                if result.outcome == "fail":
                    for finding in result.findings:
                        self._add_failure(entry.number, result.check, finding)
        copies = self._copies_of.get((learner.key, entry.standing.attempt), [])
        for number in copies:
            self.copies[number].rows.append(entry.number)
        self.rows.append(row_of(entry, copies, has_roster=self.has_roster))

    def _add_failure(self, number: int, check: CheckInfo, finding: Finding) -> None:
        """Group a failure by check, message and place; the third step's is the fifth's too."""
        place = _INDEX.sub("*", finding.path)
        key = check.code, finding.message, place
        if key not in self._failures and len(self._failures) >= _MOST_KINDS:
            self.left_out += 1
            return
        group = self._failures.setdefault(key, Failure(check, finding.message, place, []))
        if not group.rows or group.rows[-1] != number:
            group.rows.append(number)

    def failures(self, limit: int) -> list[Failure]:
        """Return the most common failures first, those that cost no points last."""
        return sorted(
            self._failures.values(),
            key=lambda f: (f.check.advisory, -len(f.rows), f.check.code, f.message, f.place),
        )[:limit]

    def by_exercise(self) -> list[Breakdown]:
        """Return the outcomes of each exercise."""
        words = ("pass", "fail", "missing", "unresolved", "excused", "error")
        return [
            _breakdown(
                exercise.name, exercise.title, {word: self._marks[at, word] for word in words}
            )
            for at, exercise in enumerate(self.exercises)
        ]

    def hardest_first(self) -> list[Breakdown]:
        """Return the outcomes of each check, the lowest rate first, those not graded last."""
        found = []
        figures = self.items.figures()
        for exercise, n, items in zip(self.exercises, self._letters, figures, strict=True):
            for at, (check, item) in enumerate(zip(exercise.checks, items, strict=True)):
                counts = {"pass": n[at, "p"], "skip": n[at, "s"]}
                counts |= {"fail": n[at, "f"] + n[at, "n"], "error": n[at, "e"]}
                made = _breakdown(check.code, check.title, counts, advisory=check.advisory)
                found.append(made._replace(figures=item))
        return sorted(
            found, key=lambda breakdown: 2.0 if breakdown.rate is None else breakdown.rate
        )

    @property
    def sections(self) -> list[str]:
        """Return the sections of the class, sorted."""
        return sorted({row[-1] for row in self.rows} - {""})

    def bars(self) -> list[Bar]:
        """Return the distribution of scores: a bar for each point, or wider ones.

        A score set by hand may lie between two points, below 0 or above all points: it goes to
        the nearest bar below it, or to the outermost.
        """
        points = ceil(self.points or sum(exercise.points for exercise in self.exercises))
        step = max(1, -(-(points + 1) // _BARS))
        lows = range(0, points + 1, step)
        counts = [0] * len(lows)
        for score, count in self.scores.items():
            counts[min(max(0, int(score // step)), len(counts) - 1)] += count
        most = max(counts) or 1
        return [
            Bar(low, min(low + step - 1, points), count, round(100 * count / most, 2))
            for low, count in zip(lows, counts, strict=True)
        ]


def _breakdown(
    label: str, title: str, counts: Mapping[str, int], *, advisory: bool = False
) -> Breakdown:
    """Return a bar of the outcomes that occur, in the order given."""
    graded = sum(counts.get(word, 0) for word in ("pass", "fail", "skip"))
    parts: list[BarPart] = []
    total, done = sum(counts.values()), 0
    for outcome, count in counts.items():
        if count:
            start, end = (round(100 * at / total, 2) for at in (done, done + count))
            word = _WORDS.get(outcome, outcome)
            parts.append(BarPart(outcome, word, count, start, round(end - start, 2)))
        done += count
    rate = counts["pass"] / graded if graded else None
    return Breakdown(label, title, advisory, rate, parts)
