"""A grade never changes hands or disappears without a line that says so."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.stubs.school import School, alone
from tests.unit.verify.commands.conftest import SOLVED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Verify = Callable[..., tuple[int, str, str]]

GONE = (
    "the learner has left, or has a new key: set the score for the new key, if any, then"
    " verify override KEY --withdraw"
)
TWO = "id,name\n7,Li Wei\n8,Wei Lee\n"
MADE = ("--exercise", "foundation/01", "--score", "0", "--reason", "plagiarism")


@pytest.fixture
def school(tmp_path: Path, verify: Verify, monkeypatch: pytest.MonkeyPatch) -> School:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("verify.child.workers.run", alone)
    return School(tmp_path, verify, SOLVED)


@pytest.fixture
def decided(school: School) -> School:
    """Return a class in which a decision gives Li Wei's entry to Wei Lee."""
    school.has("Wei Li")
    roster, table = school.file("r.csv", TWO), school.file("d.csv", "entry,learner\nWei Li,8\n")
    school.batch("--roster", roster, "--decisions", table)
    return school


def test_g1_a_run_without_the_decisions_gives_the_same_grades(decided: School) -> None:
    before = decided.grades()
    code, errors = decided.batch()

    assert before == decided.grades() == {"7": ("missing", ""), "8": ("pass", "9")}
    assert (code, errors) == (1, [])


def test_g1_a_decision_counts_for_a_later_download_of_the_same_entries(decided: School) -> None:
    table = f"entry,learner,collection\nWei Li,8,{decided.folder}/cohort\n"
    decided.batch("--decisions", decided.file("d.csv", table))
    decided.has("Wei Li", collection="again")
    decided.batch(collection="again")

    assert decided.grades() == {"7": ("missing", ""), "8": ("pass", "9")}


def test_g1_a_later_table_adds_and_replaces_and_drops_nothing(decided: School) -> None:
    decided.has("Wei Li", "x", "team")
    decided.file("r.csv", TWO + "9,Zoe\n10,Abe\n")
    first = decided.file("d.csv", "entry,learner,why\nx,7,her laptop\nteam,9,\nteam,10,\n")
    decided.batch("--roster", "r.csv", "--decisions", first)
    decided.batch("--decisions", decided.file("d.csv", "entry,learner\nteam,10\n"))
    _, text, _ = decided.verify("match")
    found = [line.partition(" (")[0] for line in text.splitlines()]

    assert found == ["decision: Wei Li: 8", "decision: team: 10", "decision: x: 7"]
    assert text.splitlines()[2].endswith("Z, her laptop)")
    assert decided.grades()["9"] == ("missing", "")
    assert [decided.grades()[key] for key in ("7", "8", "10")] == [("pass", "9")] * 3


def test_g1_match_uses_what_the_gradebook_keeps(decided: School) -> None:
    code, text, _ = decided.verify("match", "cohort")

    assert code == 0
    assert text.splitlines()[2].split() == ["Wei", "Li", "8", "decision"]
    assert text.splitlines()[-1].startswith("decision: Wei Li: 8 (")


def test_g1_a_decision_is_removed_only_when_asked(decided: School) -> None:
    unknown = decided.verify("match", "--forget", "Wei L")
    forgotten = decided.verify("match", "--forget", "Wei Li")
    decided.has("Wei Li", "7")
    _, errors = decided.batch()
    changed = "verify: 1 grade of the earlier run changed: 8 foundation/01 pass 9 -> missing"

    assert unknown[0::2] == (
        2,
        'verify: this gradebook has no decision for Wei L (expected "Wei Li")\n',
    )
    assert forgotten == (
        0,
        "There are no decisions.\n",
        'verify: forgotten: the decision for "Wei Li"\n',
    )
    assert changed in errors
    assert decided.grades()["8"] == ("missing", "")


@pytest.mark.parametrize(
    "name",
    [
        "Wei\u00a0Li",
        "a\u2003b",
        "Al\u202ei",
        "Jo\u00adhn",
        "t\tab",
        "esc\x1b",
        " lead",
        "trail ",
        "\u2028x",
        "'=g",
        "x, -y",
        "x;'=y",
        "new\nline",
        r"back\x41slash",
        r"x\u{a0}y",
        r"x\ty",
    ],
    ids=ascii,
)
def test_any_entry_can_be_decided_with_the_table_that_match_writes(
    school: School, name: str
) -> None:
    school.has(name)
    roster = school.file("r.csv", "id,name\n8,Ann Roe\n")
    school.verify("match", "cohort", "--roster", roster, "--entries", "e.csv")
    table = (school.folder / "e.csv").read_text("utf-8")
    school.file("e.csv", table.replace(",,unmatched", ",8,unmatched"))
    decided = school.batch("--roster", roster, "--decisions", "e.csv")
    _, listed, _ = school.verify("match")
    shown = listed.removeprefix("decision: ").rpartition(f" in {school.folder}/cohort: 8 ")[0]

    assert decided == (0, [])
    assert school.grades() == {"8": ("pass", "9")}
    assert school.verify("match", "--forget", shown)[:2] == (0, "There are no decisions.\n")


