"""Grades submissions again under other circumstances, each time in a fresh process, and compares.

A grade that depends on the hash seed, the locale, the time zone, the working directory or the order
of the submissions is the grader's fault, and nobody sees it in a single run.
"""

from __future__ import annotations

import locale
import os
import pickle
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, NamedTuple

from pipeline.bootstrap import ROOT
from verify.batch.work import Batch, Job

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from verify.gradebook.records import FindingRow, Record

Plan = tuple[Job, tuple[Batch, ...]]  # every item's id is unique in all plans of a comparison
Records = dict[tuple[int, str], "Record"]  # by an item's id and the exercise's name

_OUTCOMES = {"p": "pass", "f": "fail", "s": "skip", "e": "error"}
_LOCALES = ("tr_TR.UTF-8", "de_DE.UTF-8", "ja_JP.UTF-8", "fr_FR.UTF-8", "en_US.UTF-8")
_WORKER = (
    "import sys; sys.path.insert(0, sys.argv[1]); from verify.batch import flaky; flaky.work()"
)
_SETTINGS = ("LC_", "LANG", "TZ", "PYTHONHASHSEED", "PYTHONUTF8", "PYTHONCOERCECLOCALE")


class Circumstances(NamedTuple):
    """What may differ between two machines, or two days, that grade the same submission.

    The field names with spaces for underscores are what people read. The working directory is a
    folder within one that is made for the comparison.
    """

    hash_seed: str = "1"
    locale: str = "C.UTF-8"
    time_zone: str = "<+14>-14"  # 26 hours from the other one: never the same day there
    working_directory: str = "here"
    order_of_submissions: bool = False  # turned around


class Difference(NamedTuple):
    """One check that is not the same each time; each side is an outcome with its findings.

    `check` is the position among the exercise's checks, None where only the questions differ that
    grading asked of the submission. `because` names the circumstances that make the difference,
    one by one; it is empty where it takes several, and is `BY_ITSELF` where it takes none.
    """

    item: int
    exercise: str
    check: int | None
    first: str
    second: str
    because: tuple[str, ...]


BY_ITSELF = ("nothing else",)


class GradingFailed(Exception):
    """A process that grades ended without its results; `details` is what it wrote about it."""

    def __init__(self, sentence: str, details: str) -> None:
        super().__init__(sentence)
        self.details = details


def differences(plans: Sequence[Plan], times: int = 2) -> list[Difference]:
    """Return what differs between `times` gradings of the plans, in the order of the plans.

    Each is made in a process of its own under circumstances that all differ from the first's.

    Raises:
        GradingFailed: a process ended without its results.
    """
    with tempfile.TemporaryDirectory(prefix="verify-") as above:
        return _differences(_Grader(plans, above), times)


def _differences(grader: _Grader, times: int) -> list[Difference]:
    base = grader.graded(Circumstances())
    found: dict[tuple[int, str, int | None], tuple[str, str]] = {}
    for turn in range(1, times):
        for key, sides in _compared(base, grader.graded(_other(turn))):
            found.setdefault(key, sides)
    if not found:
        return []
    causes = _causes(grader, base, times)
    return [
        Difference(*key, *sides, because=causes.get(key, ()))
        for key, sides in sorted_as(grader.plans, found)
    ]


def sorted_as(
    plans: Sequence[Plan], found: Mapping[tuple[int, str, int | None], tuple[str, str]]
) -> list[tuple[tuple[int, str, int | None], tuple[str, str]]]:
    """Return what was found in the order of the plans' items, exercises and checks."""
    order: dict[tuple[int, str], int] = {}
    for job, batches in plans:
        for batch in batches:
            for item in batch.items:
                for exercise in job.exercises:
                    order[item.id, exercise] = len(order)
    return sorted(found.items(), key=lambda each: (order[each[0][:2]], each[0][2] or 0))


def _other(turn: int) -> Circumstances:
    return Circumstances(str(turn + 1), other_locale(), "<-12>+12", f"there/{turn}", turn % 2 == 1)


def other_locale() -> str:
    """Return a locale that this machine has and that is not the first grading's."""
    before = locale.setlocale(locale.LC_COLLATE)
    try:
        for name in _LOCALES:
            try:
                locale.setlocale(locale.LC_COLLATE, name)
            except locale.Error:
                continue
            return name
    finally:
        locale.setlocale(locale.LC_COLLATE, before)
    return "C"


