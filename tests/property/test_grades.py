"""After any sequence of commands, no grade has changed without a line that says so."""

from __future__ import annotations

import json
import os
import re
from random import Random
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.school import School, alone
from verify import cli

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Grades = Mapping[tuple[str, str], tuple[str, float | None]]

SOLVED = os.path.join(ROOT, "fixtures", "submissions", "foundation", "01-plan", "solved")
ENTRIES = ("ada", "bob", "Li Wei", "Wei Li", "cy@x.org", "dan")
ROSTERS = (
    "id,name,email\n1,Ada L,ada\n2,Bob,bob\n3,Li Wei,li\n4,Cy,cy@x.org\n",
    "id,name,email\n1,Ada L,ada\n2,Bob,bob\n3,Li Wei,li\n5,Wei Li,wei\n6,Dan,dan\n",
    "username,name\nada,Ada L\nbob,Bob\nli,Li Wei\nwei,Wei Li\n",
    "email,name\nada,Ada L\nli,Wei Li\ncy@x.org,Cy\n",
    "matrikelnummer,name,e-mail\n11,Li Wei,li\n14,Cy N,cy@x.org\n12,Bob,bob\n",
)
STEPS = 10


class Term(School):
    """A school in which a random instructor gives one command after the other."""

    def grades(self) -> Grades:  # type: ignore[override]  # of all exercises
        """Return what an export says of each learner and exercise, as far as it is a grade."""
        code, _, errors = self.verify("export", "--jsonl", "x.jsonl")
        if code == 2:
            assert "no results" in errors or "does not exist" in errors
            return {}
        lines = (self.folder / "x.jsonl").read_text().splitlines()
        return {
            (one["learner"], mark["exercise"]): (mark["outcome"], mark["score"])
            for one in map(json.loads, lines)
            for mark in one["marks"]
            if mark["score"] is not None or mark["outcome"] not in ("missing", "error")
        }

    def commands(self, random: Random) -> Callable[[], tuple[int, str, str]]:
        """Return one command that an instructor may give now."""
        number = random.randrange(10)
        keys = sorted({learner for learner, _ in self.grades()} | {"ada", "li"})
        if number < 6:
            return lambda: self._batch(random)
        key = random.choice(keys)
        if number < 8:
            how = ("--score", str(random.randrange(9)), "--reason", "oral")
            words = ("override", key, "--exercise", "foundation/01", *how)
            return lambda: self.verify(*words)
        if number == 8:
            return lambda: self.verify("override", key, "--withdraw")
        return lambda: self.verify("match", "--forget", random.choice(ENTRIES))

    def _batch(self, random: Random) -> tuple[int, str, str]:
        collection = random.choice(("cohort", "cohort", "cohort", "again"))
        entries = random.sample(ENTRIES, random.randrange(1, len(ENTRIES) + 1))
        self.has(*entries, collection=collection)
        for name in random.sample(entries, random.choice((0, 0, 1))):
            next((self.folder / collection / name).rglob("plan.json")).unlink()
        words = ["batch", collection, "--jobs", "1", "--quiet", "--exercise", "foundation/01"]
        words += ["--exercise", "foundation/02"] * random.choice((0, 0, 0, 1))
        words += random.choice(((), (), ("--replace",)))
        roster = random.choice((*ROSTERS, "", "", "none"))
        if roster:
            name = self.file("r.csv", roster)
            words += ["--no-roster"] if roster == "none" else ["--roster", name]
        if random.random() < 0.4:
            key = random.choice(("ada", "li", "3", "bob", "cy@x.org"))
            words += ["--decisions", self.file("d.csv", f"entry,learner\n{entries[0]},{key}\n")]
        return self.verify(*words)


@pytest.fixture
def term(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Term:
    def run(*words: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = cli.main(list(words))
        return (code, *capfd.readouterr())

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("verify.child.workers.run", alone)
    return Term(tmp_path, run, SOLVED)


@pytest.mark.figure
def test_no_grade_changes_without_a_line_that_says_so(
    term: Term, how_many: Callable[[int, int], int]
) -> None:
    count, changed, refused = how_many(6, 400), 0, 0
    for seed in range(count):
        random = Random(seed)  # noqa: S311  # no secret
        for name in os.listdir(term.folder):
            if name.startswith("gradebook.db"):
                os.unlink(term.folder / name)
        before: Grades = {}
        history: list[str] = []
        for _ in range(STEPS):
            code, out, errors = term.commands(random)()
            history.append(f"{code} {errors}")
            after = term.grades()
            different = {key for key in before if before[key] != after.get(key)}
            said = [line for line in (out + errors).splitlines() if "->" in line or ": " in line]
            for learner, exercise in different:
                whose = re.compile(rf"(?<![\w@.]){re.escape(learner)}(?![\w@.])")
                named = [line for line in said if whose.search(line)]
                assert any(exercise in line or "new keys" in line for line in named), (
                    seed,
                    learner,
                    history,
                )
            assert code in (0, 1) or not different
            changed, refused, before = changed + len(different), refused + (code == 2), after
    print(f"{count * STEPS:,} commands, {changed:,} grades changed, {refused:,} refused")

    assert changed > count
