"""A learner's result depends on the entries that claim the learner, and on nothing beside them."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stubs.downloads import (
    CONTENTS,
    FORMS,
    LEARNERS,
    NOISE,
    ROSTER,
    Made,
    emptied,
    make,
    zip_of,
)
from tests.stubs.intake import roster_at, seen_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.stubs.intake import Seen

    from verify.intake.roster import Roster

ENTRIES = st.builds(
    Made, *(st.sampled_from(sorted(names)) for names in (LEARNERS, FORMS, CONTENTS))
)
COLLECTIONS = st.lists(ENTRIES, min_size=1, max_size=6, unique_by=lambda one: one.name)
NOISES = st.lists(st.sampled_from(sorted(NOISE)), max_size=4, unique=True)
# in a tar-like folder of memory: thousands of collections are made


class Place:
    """A folder for one collection after the other, its zip, and the roster."""

    def __init__(self, above: str) -> None:
        self.folder = os.path.join(above, "submissions")
        self.zip = os.path.join(above, "submissions.zip")
        os.mkdir(self.folder)
        path = os.path.join(above, "roster.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(ROSTER)
        self.roster: Roster = roster_at(path)

    def seen(self, entries: list[Made], noise: list[str], *, zipped: bool) -> Seen:
        """Make a collection and grade it."""
        emptied(self.folder)
        make(self.folder, entries, noise)
        if zipped:
            zip_of(self.folder, self.zip)
        return seen_in(self.zip if zipped else self.folder, roster=self.roster)


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108  # a folder of its own in it
    with tempfile.TemporaryDirectory(dir=memory) as above:
        yield Place(above)


@given(entries=COLLECTIONS, noise=NOISES, zipped=st.booleans())
def test_every_entry_has_one_disposition_and_is_never_somebody_elses(
    place: Place, entries: list[Made], noise: list[str], zipped: bool
) -> None:
    seen = place.seen(entries, noise, zipped=zipped)

    truth = {one.name: one.learner for one in entries}
    wrong = [(name, who) for name, who, *_ in seen.entries if who and truth.get(name, who) != who]
    names = [name for name, *_ in seen.entries]
    assert (wrong, sorted(set(names))) == ([], sorted(names))
    if not zipped:
        assert len(names) == len(os.listdir(place.folder))


@given(
    entries=COLLECTIONS,
    added=st.one_of(ENTRIES, st.sampled_from(sorted(NOISE))),
    zipped=st.booleans(),
    noise=NOISES,
)
def test_one_entry_more_or_less_changes_nobody_else(
    place: Place, entries: list[Made], noise: list[str], added: Made | str, zipped: bool
) -> None:
    if isinstance(added, Made):
        more = ([*(one for one in entries if one.name != added.name), added], noise)
        less = ([one for one in more[0] if one != added], noise)
    else:
        more, less = (
            (entries, [*(n for n in noise if n != added), added]),
            (entries, [n for n in noise if n != added]),
        )
    before, after = place.seen(*less, zipped=zipped), place.seen(*more, zipped=zipped)

    new = {name for name, *_ in after.entries} - {name for name, *_ in before.entries}
    claimed = {who for name, who, *_ in after.entries if name in new}
    others = (before.results.keys() | after.results.keys()) - claimed
    assert {who: before.results.get(who) for who in others} == {
        who: after.results.get(who) for who in others
    }