def _causes(
    grader: _Grader, base: Records, times: int
) -> dict[tuple[int, str, int | None], tuple[str, ...]]:
    """Return what makes each difference: every circumstance is changed alone, then none is."""
    causes: dict[tuple[int, str, int | None], tuple[str, ...]] = {}
    for key, _ in _compared(base, grader.graded(Circumstances())):
        causes[key] = BY_ITSELF
    for name in Circumstances._fields:
        alone: set[tuple[int, str, int | None]] = set()
        turns = range(1, times if name == "hash_seed" else 2)
        for turn in turns:
            changed = Circumstances()._replace(**{name: getattr(_other(turn), name)})
            alone.update(key for key, _ in _compared(base, grader.graded(changed)))
        for key in alone:
            if causes.get(key) != BY_ITSELF:
                causes[key] = (*causes.get(key, ()), name.replace("_", " "))
    return causes


def _compared(
    first: Records, second: Records
) -> Iterator[tuple[tuple[int, str, int | None], tuple[str, str]]]:
    for (item, exercise), record in first.items():
        other = second[item, exercise]
        if record == other:
            continue
        checks = [
            (position, sides)
            for position in range(len(record.outcomes))
            for sides in [(_side(record, position), _side(other, position))]
            if sides[0] != sides[1]
        ]
        for position, sides in checks:
            yield (item, exercise, position), sides
        if not checks and (record.questions, record.answers) != (other.questions, other.answers):
            yield (item, exercise, None), (record.questions, other.questions)


def _side(record: Record, position: int) -> str:
    """Return a check's outcome and its findings as one text."""
    findings = [_said(row) for row in record.findings if row.position == position]
    outcome = _OUTCOMES[record.outcomes[position]]
    return f"{outcome}: {'; '.join(findings)}" if findings else outcome


def _said(row: FindingRow) -> str:
    details = [
        f"{name} {value}"
        for name, value in (
            ("expected", row.expected),
            ("found", row.found),
            ("in", f"{row.file}:{row.line}:{row.column}" if row.line else row.file),
            ("at", row.path),
            ("next", row.next_step),
            ("waits for", row.waits_for),
        )
        if value
    ]
    return row.message + (f" ({', '.join(details)})" if details else "")


class _Grader:
    """Grades the same plans in fresh processes, each in a folder within `above`."""

    def __init__(self, plans: Sequence[Plan], above: str) -> None:
        self.plans = plans
        self._above = above

    def graded(self, circumstances: Circumstances) -> Records:
        """Return the records of everything, graded under these circumstances."""
        folder = os.path.join(self._above, circumstances.working_directory)
        os.makedirs(folder, exist_ok=True)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(_SETTINGS)}
        done = subprocess.run(  # noqa: S603  # ourselves
            [sys.executable, "-c", _WORKER, ROOT],
            input=pickle.dumps((tuple(self.plans), circumstances.order_of_submissions)),
            capture_output=True,
            env=kept
            | {
                "PYTHONHASHSEED": circumstances.hash_seed,
                "LC_ALL": circumstances.locale,
                "TZ": circumstances.time_zone,
            },
            cwd=folder,
            check=False,
        )
        if done.returncode or not done.stdout:
            sentence = f"a process that grades ended with {done.returncode}"
            raise GradingFailed(sentence, done.stderr.decode("utf-8", "replace"))
        records: Records = pickle.loads(done.stdout)  # noqa: S301  # what our own process has written
        return records


def work() -> None:
    """Grade what stands on standard input and write the records to standard output.

    What a check prints goes to standard error.
    """
    from verify.batch.kernel import grade_batch

    results = os.dup(1)
    os.dup2(2, 1)
    plans, turned_around = pickle.load(sys.stdin.buffer)  # noqa: S301  # what our own process sent
    records: Records = {}
    for job, batches in _in_order(plans, turned_around):
        for batch in batches:
            for graded in grade_batch(job, batch):
                for exercise, record in zip(job.exercises, graded.records, strict=True):
                    if record is not None:
                        records[graded.id, exercise] = record
    with os.fdopen(results, "wb") as file:
        pickle.dump(dict(sorted(records.items())), file)


def _in_order(plans: Iterable[Plan], turned_around: bool) -> Iterable[Plan]:  # noqa: FBT001  # a setting that is passed on
    if not turned_around:
        return plans
    return [
        (job, tuple(batch._replace(items=batch.items[::-1]) for batch in batches[::-1]))
        for job, batches in reversed(list(plans))
    ]