def test_a_decision_counts_in_its_folder_alone_also_where_the_path_has_what_nobody_sees(
    school: School,
) -> None:
    school.has("x", collection="one\u00a0a")
    school.has("x", collection="two")
    roster = school.file("r.csv", "id,name\n7,Abe Poe\n8,Ann Roe\n")
    school.verify("match", "one\u00a0a", "two", "--roster", roster, "--entries", "e.csv")
    table = (school.folder / "e.csv").read_text("utf-8")
    school.file("e.csv", table.replace(",,", ",7,", 1).replace(",,unmatched", ",8,unmatched"))
    _, text, _ = school.verify("match", "one\u00a0a", "two", "--decisions", "e.csv")

    assert [line.split() for line in text.splitlines()[2:4]] == [
        ["x", "7", "decision"],
        ["x", "8", "decision"],
    ]


@pytest.mark.parametrize("place", ["{0}", "./{0}", "{0}/", "{1}/{0}", "{1}/{0}/", "{1}/./x/../{0}"])
def test_a_decision_names_its_collection_as_a_command_does(school: School, place: str) -> None:
    school.has("x", collection="one")
    school.has("x", collection="two")
    roster = school.file("r.csv", "id,name\n7,Abe Poe\n8,Ann Roe\n")
    rows = "".join(
        f"x,{key},{place.format(n, school.folder)}\n" for n, key in (("one", 7), ("two", 8))
    )
    school.file("d.csv", f"entry,learner,collection\n{rows}")
    _, text, _ = school.verify("match", "one", "two", "--roster", roster, "--decisions", "d.csv")

    assert [line.split() for line in text.splitlines()[2:4]] == [
        ["x", "7", "decision"],
        ["x", "8", "decision"],
    ]


@pytest.mark.parametrize(
    ("name", "twin"),
    [("Wei\u00a0Li", r"Wei\u{a0}Li"), ("a\tb", r"a\tb"), (" a", "a"), ("a\nb", r"a\x0ab")],
    ids=ascii,
)
def test_a_decision_never_counts_for_an_entry_that_is_only_shown_alike(
    school: School, name: str, twin: str
) -> None:
    school.has(name, twin)
    roster = school.file("r.csv", "id,name\n7,Abe Poe\n8,Ann Roe\n")
    school.verify("match", "cohort", "--roster", roster, "--entries", "e.csv")
    table = (school.folder / "e.csv").read_text("utf-8")
    first, second = (line.split(",,unmatched")[0] for line in table.splitlines()[1:])
    school.file("d.csv", f"entry,learner\n{first},7\n{second},8\n")
    decided = school.batch("--roster", roster, "--decisions", "d.csv")

    assert decided == (0, [])
    assert school.grades() == {"7": ("pass", "9"), "8": ("pass", "9")}


def test_a_table_that_was_exported_means_the_same_learners_when_it_is_read(school: School) -> None:
    school.has("@ada", "x;=y")
    school.batch("--roster", school.file("r.csv", "id,name\n@ada,=Ada\nx;=y,Bo\n"))
    rows = (school.folder / "g.csv").read_text("utf-8").splitlines()[1:]
    keys = [row.split(",")[0] for row in rows]
    table = "".join(f"{key},foundation/01,3,late\n" for key in keys)
    school.file("o.csv", f"learner,exercise,score,reason\n{table}")
    code, text, errors = school.verify("override", "--from", "o.csv")

    assert keys == ["'@ada", "x;'=y"]
    assert (code, errors) == (0, "")
    assert [line.split(" foundation/01: 3 by ")[0] for line in text.splitlines()[:2]] == [
        "@ada",
        "x;=y",
    ]


