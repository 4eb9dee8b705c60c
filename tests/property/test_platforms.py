"""A realistic collection of every platform: each entry is its learner's, or a person decides."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.stubs.platforms import MAKERS, class_of, groups_of, random_class
from verify.commands.entries import ledger_of
from verify.intake.groups import read_groups
from verify.intake.roster import read_roster

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.stubs.platforms import Made

    Make = Callable[[Callable[[int], bytes]], Made]

CERTAIN = {"graded", "part", "older attempt", "duplicate"}


def owners(collection: str, roster: str, groups: str = "") -> dict[str, tuple[str, ...]]:
    """Return whose each entry is that is certain."""
    known = read_roster(roster)
    of = read_groups(groups, known) if groups else None
    ledger = ledger_of([collection], known, "", None, groups=of)
    try:
        for _ in ledger.submissions(lambda found: [one.inner for one in found]):
            pass
        found: dict[str, tuple[str, ...]] = {}
        for row in ledger.rows():
            if row.disposition in CERTAIN:
                found[row.name] = (*found.get(row.name, ()), row.learner)
        return found
    finally:
        ledger.close()


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: str(make.__name__))
def test_t7_each_entry_of_a_platform_is_its_learners_or_a_person_decides(
    make: Make, tmp_path: Path
) -> None:
    made = make(lambda at: b"%d" % at)
    (tmp_path / "roster.csv").write_text(made.roster, "utf-8")
    found = owners(made.as_folder(str(tmp_path)), str(tmp_path / "roster.csv"))
    zipped = owners(made.as_zip(str(tmp_path)), str(tmp_path / "roster.csv"))
    held = {name: key for name, key in made.truth.items() if key}

    assert found == zipped
    assert {name: key for name, key in found.items() if key != (made.truth[name],)} == {}
    assert len(held) >= 22
    assert len(found) >= 0.95 * len(held)


@pytest.mark.figure
def test_t7_collections_of_many_classes_are_matched_and_none_is_wrong(
    tmp_path: Path, how_many: Callable[[int, int], int]
) -> None:
    held = matched = 0
    for seed in range(how_many(1, 40)):
        with class_of(random_class(random.Random(seed))):  # noqa: S311  # no secret
            for make in MAKERS:
                made = make(lambda at: b"%d" % at)
                folder = tmp_path / f"{seed} {made.platform}"
                folder.mkdir()
                (folder / "r.csv").write_text(made.roster, "utf-8")
                found = owners(made.as_folder(str(folder)), str(folder / "r.csv"))
                wrong = {name: key for name, key in found.items() if key != (made.truth[name],)}
                assert (seed, made.platform, wrong) == (seed, made.platform, {})
                held += sum(key is not None for key in made.truth.values())
                matched += len(found)
    print(f"{held:,} entries with a learner, {matched:,} matched, none to somebody else")

    assert matched >= 0.95 * held


@pytest.mark.figure
@pytest.mark.parametrize("platform", ["canvas", "moodle", "brightspace"])
def test_t7_submissions_of_groups_are_each_members_and_nobody_elses(
    tmp_path: Path, how_many: Callable[[int, int], int], platform: str
) -> None:
    held = matched = 0
    for seed in range(how_many(2, 60)):
        source = random.Random(seed)  # noqa: S311  # no secret
        with class_of(random_class(source)):
            made = groups_of(platform, source)
        folder = tmp_path / f"{seed}"
        (folder / "download").mkdir(parents=True)
        (folder / "r.csv").write_text(made.roster, "utf-8")
        (folder / "g.csv").write_text(made.groups, "utf-8")
        for path, data in made.entries.items():
            (folder / "download" / path).parent.mkdir(exist_ok=True)
            (folder / "download" / path).write_bytes(data)
        found = owners(*(str(folder / name) for name in ("download", "r.csv", "g.csv")))
        wrong = {name: keys for name, keys in found.items() if keys != made.truth[name]}
        assert (seed, wrong) == (seed, {})
        held += sum(map(bool, made.truth.values()))
        matched += len(found)
    print(f"{held:,} entries of groups, {matched:,} matched, all to their members")

    assert matched >= 0.95 * held
