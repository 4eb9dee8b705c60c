"""A pattern of names is read one way, or as a guess; a wrong one is refused."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from pipeline.files import FILE, FOLDER
from tests.stubs.clock import slowness
from tests.stubs.rosters import roster_in
from verify.intake.collection import Entry, FolderCollection
from verify.intake.matching import Matcher
from verify.intake.pattern import NamePattern, suggested
from verify.intake.platforms.base import parsed_names

if TYPE_CHECKING:
    from pathlib import Path

ROSTER = (
    "id,login,name,email\n101,ada,Ada Lovelace,ada@x.org\n102,ann-doe,Mary-Ann O'Neill,ann@x.org\n"
    "103,doe,Ben Doe,ben@x.org\n104,lei,李 雷,lei@x.org\n"
)
D2L = "{id}-{any} - {name} - {date}"
AT = "Sep 24, 2024 926 PM"
READ = {  # the learner, with a question mark if a person has to confirm it
    (D2L, f"9-2557369 - Ada Lovelace - {AT}/"): "101",
    (D2L, f"101-2557369 - Ada Lovelace - {AT}/"): "101",
    (D2L, f"101-25 - Mary-Ann O'Neill - {AT}/"): "matches more than one learner",
    (D2L, "9-2 - Ada Lovelace - yesterday/"): "",
    ("{any}-{name} - {date}", f"9-Mary-Ann O'Neill - {AT}/"): "",
    # what a learner may be called, or call a file
    (D2L, f"9-7 - Eve - Ada Lovelace - {AT}/"): "",
    (D2L, f"9-7 - Ada Lovelace - Eve - {AT}/"): "",
    ("{login}_{any}", "doe_work.zip"): "103",
    ("{login}_{any}", "doe_my_work.zip"): "?103",
    ("{login}-{any}", "ann-doe-work.zip"): "",
    ("{any}-{login}", "una-ann-doe/"): "?103",
    ("{name}_{id}_{any}", "Ada Lovelace_101_9001_x.zip"): "?101",
    ("{id}_{any}", "101_my_work_2.zip"): "101",
    ("{any}_{id}", "my_work_101/"): "101",
    ("{last}, {first} ({any})", "Lovelace, Ada (7)/"): "101",
    ("{email} {date}", "ben@x.org 2026-03-01.zip"): "103",
    ("HW (1) {name}", "HW (1) 李 雷/"): "104",
    ("HW (1) {name}", "HW (2) 李 雷/"): "",
    ("{id}", "plan.json"): "",
    ("{name}", "Ada Lovelace.json"): "101",
}


def said(tmp_path: Path, layout: str, entry: str) -> str:
    """Return whose an entry is, whose it may be after a question mark, or why that is unclear."""
    matcher = Matcher(FolderCollection("x"), roster_in(tmp_path, ROSTER), {}, layout)
    (match,) = matcher.match(Entry(entry.rstrip("/"), FOLDER if entry.endswith("/") else FILE))
    unclear = match.why.partition(":")[0] if match.is_unclear else ""
    return match.learner or (f"?{match.likely}" if match.likely else unclear)


def test_t7_a_name_is_read_by_a_pattern_in_one_way_or_a_person_confirms_it(tmp_path: Path) -> None:
    assert {key: said(tmp_path, *key) for key in READ} == READ


TIMES = {  # of an entry whose file has a date of the learner's own in its name
    ("{any}_{date}_{id}", "x_2026-01-01_y_2026-10-09 1200_42"): "2026-10-09T12:00:00",
    ("{id}_{date}_{any}", "42_2026-10-09 1200_x_2026-01-01_y"): "2026-10-09T12:00:00",
    ("{id}_{any}_{date}", "42_2026-01-01_x_2026-10-09 1200"): "2026-10-09T12:00:00",
    ("{id} {any}_{date}_{any}", "42 x_2026-10-09 1200_y"): "2026-10-09T12:00:00",
    ("{id} {any}_{date}_{any}", "42 x_2026-01-01_y_2026-10-09 1200_z"): "not read",
}


def test_t7_a_learner_cannot_choose_the_time_of_a_submission_by_a_file_name() -> None:
    found = {
        (layout, name): [
            parsed.submitted for parsed in parsed_names([NamePattern(layout)], name, is_folder=True)
        ]
        for layout, name in TIMES
    }

    assert {key: (times or ["not read"])[0] for key, times in found.items()} == TIMES


FIELDS = '"{id}", "{login}", "{email}", "{name}", "{first}", "{last}", "{date}", "{any}"'
NONE = (
    "no field identifies a learner (expected {id}, {login}, {email}, {name}, or {first} and {last})"
)
NOT = "between fields is not searched for: use {any} for any text"
WRONG = {
    "{foo}": f"there is no field {{foo}} (expected {FIELDS})",
    "{}": f"there is no field {{}} (expected {FIELDS})",
    "{any}-{date}": NONE,
    "{first}": NONE,
    "{id}{name}": "nothing separates {id} from {name}",
    "{id}.*": f"* {NOT}",
    "{id}|{name}": f"| {NOT}",
    r"{id}\d": f"\\ {NOT}",
    "[0-9]{id}": f"[ {NOT}",
    "{id": f"{{ {NOT}",
    "{id}-{id}": "{id} is there twice",
    "{id}" + "x" * 200: "it has more than 200 characters",
}


@pytest.mark.parametrize("pattern", WRONG)
def test_t7_a_wrong_pattern_says_what_is_wrong(pattern: str) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011  # the whole message is compared
        NamePattern(pattern)

    assert str(raised.value) == WRONG[pattern]


def test_t7_hostile_names_are_read_by_a_pattern_in_linear_time() -> None:
    patterns = [D2L, "{any}a{name}a{id}", "{any}-{any}-{any}-{id}", "{id} {date}"]
    begun = time.process_time()
    for pattern in map(NamePattern, patterns):
        for piece in ("a", "-", " - ", "a-", "\u202e", "\udcff", "1"):
            for length in (255, 1_000, 10_000):
                parsed_names([pattern], (piece * length)[:length], is_folder=True)

    assert time.process_time() - begun < 1 * slowness()


SUGGESTED = {
    ("HW1 - Ada Lovelace - a", "HW1 - Mary-Ann O'Neill - b - c"): "HW1 - {name} - {any}",
    ("12-34 - Ada Lovelace - x", "13-35 - Ben Doe - y", "Eve"): "{any} - {name} - {any}",
    ("plan_101", "plan_102", "plan_999"): "plan_{id}",
    ("a_101_x", "b_102_y"): "{any}_{id}_{any}",
    ("[1] Ada Lovelace", "[1] Ben Doe"): "{any} {name}",
    ("a_101_x", "b 102 y"): "",
    ("Eve", "Una"): "",
}


def test_t7_a_pattern_is_suggested_where_names_hold_ids_or_names_of_the_roster(
    tmp_path: Path,
) -> None:
    roster = roster_in(tmp_path, ROSTER)
    found = {
        names: suggested(
            names,
            lambda text: roster.by_key(text) is not None,
            lambda text: roster.by_name(text) is not None,
        )[0]
        for names in SUGGESTED
    }

    assert found == SUGGESTED