def test_no_learner_reads_whose_else_an_entry_may_be_or_what_only_an_instructor_can_do(
    school: School,
) -> None:
    school.has("Wei Li", "Zoe", "zoe-2")
    header = "Identifier,Full name,Email address,Status,Grade,Last modified (grade),"
    header += "Feedback comments\n"
    names = ("Wei Li", "Wei Li", "Zoe")
    rows = "".join(f"Participant {at}1,{name},{at}@x,-,,-,\n" for at, name in enumerate(names, 1))
    roster = school.file("m.csv", header + rows)
    twice = school.file("d.csv", "entry,learner\nZoe,Participant 31\nzoe-2,Participant 31\n")
    (school.folder / "cohort" / "zoe-2" / "README.md").write_text("another", "utf-8")
    assert school.batch("--roster", roster, "--decisions", twice, "--csv", "checks.csv")[0] == 1
    words = (
        "--feedback",
        "fb",
        "--gradescope",
        "gs",
        "--moodle",
        "mo.csv",
        "--moodle-from",
        "m.csv",
    )
    assert school.verify("export", *words)[::2] == (0, "")
    told = [path.read_text("utf-8") for path in school.folder.glob("fb/*.md")]
    told += [path.read_text("utf-8") for path in school.folder.glob("gs/*/results.json")]
    told += (school.folder / "mo.csv").read_text("utf-8").splitlines()[1:]
    listed = (school.folder / "checks.csv").read_text("utf-8")

    assert len(told) == 3 * len(names)
    assert ["it is not clear which submission is yours" in text for text in told] == [True] * 9
    assert not any(word in text for text in told for word in ("matches", "claim", "decisions"))
    assert "matches more than one learner: Participant 11 by name" in listed
    assert '2 entries claim this learner (""Zoe"", ""zoe-2"")' in listed


def overridden(school: School, roster: str, key: str, *entries: str) -> None:
    """Grade a class, and give a learner a 0 for plagiarism."""
    school.has(*entries)
    school.batch("--roster", school.file("r.csv", roster))
    assert school.verify("override", key, *MADE)[0] == 0


@pytest.mark.parametrize(
    ("before", "key", "after", "now"),
    [
        ("email,github id\na@o,1\n", "a@o", "email,github id\nb@o,1\n", "b@o"),
        ("email,name,gitlab\na@o,Ada L,g\n", "a@o", "email,name,gitlab\nb@o,Ada X,G\n", "b@o"),
        ("email,name\na@x,Ada L\n", "a@x", "id,name,E-mail\n5,Ada X,A@x\n", "5"),
        ("matrikelnummer,name\n017,Ada L\n", "017", "id,name,sis user id\n5,Ada L,017\n", "5"),
        # not certain: another number of another person, a namesake, two learners, a participant
        ("matrikelnummer,name\n017,Ada L\n", "017", "id,name,sis user id\n5,Bo M,017\n", ""),
        ("email,name\na@o,Ada L\n", "a@o", "email,name\nb@o,Ada L\n", ""),
        (
            "email,gitlab,github\na@o,g,h\n",
            "h",
            "id,gitlab,email\n1,g,x@o\n2,k,a@o\n",
            "",
        ),
        ("email,identifier\na@o,5\n", "5", "email,login,identifier\nb@o,x,5\n", ""),
    ],
)
def test_g2_an_override_follows_a_learner_whom_another_column_identifies(
    school: School, before: str, key: str, after: str, now: str
) -> None:
    overridden(school, before, key, key)
    school.has(after.splitlines()[1].split(",")[0])
    code, errors = school.batch(
        "--roster", school.file("r.csv", after), "--replace", "--layout", "plain"
    )
    zeros = [who for who, (_, score) in school.grades().items() if score == "0"]
    about = [line for line in errors if "grade of the earlier run" not in line and key in line]
    lost = f"verify: override {key} foundation/01 (0, plagiarism): {GONE}"

    assert zeros == ([now] if now else [])
    assert about == (
        [f'verify: new keys, with all that was theirs: "{key} is {now}"'] if now else [lost]
    )
    assert now or code == 1


@pytest.mark.parametrize(
    ("after", "zeros", "named"),
    [
        ("id,email,name\n2,ada@x.org,Ada L\n1,bo@x.org,Bo M\n", ["2"], "1 (earlier) is 2"),
        ("id,email,name\n1,bo@x.org,Bo M\n", [], "override 1 (earlier) foundation/01"),
    ],
)
def test_g2_what_belongs_to_one_learner_never_counts_for_another_with_the_same_key(
    school: School, after: str, zeros: list[str], named: str
) -> None:
    overridden(school, "id,email,name\n1,ada@x.org,Ada L\n2,bo@x.org,Bo M\n", "1", "1")
    school.has("Bo M")
    code, errors = school.batch("--roster", school.file("r.csv", after), "--replace")

    assert [who for who, (_, score) in school.grades().items() if score == "0"] == zeros
    assert any(named in line for line in errors)
    assert zeros or code == 1


