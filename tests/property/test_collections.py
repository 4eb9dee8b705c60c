"""A learner's result depends on the entries that claim the learner, and on nothing beside them."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.stubs.downloads import (
    CONTENTS,
    EXERCISE,
    FORMS,
    HOSTILE,
    LEARNERS,
    NOISE,
    ROSTER,
    Made,
    emptied,
    make,
    zip_of,
)
from tests.stubs.intake import Seen, seen_in
from verify.intake.collection import safe_name
from verify.intake.roster import read_roster
from verify.intake.table import Unusable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.intake.roster import Roster

PROGRAM = "import sys; from verify.console import main; sys.argv[0] = 'verify'; sys.exit(main())"
ENTRIES = st.builds(
    Made, *(st.sampled_from(sorted(names)) for names in (LEARNERS, FORMS | HOSTILE, CONTENTS))
)
COLLECTIONS = st.lists(ENTRIES, min_size=1, max_size=6, unique_by=lambda one: one.name)
ADDED = st.one_of(ENTRIES, st.sampled_from(sorted(NOISE)))
MANY = 1_000  # with fewer, the same ones each time
NOISES = st.lists(st.sampled_from(sorted(NOISE)), max_size=4, unique=True)


class Place:
    """A folder for one collection after the other, its zip, and the roster."""

    def __init__(self, above: str) -> None:
        self.folder = os.path.join(above, "submissions")
        self.zip = os.path.join(above, "submissions.zip")
        os.mkdir(self.folder)
        path = os.path.join(above, "roster.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(ROSTER)
        self.roster: Roster = read_roster(path)
        self.path = path

    def seen(self, entries: list[Made], noise: list[str], *, zipped: bool) -> Seen:
        """Make a collection and grade it."""
        self.names(entries, noise)
        if zipped:
            zip_of(self.folder, self.zip)
        try:
            return seen_in(self.zip if zipped else self.folder, self.roster)
        except Unusable:  # nothing in it may be a submission
            return Seen({}, ())

    def commanded(
        self, entries: list[Made], noise: list[str], *, zipped: bool, jobs: int
    ) -> tuple[dict[str, Any], set[tuple[str, str]]]:
        """Grade a collection by the command; return marks by learner, and whose each entry is."""
        self.names(entries, noise)
        if zipped:
            zip_of(self.folder, self.zip)
        above = os.path.dirname(self.folder)
        words = [self.zip if zipped else self.folder, "--exercise", EXERCISE, "--roster", self.path]
        with tempfile.TemporaryDirectory(dir=above) as out:
            files = ("--gradebook", "g.db", "--jsonl", "o.jsonl", "--entries", "e.csv")
            done = subprocess.run(
                [sys.executable, "-c", PROGRAM, "batch", *words, "--jobs", str(jobs), *files],
                cwd=out,
                capture_output=True,
                text=True,
                check=False,
            )
            assert "Traceback" not in done.stderr
            if done.returncode == 2:  # too few match, or nothing may be a submission
                return {}, set()
            with open(os.path.join(out, "o.jsonl"), encoding="utf-8") as file:
                marks = {one["learner"]: one["marks"][0] for one in map(json.loads, file)}
            with open(os.path.join(out, "e.csv"), encoding="utf-8", newline="") as file:
                whose = {(row["entry"], row["learner"]) for row in csv.DictReader(file)}
        return {who: (m["outcome"], m["score"], m["checks"]) for who, m in marks.items()}, whose

    def names(self, entries: list[Made], noise: list[str]) -> set[str]:
        """Make a collection and return its names as text."""
        emptied(self.folder)
        make(self.folder, entries, noise)
        return {safe_name(name) for name in os.listdir(self.folder)}


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108  # a folder of its own in it
    with tempfile.TemporaryDirectory(dir=memory) as above:
        yield Place(above)


def tried(count: int, strategies: dict[str, Any], check: Callable[..., None]) -> None:
    """Call a check with so many generated collections, and say how many that were."""
    made: list[int] = []

    @settings(max_examples=count, database=None, derandomize=count < MANY)
    @given(**strategies)
    def each(**collection: Any) -> None:
        made.append(1)
        check(**collection)

    each()
    print(f"{len(made):,} collections: {check.__name__}")


@pytest.mark.figure
def test_every_entry_has_one_disposition_and_is_never_somebody_elses(
    place: Place, how_many: Callable[[int, int], int]
) -> None:
    def in_one_count(entries: list[Made], noise: list[str], *, zipped: bool) -> None:
        seen = place.seen(entries, noise, zipped=zipped)

        truth = {one.name: one.owner for one in entries}
        found = [(name, who) for name, who, *_ in seen.entries if who]
        names = [name for name, *_ in seen.entries]
        assert [(name, who) for name, who in found if truth.get(name, who) != who] == []
        assert sorted(set(names)) == sorted(names)
        if not zipped and names:
            assert len(names) == len(os.listdir(place.folder))

    strategies = {"entries": COLLECTIONS, "noise": NOISES, "zipped": st.booleans()}
    tried(how_many(50, 10_000), strategies, in_one_count)


@pytest.mark.figure
def test_one_entry_more_or_less_changes_no_one_else(
    place: Place, how_many: Callable[[int, int], int]
) -> None:
    def independent(
        entries: list[Made], added: Made | str, noise: list[str], *, zipped: bool
    ) -> None:
        others = [one for one in entries if one != added], [one for one in noise if one != added]
        before = place.seen(*others, zipped=zipped)
        made, odd = ([added], []) if isinstance(added, Made) else ([], [added])
        after = place.seen(others[0] + made, others[1] + odd, zipped=zipped)

        touched = place.names(made, odd)
        claimed = {who for name, who, *_ in (*before.entries, *after.entries) if name in touched}
        same = (before.results.keys() | after.results.keys()) - claimed
        assert {who: before.results.get(who) for who in same} == {
            who: after.results.get(who) for who in same
        }

    strategies = {"entries": COLLECTIONS, "noise": NOISES, "zipped": st.booleans()}
    tried(how_many(50, 10_000), strategies | {"added": ADDED}, independent)


@pytest.mark.slow
@pytest.mark.figure
def test_the_command_too_changes_no_one_else(
    place: Place, how_many: Callable[[int, int], int]
) -> None:
    def independent_by_command(
        entries: list[Made], added: Made | str, *, zipped: bool, jobs: int
    ) -> None:
        others = [one for one in entries if one != added]
        before = place.commanded(others, [], zipped=zipped, jobs=jobs)
        made, odd = ([added], []) if isinstance(added, Made) else ([], [added])
        after = place.commanded(others + made, odd, zipped=zipped, jobs=jobs)

        assume(before[1] and after[1])  # neither run stopped, for want of entries that match
        touched = place.names(made, odd)
        claimed = {who for name, who in before[1] | after[1] if name in touched}
        same = (before[0].keys() | after[0].keys()) - claimed
        assert {who: before[0].get(who) for who in same} == {who: after[0].get(who) for who in same}

    strategies = {"entries": COLLECTIONS, "added": ADDED, "zipped": st.booleans()}
    strategies["jobs"] = st.sampled_from((1, 2))
    tried(how_many(5, 200), strategies, independent_by_command)
