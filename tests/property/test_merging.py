"""Two gradebooks become one: nothing is lost, and every disagreement is named."""

from __future__ import annotations

import shutil
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from verify.gradebook import recording, store
from verify.gradebook.keeping import decide, keep_grades
from verify.gradebook.merging import MergeConflict, merge
from verify.gradebook.reading import GradebookCohort, by_learner, holding
from verify.gradebook.recording import RunRecorder
from verify.gradebook.records import FoundSubmission, Mark, Override, Results
from verify.grading.model import CheckInfo, ExerciseInfo, Outcome

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence
    from pathlib import Path

PEOPLE = ("ada", "bob", "cy", "dan")
EXERCISES = tuple(
    ExerciseInfo(
        name,
        name,
        2,
        tuple(CheckInfo(f"E0{n}.{k}", "c", 1, advisory=False, page="p") for k in (1, 2)),
    )
    for n, name in enumerate(("expert/01", "expert/02"), 1)
)
LETTERS = {"pp": (Outcome.PASS, 2), "pf": (Outcome.FAIL, 1), "fs": (Outcome.FAIL, 0)}
# each table's rows without their numbers
CONTENT = {
    "run": "SELECT assignment, kind, started, finished, sources, options, by, (SELECT"
    " group_concat(exercise || digest || compared) FROM run_exercise e JOIN rules u"
    " ON u.id = e.rules WHERE e.run = run.id) FROM run",
    "submission": "SELECT s.assignment, learner, attempt, s.kind, container, inner, submitted,"
    " late, conflict, started FROM submission s JOIN run ON run.id = seen",
    "result": "SELECT s.assignment, learner, attempt, r.exercise, digest, started, outcome, score,"
    " outcomes, text, hex(digests), hex(fingerprint), (SELECT group_concat(position || message)"
    " FROM finding f WHERE f.result = r.id), superseded IS NULL FROM result r"
    " JOIN submission s ON s.id = submission JOIN rules u ON u.id = rules JOIN reads d"
    " ON d.id = reads JOIN run ON run.id = r.run",
    "override": "SELECT assignment, learner, exercise, kind, score, reason, by, made, withdrawn,"
    " withdrawn_by FROM override",
    "learner": "SELECT * FROM learner",
    "decision": "SELECT * FROM decision",
    "exported": "SELECT * FROM exported",
    "identity": "SELECT * FROM identity",
}


class Assistant:
    """Somebody who grades at random, with a gradebook of their own."""

    def __init__(self, path: Path, random: Random, name: str, clock: list[int]) -> None:
        self.path, self._random, self._name, self._clock = path, random, name, clock

    def now(self) -> str:
        """Return the time, which may stand still."""
        self._clock[0] += self._random.choice((0, 1, 60))
        return f"2026-01-01T{self._clock[0]:06}Z"

    def work(self, steps: int) -> None:
        """Do this and that."""
        with store.writing(str(self.path)) as connection:
            for _ in range(steps):
                choice = self._random.choice
                choice(
                    (
                        self._grade,
                        self._grade,
                        self._grade,
                        self._regrade,
                        self._decide,
                        self._override,
                    )
                )(connection)

    def _grade(self, connection: sqlite3.Connection) -> None:
        random, assignment = self._random, self._random.choice(("", "", "w1"))
        keep_grades(connection, assignment)
        recorder = RunRecorder(connection, self._name, assignment)
        chosen = random.sample(EXERCISES, random.choice((1, 2, 2)))
        digest = random.choice("dddx")
        started = self.now()
        rules = [(exercise, digest) for exercise in chosen]
        recorder.begin(
            "grade",
            started=started,
            sources=[("folder", self._name)],
            options={"attempts": "latest"},
            rules=rules,
        )
        if random.random() < 0.3:
            recorder.enrol(
                [(key, key.title(), "", "{}") for key in PEOPLE],
                [(key, "id", key) for key in PEOPLE],
            )
        people = random.sample(PEOPLE, random.randrange(1, 5))
        recorder.add_submissions(
            FoundSubmission(key, random.choice(("", "2")), "folder", self._name, key)
            for key in people
        )
        self._record(connection, recorder, chosen)
        if random.random() < 0.9:
            recorder.finish(self.now())

    def _regrade(self, connection: sqlite3.Connection) -> None:
        found = connection.execute(
            "SELECT id, assignment FROM run WHERE kind = 'grade' ORDER BY id DESC"
        ).fetchone()
        if found:
            recorder = RunRecorder(connection, self._name, found[1])
            recorder.begin("regrade", started=self.now(), options={}, rules=[(EXERCISES[0], "y")])
            recorder.run, last = found[0], recorder.run
            rows = self._marks(connection, recorder.run, EXERCISES[:1])
            recorder.run = last
            recorder.record(rows)
            recorder.finish(self.now())

    def _record(
        self, connection: sqlite3.Connection, recorder: RunRecorder, exercises: Any
    ) -> None:
        recorder.record(self._marks(connection, recorder.run, exercises))

    def _marks(self, connection: sqlite3.Connection, run: int, exercises: Any) -> list[Any]:
        rows = []
        for (number,) in connection.execute(
            "SELECT id FROM submission WHERE seen = ?", (run,)
        ).fetchall():
            marks = []
            for exercise in exercises:
                letters = self._random.choice([*LETTERS])
                outcome, score = LETTERS[letters]
                results = Results(exercise.checks, letters)
                marks.append(
                    Mark(
                        exercise,
                        outcome,
                        score,
                        results,
                        '[["read", "a"]]',
                        bytes(self._random.choices(range(3), k=16)),
                    )
                )
            rows.append((number, marks if self._random.random() < 0.9 else [None] * len(marks)))
        return rows

    def _decide(self, connection: sqlite3.Connection) -> None:
        random = self._random
        decide(
            connection,
            [("", random.choice("xy"), random.choice(PEOPLE), "")],
            self._name,
            self.now(),
        )
        connection.execute(
            "INSERT OR IGNORE INTO exported VALUES (?, ?)",
            (random.choice("ab"), random.choice("12")),
        )

    def _override(self, connection: sqlite3.Connection) -> None:
        random, place = self._random, (self._random.choice(PEOPLE), "expert/01")
        assignment = self._random.choice(("", "w1"))
        if random.random() < 0.3:
            recording.withdraw(connection, assignment, *place, by=self._name, when=self.now())
            return
        kind = random.choice(("score", "score", "excused", "comment"))
        score = random.randrange(3) if kind == "score" else None
        made = Override(score, self._name, self.now(), "why", kind)
        recording.override(connection, *place, made, assignment)