@pytest.mark.parametrize(
    ("after", "zeros"),
    [
        ("id,name\n1,Abe Poe\n2,Ada L\n3,Bo M\n", []),  # running numbers of a sorted table
        ("id,name\n2,Ada L\n1,Bo M\n", []),
        ("id,name\n1,Bo M\n2,Ada Love\n", []),
        ("id,name\n1,Ada Love\n2,Bo M\n", ["1"]),  # a corrected name
    ],
)
def test_g2_a_key_whose_learner_has_another_key_now_is_another_learner_s(
    school: School, after: str, zeros: list[str]
) -> None:
    overridden(school, "id,name\n1,Ada L\n2,Bo M\n", "1", "Ada L", "Bo M")
    code, errors = school.batch(
        "--roster", school.file("r.csv", after), "--replace", "--layout", "all"
    )

    assert [who for who, (_, score) in school.grades().items() if score == "0"] == zeros
    assert zeros or any("override 1 (earlier) foundation/01 (0, plag" in line for line in errors)
    assert zeros or code == 1


def test_g2_a_key_may_stand_for_one_learner_after_the_other(school: School) -> None:
    def taken_by(name: str, score: str) -> list[str]:
        school.has(name)
        rows = f"id,name,email\n1,{name},{name}@x.org\n"
        _, errors = school.batch("--roster", school.file("r.csv", rows), "--replace")
        reason = ("--exercise", "foundation/01", "--score", score, "--reason", f"of {name}")
        before = school.grades()["1"][1]
        assert school.verify("override", "1", *reason)[0] == 0
        return [before, *(line for line in errors if "override 1" in line or "new keys" in line)]

    def left(key: str, score: int, name: str) -> str:
        return f"verify: override {key} foundation/01 ({score}, of {name}): {GONE}"

    first, second = left("1 (earlier)", 1, "Ann"), left("1 (earlier 2)", 2, "Bo")
    third = left("1 (earlier 3)", 3, "Cy")

    assert taken_by("Ann", "1") == ["9"]
    assert taken_by("Bo", "2") == ["9", first]
    assert taken_by("Cy", "3") == ["9", second, first]
    assert taken_by("Ann", "4") == [
        *("1", 'verify: new keys, with all that was theirs: "1 (earlier) is 1"', second, third)
    ]


def test_g2_a_corrected_name_keeps_what_belongs_to_its_key(school: School) -> None:
    overridden(school, "id,email,name\n1,ada@x.org,Ada L\n", "1", "1")
    code, errors = school.batch(
        "--roster", school.file("r.csv", "id,email,name\n1,ada@x.org,Ada Love\n")
    )

    assert (code, errors, school.grades()) == (0, [], {"1": ("pass", "0")})


@pytest.mark.parametrize("key", ["1", "É1"])
@pytest.mark.parametrize(
    ("after", "is_said"),
    [
        ("id,name\n{key},Bo M\n", True),
        ("id,name,email\n{key},Bo M,bo@x.org\n", True),
        ("id,name\n{key},ADA  L\n", False),
    ],
)
def test_g2_another_name_for_a_key_that_has_an_override_is_named_once(
    school: School, key: str, after: str, *, is_said: bool
) -> None:
    overridden(school, f"id,name\n{key},Ada L\n", key, key)
    _, errors = school.batch("--roster", school.file("r.csv", after.format(key=key)))
    _, again = school.batch("--roster", "r.csv")
    line = (
        f'verify: other names than before: "{key} was ada l, is bo m"; what was decided about these'
        " keys stays: if they are other people now, use verify override KEY --withdraw or verify"
        " match --forget ENTRY"
    )

    assert (errors, again) == ([line] if is_said else [], [])


def test_g2_what_belongs_to_nobody_is_named_until_it_is_withdrawn(school: School) -> None:
    overridden(school, "email,name\nada@old,Ada L\n", "ada@old", "Ada L")
    first = school.batch("--roster", school.file("r.csv", "email,name\nada@new,Ada L\n"))
    again = school.batch()
    line = f"verify: override ada@old foundation/01 (0, plagiarism): {GONE}"
    changed = "verify: 1 grade of the earlier run changed: ada@old foundation/01 pass 0 -> not in"
    exported = school.verify("export", "--csv", "x.csv")
    regraded = school.verify("regrade", "--jobs", "1", "--quiet")
    school.verify("override", "ada@new", *MADE)
    withdrawn = school.verify("override", "ada@old", "--withdraw")

    assert first == (1, [f"{changed} this run", line])
    assert again == (1, [line])
    assert (exported[0], exported[2]) == (0, f"{line}\n")
    assert (regraded[0], regraded[2]) == (0, f"{line}\n")
    assert withdrawn[0] == 0
    assert school.batch() == (0, [])
    assert school.grades() == {"ada@new": ("pass", "0")}
    assert school.verify("override", "ada@old", "--withdraw")[0] == 2


def test_g2_a_decision_follows_or_gives_the_entry_to_nobody(decided: School) -> None:
    decided.file("r.csv", "id,name,login\n7,Li Wei,x\n8,Wei Lee,lee\n")
    decided.batch("--roster", "r.csv")
    moved = decided.batch(
        "--roster", decided.file("r.csv", "student id,name,login\n77,Li Wei,x\n88,Wei Lee,lee\n")
    )
    follows = decided.grades()
    decided.has("Wei Li", "77")
    roster = decided.file("r.csv", "student id,name\n77,Li Wei\n")
    left = decided.batch("--roster", roster, "--replace")
    entry = "a decision names 88, which is not on the roster"
    named = (
        "verify: decision Wei Li (88): the learner has left, or has a new key: decide again with"
        " --decisions, or verify match --forget ENTRY"
    )

    assert follows == {"77": ("missing", ""), "88": ("pass", "9")}
    assert any('"8 is 88"' in line for line in moved[1])
    assert named in left[1]
    assert f"verify: Wei Li: unmatched: {entry}" in left[1]
    assert (left[0], decided.grades()) == (1, {"77": ("pass", "9")})
    assert decided.verify("match", "--forget", "Wei Li")[0] == 0


def test_g2_an_override_goes_there_and_back(school: School) -> None:
    one, two = "email,gitlab\na@o,g\nb@o,h\n", "id,gitlab\n1,g\n2,h\n"
    overridden(school, one, "a@o", "a@o", "b@o")
    school.has("1", "2")
    there = school.batch("--roster", school.file("r.csv", two), "--replace")
    school.has("a@o", "b@o")
    back = school.batch("--roster", school.file("r.csv", one), "--replace")
    graded = school.grades()

    assert "a@o is 1" in there[1][0]
    assert "1 is a@o" in back[1][0]
    assert graded == {"a@o": ("pass", "0"), "b@o": ("pass", "9")}


def test_g5_another_exercise_needs_replace_and_writes_nothing(school: School) -> None:
    school.has("ada", "bob")
    school.batch()
    school.has("ada", collection="second")
    os.remove("g.csv")
    other = ("batch", "second", "--exercise", "foundation/02", "--jobs", "1", "--quiet")
    refused = school.verify(*other, "--csv-wide", "g.csv")
    same = school.verify("batch", "cohort", *other[2:])
    step = ", or add --replace to drop them; nothing was written\n"
    lost = "verify: this run would drop the results of foundation/01 (2) from the exports:"

    assert refused == (2, "", f"{lost} use a different --gradebook for each assignment{step}")
    assert same == (2, "", f"{lost} add --exercise foundation/01{step}")
    assert not os.path.exists("g.csv")
    assert school.batch() == (0, [])  # the gradebook is as it was


def test_g5_regrading_what_was_replaced_says_so(school: School) -> None:
    school.has("ada")
    school.batch()
    other = ("--exercise", "foundation/02", "--jobs", "1", "--quiet", "--replace")
    code, _, errors = school.verify("batch", "cohort", *other)
    regraded = school.verify("regrade", "--exercise", "foundation/01")

    assert (code, errors) == (
        1,
        "verify: 1 grade of the earlier run changed: ada foundation/01 pass 9 -> not in this run\n",
    )
    what = "this gradebook has no results from the last verify batch for foundation/01"
    assert (regraded[0], regraded[2]) == (2, f'verify: {what} (expected "foundation/02")\n')


CLASS = tuple(f"learner{number:02}" for number in range(20))