def content(path: Path) -> dict[str, Counter[Any]]:
    """Return what a gradebook has, without numbers."""
    with store.reading(str(path)) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        return {
            name: Counter(connection.execute(query).fetchall()) for name, query in CONTENT.items()
        }


class Grades(NamedTuple):
    """What counts in a gradebook, by the assignment, the learner and the exercise."""

    results: dict[tuple[str, ...], Any]
    by_hand: dict[tuple[str, ...], Any]  #: comments apart


def grades(path: Path) -> Grades:
    """Return what the exports of a gradebook are made of."""
    found = Grades({}, {})
    with store.reading(str(path)) as connection:
        for (assignment,) in connection.execute("SELECT assignment FROM last_run").fetchall():
            for *_, standing in by_learner(GradebookCohort(connection, assignment=assignment)):
                for mark in standing.marks:
                    key = (assignment, standing.learner.key, mark.exercise.name)
                    if mark.results and mark.stored.letters != "ee":
                        found.results[key] = (mark.graded, mark.stored.letters)
        for assignment in ("", "w1"):
            for (learner, exercise), overrides in holding(connection, assignment).items():
                for made in overrides:
                    kind = "comment" * (made.kind == "comment")
                    found.by_hand[assignment, learner, exercise, kind] = made
    return found


def facts(path: Path, table: str) -> Counter[Any]:
    """Return the rows of a table without what a later command changes in them."""
    last = {"result": -1, "override": -2}[table]
    rows: Counter[Any] = Counter()
    for row, number in content(path)[table].items():
        rows[row[:last]] += number
    return rows


def check(
    paths: Sequence[Path], merged: Path, conflicts: list[MergeConflict], *, shares: bool
) -> None:
    """Check that nothing is lost, and that each disagreement is named."""
    for table in ("result", "override"):
        assert facts(paths[0], table) | facts(paths[1], table) <= facts(merged, table)
    sides, now = [grades(path) for path in paths], grades(merged)
    named = {(conflict.kind, conflict.about) for conflict in conflicts}
    for kind, mine, other, both in (
        ("result", sides[0].results, sides[1].results, now.results),
        ("override", sides[0].by_hand, sides[1].by_hand, now.by_hand),
    ):
        for key in mine.keys() | other.keys():
            said = {mine.get(key), other.get(key)} - {None}
            if ("attempt", " ".join(filter(None, key[:2]))) in named and kind == "result":
                continue  # a later attempt counts, which may not be graded yet
            is_named = (kind, " ".join(filter(None, key[:3]))) in named
            if not shares:
                assert is_named or {both[key]} == said, key
            elif key in both:
                assert is_named or both[key] in said, key


@pytest.mark.figure
def test_t5_two_gradebooks_become_one(tmp_path: Path, how_many: Callable[[int, int], int]) -> None:
    count, named, grown = how_many(10, 400), 0, 0
    for seed in range(count):
        random, clock = Random(seed), [0]  # noqa: S311  # no secret
        folder = tmp_path / str(seed)
        folder.mkdir()
        paths = [folder / name for name in ("a.db", "b.db")]
        shares = random.random() < 0.5
        Assistant(paths[0], random, "ann", clock).work(random.choice((1, 2, 4)))
        if shares:
            shutil.copy(*paths)
        for path, name in zip(paths, ("ann", "bob"), strict=True):
            Assistant(path, random, name, [*clock]).work(random.randrange(not shares, 6))
        before, merged = [path.read_bytes() for path in paths], folder / "c.db"
        prefer = random.choice((None, None, 0, 1))
        found = merge([*map(str, paths)], str(merged), prefer, "eve", "2026-02-01T00:00:00Z")

        assert [path.read_bytes() for path in paths] == before
        check(paths, merged, found.conflicts, shares=shares)
        both = content(merged)
        pair = random.sample([merged, random.choice((*paths, merged))], 2)
        # a decision about an entry has no history
        chosen = None if prefer is None else pair.index(merged)
        again = str(folder / "again.db")
        merge([*map(str, pair)], again, chosen, "eve", "2026-03-01T00:00:00Z")
        assert content(folder / "again.db") == both, (seed, pair)
        named, grown = named + len(found.conflicts), grown + sum(both["result"].values())
        shutil.rmtree(folder)
    print(f"{count:,} pairs, {grown:,} results, {named:,} conflicts named")

    assert named