@pytest.mark.parametrize(
    ("first", "then", "elsewhere", "lost"),
    [
        (CLASS, CLASS[:5], True, 15),  # the resubmitters alone
        (CLASS, CLASS[:5], False, 15),
        (CLASS, CLASS[:17], True, 3),
        (CLASS[:2], CLASS[:1], True, 1),
        (CLASS[:3], CLASS[3:4], False, 3),  # another class
        (CLASS, CLASS[2:], True, 0),  # two have left
        (CLASS, CLASS[2:], False, 0),
        (CLASS[:3], CLASS[1:3], False, 0),
        (CLASS[:2], CLASS[1:2], False, 0),
        (CLASS[:9], CLASS, True, 0),  # the class has grown
        (CLASS[:9], CLASS, False, 0),
    ],
)
def test_g5_a_smaller_collection_needs_replace_and_a_learner_who_left_is_named(
    school: School,
    first: Sequence[str],
    then: Sequence[str],
    elsewhere: bool,  # noqa: FBT001  # a column of the table
    lost: int,
) -> None:
    school.has(*first)
    school.batch()
    collection = "second" if elsewhere else "cohort"
    school.has(*then, collection=collection)
    code, errors = school.batch(collection=collection)
    left = [key for key in first if key not in then]
    if lost:
        assert code == 2
        assert errors[0].startswith(
            f"verify: this run would drop the results of {lost} of {len(first)} learners ("
        )
        assert school.batch("--replace", collection=collection)[0] == 0
    else:
        changes = ", ".join(f"{key} foundation/01 pass 9 -> not in this run" for key in left)
        what = f"{len(left)} grade{'s' * (len(left) > 1)} of the earlier run changed"
        assert (code, errors) == (0, [f"verify: {what}: {changes}"] * bool(left))


def test_g5_a_roster_that_renames_everybody_is_no_other_class(school: School) -> None:
    school.has("Ada L", "Bo M", "Cy N")
    school.batch()
    roster = school.file("r.csv", "id,name\n1,Ada L\n2,Bo M\n3,Cy N\n")

    assert school.batch("--roster", roster)[0] == 0
    assert school.batch("--no-roster")[0] == 0


HEAD = "Student,ID,SIS User ID,SIS Login ID,Section,foundation/01 Plan (1)\n"
CANVAS = ("--canvas", "import.csv", "--canvas-from", "export.csv")


def test_g7_what_an_export_wrote_is_ours_and_a_grade_entered_by_hand_stays(school: School) -> None:
    school.has("ada", "bob", "cy")
    school.file("export.csv", f"{HEAD}Ada,1,,ada,A,\nBob,2,,bob,A,55\nCy,3,,cy,A,EX\n")
    first = school.batch(*CANVAS)
    school.verify("override", "ada", *MADE)
    school.file("export.csv", f"{HEAD}Ada,1,,ada,A,9.00\nBob,2,,bob,A,55\nCy,3,,cy,A,EX\n")
    _, _, errors = school.verify("export", *CANVAS)
    text = (school.folder / "import.csv").read_text(encoding="utf-8")
    kept = (
        'verify: --canvas-from keeps 2 grades: "Bob: 55", "Cy: EX": not from this gradebook;'
        " --overwrite replaces all but EX"
    )
    again = school.verify("export", *CANVAS)
    school.verify("export", *CANVAS, "--overwrite")
    replaced = (school.folder / "import.csv").read_text(encoding="utf-8")

    assert first == (0, [kept])
    assert errors.splitlines() == [
        kept,
        'verify: --canvas-from replaces 1 grade: "Ada: 9.00 -> 0"',
    ]
    assert [line.rpartition(",")[2] for line in text.splitlines()[1:]] == ["0", "55", "EX"]
    assert again[2] == errors
    assert [line.rpartition(",")[2] for line in replaced.splitlines()[1:]] == ["0", "9", "EX"]
    assert school.verify("export", "--csv", "x.csv", "--overwrite")[::2] == (
        2,
        (
            "verify: --overwrite needs --canvas-from, --moodle-from, --blackboard-from,"
            " --brightspace-from or --fill: add one\n"
        ),
    )


def test_g2_a_class_with_new_keys_has_no_changed_grade(school: School) -> None:
    overridden(
        school, "email,name,github\na@x,A,ada\nb@x,B,bo\nc@x,C,cy\n", "bo", "ada", "bo", "cy"
    )
    roster = school.file("r.csv", "id,name,github\n1,A,ada\n2,B,bo\n3,C,cy\n")

    assert school.batch("--roster", roster) == (
        0,
        ['verify: new keys, with all that was theirs: "ada is 1", "bo is 2", "cy is 3"'],
    )
    assert school.grades() == {"1": ("pass", "9"), "2": ("pass", "0"), "3": ("pass", "9")}
