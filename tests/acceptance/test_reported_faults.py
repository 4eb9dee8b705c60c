"""Faults of the first version that cost somebody a grade, one test each: they do not come back."""

from __future__ import annotations

import io
import os
import tarfile
from typing import TYPE_CHECKING

import pytest

from tests.acceptance.conftest import VERIFY
from tests.stubs.downloads import CONTENTS, EXERCISE, ROSTER, Made, make, zipped
from tests.stubs.intake import seen_in
from verify.batch.job import Job, grade_submission, with_rules
from verify.child.limits import CannotContinue
from verify.gradebook.records import Pending
from verify.intake.opening import stamp_for
from verify.intake.roster import read_roster

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.acceptance.conftest import Run
    from tests.stubs.intake import Seen

    Make = Callable[..., str]

SOLVED = CONTENTS["solved"]
CANVAS = "Student,ID\nJane Doe,20001\n李 伟,50005\nMax Mustermann,10001\n"
POINTS = 12  # of practitioner/02


@pytest.fixture
def collection(tmp_path: Path) -> Make:
    """Return a function that makes a folder of entries: bytes, or the files of a folder."""

    def made(entries: dict[str, bytes | dict[str, bytes]], name: str = "submissions") -> str:
        folder = tmp_path / name
        folder.mkdir()
        for entry, content in entries.items():
            files = content if isinstance(content, dict) else {"": content}
            for path, data in files.items():
                place = folder / entry / path if path else folder / entry
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
        return str(folder)

    return made


def rostered(tmp_path: Path, folder: str, text: str = ROSTER) -> Seen:
    """Grade a collection with a roster."""
    path = tmp_path / "roster.csv"
    path.write_text(text, encoding="utf-8")
    return seen_in(folder, read_roster(str(path)))


def scores(seen: Seen) -> dict[str, tuple[str, float | None]]:
    """Return outcome and score of each learner."""
    return {who: (one.outcome, one.score) for who, one in seen.results.items()}


def test_i1_a_canvas_number_is_not_a_key_of_another_roster(
    tmp_path: Path, collection: Make
) -> None:
    folder = collection(
        {"doejane_10001_1_x.zip": zipped(SOLVED), "mustermannmax_10002_2_x.zip": b"PK"}
    )

    roster = "id,last name,first name\n10001,Mustermann,Max\n20001,Doe,Jane\n"

    seen = rostered(tmp_path, folder, roster)

    # nor are a name's letters without its blanks and commas the name: a person confirms it
    assert scores(seen) == {}
    assert [reason for *_, reason in seen.entries] == [
        *("may be 20001: to confirm", "may be 10001: to confirm")
    ]


@pytest.mark.parametrize("other", ["janedoe/", "jane.doe/"])
def test_i2_a_look_alike_is_no_one_s_until_a_person_confirms_it(
    tmp_path: Path, collection: Make, other: str
) -> None:
    name = other.rstrip("/")
    seen = rostered(tmp_path, collection({"jane": SOLVED, name: CONTENTS["empty"]}))

    assert scores(seen) == {"jane": ("pass", POINTS)}
    assert seen.dispositions() == {"jane": "graded", name: "unmatched"}


@pytest.mark.parametrize("other", ["Jane Doe/", "jane@x.org/", "jane.zip", "JANE/"])
def test_i2_a_look_alike_replaces_no_ones_work(
    tmp_path: Path, collection: Make, other: str
) -> None:
    work = {"jane": SOLVED, other.rstrip("/"): CONTENTS["empty"] if other.endswith("/") else b"PK"}

    seen = rostered(tmp_path, collection(work))

    assert scores(seen) == {"jane": ("unresolved", None)}
    assert set(seen.dispositions().values()) == {"unresolved"}


def test_i2_the_order_of_an_archives_members_decides_nothing(tmp_path: Path) -> None:
    seen = []
    for order in (("li", "LI"), ("LI", "li")):
        files = {f"{name}/{path}": data for name in order for path, data in SOLVED.items()}
        path = tmp_path / f"{order[0]}-first.zip"
        path.write_bytes(zipped({**files, "doe/x": b""}))
        seen.append(rostered(tmp_path, str(path)))

    assert seen[0].results == seen[1].results
    assert scores(seen[0])["li"] == ("pass", POINTS)  # the same work twice counts once


@pytest.mark.parametrize("beside", ["x.bundle", "HEAD objects refs", "doe.bundle"])
def test_i3_git_files_beside_the_submissions_change_no_ones_result(
    tmp_path: Path, collection: Make, beside: str
) -> None:
    work = {"jane.zip": zipped(SOLVED), "li": SOLVED}

    seen = rostered(
        tmp_path, collection(work | dict.fromkeys(beside.split(), b"# v2 git bundle\n"))
    )

    kept = {who: one for who, one in scores(seen).items() if who != "doe"}
    assert kept == {"jane": ("pass", POINTS), "li": ("pass", POINTS)}


def test_i4_learners_folders_may_hold_an_archive_whatever_is_beside_them(
    tmp_path: Path, collection: Make
) -> None:
    with tarfile.open(tmp_path / "work.tar.gz", "w:gz") as archive:
        for path, data in SOLVED.items():
            info = tarfile.TarInfo(path)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    work: dict[str, bytes | dict[str, bytes]] = {
        "jane": {"project.tar.gz": (tmp_path / "work.tar.gz").read_bytes()},
        "li": {"project.zip": zipped(SOLVED)},
    }

    alone = scores(rostered(tmp_path, collection(work)))
    beside = scores(rostered(tmp_path, collection(work | {"stranger.zip": zipped(SOLVED)}, "more")))

    assert alone == beside == {"jane": ("pass", POINTS), "li": ("pass", POINTS)}


@pytest.mark.parametrize("form", ["moodle", "plain folder"])
def test_i5_a_stray_folder_switches_no_one_to_other_names(tmp_path: Path, form: str) -> None:
    folder = tmp_path / "hw-submissions"
    folder.mkdir()
    make(str(folder), [Made(who, form, "solved") for who in ("jane", "li")])
    before = rostered(tmp_path, str(folder)).results
    (folder / "stray").mkdir()

    seen = rostered(tmp_path, str(folder))

    assert (seen.results, seen.dispositions()["stray"]) == (before, "unmatched")
    assert scores(seen) == {"jane": ("pass", POINTS), "li": ("pass", POINTS)}


def test_i6_packaging_costs_no_points_without_a_word(tmp_path: Path, collection: Make) -> None:
    ((path, data),) = SOLVED.items()
    inside = zipped(SOLVED)
    work: dict[str, bytes | dict[str, bytes]] = {
        "jane.zip": zipped({path.replace("/", "\\"): data}),
        "li": {f"a/b/{path}": data},
        "Max Mustermann_9_assignsubmission_file_": {"a.zip": inside, "b.zip": inside},
        "Ann-Marie Doe_30003_assignsubmission_file_plan.json": data,
    }

    seen = rostered(tmp_path, collection(work))

    assert scores(seen) == {
        "jane": ("pass", POINTS),
        "li": ("pass", POINTS),
        "doe": ("unresolved", None),
        "ann-doe": ("unresolved", None),
    }


def test_i8_a_roster_that_no_one_matches_stops_before_anything_is_graded(
    tmp_path: Path, collection: Make, run: Run
) -> None:
    folder = collection({"a": SOLVED, "b": SOLVED, "jane": SOLVED})
    roster = tmp_path / "roster.csv"
    roster.write_text(ROSTER, encoding="utf-8")

    words = ("batch", folder, "--exercise", EXERCISE, "--roster", str(roster), "--quiet")
    done = run(*VERIFY, *words, "--gradebook", "g.db", cwd=str(tmp_path))

    assert (done.returncode, (tmp_path / "g.db").exists() and "graded" in done.stdout) == (2, False)
    assert "only 1 of 3 submissions matches a" in done.stderr
    assert "--decisions" in done.stderr
    assert "--no-roster" in done.stderr


def test_i9_odd_rows_and_odd_names_stop_no_one_else(tmp_path: Path, collection: Make) -> None:
    work: dict[str, bytes | dict[str, bytes]] = dict.fromkeys(("sandbox", "li"), SOLVED)
    folder = collection({**work, "AGENTS.md": b"x", "package.json": b"{}", "odd.txt": b"x"})
    os.mkdir(os.fsencode(folder) + b"/caf\xe9")
    manifest = tmp_path / "manifest.csv"
    manifest.write_text(
        f"learner,path\njane,{folder}/absent\nli,{folder}/li\ndoe,{folder}/odd.txt\nsandbox,/dev/zero\n",
        encoding="utf-8",
    )

    by_folder, by_manifest = rostered(tmp_path, folder), rostered(tmp_path, str(manifest))

    assert scores(by_folder) == {"sandbox": ("pass", POINTS), "li": ("pass", POINTS)}
    assert by_folder.dispositions()["caf\\xe9"] == "unmatched"
    assert scores(by_manifest) == {
        "li": ("pass", POINTS),
        "doe": ("unresolved", None),
        "sandbox": ("unresolved", None),
    }


def test_i11_late_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "canvas"
    folder.mkdir()
    make(str(folder), [Made("jane", "canvas late", "solved"), Made("li", "canvas", "solved")])

    seen = rostered(tmp_path, str(folder), CANVAS)

    assert {who: one.late for who, one in seen.results.items()} == {"20001": True, "50005": False}


def test_i12_a_link_and_a_loose_file_are_named(tmp_path: Path, collection: Make) -> None:
    folder = collection({"jane": SOLVED, "wrong.txt": b"x"})
    os.symlink(tmp_path, os.path.join(folder, "li"))

    seen = rostered(tmp_path, folder)

    message = {name: (disposition, reason) for name, _, disposition, reason in seen.entries}
    assert message["li"] == ("ignored", "is a link")
    assert message["wrong.txt"] == ("ignored", "is not a folder or an archive")


def test_a_line_end_in_a_name_reaches_no_one_elses_work(tmp_path: Path) -> None:
    path = tmp_path / "class.zip"
    good, bad = zipped(SOLVED), zipped(CONTENTS["broken"])
    names = ["doejane_20001_5_x\nmustermannmax_10001_6_w.zip", "mustermannmax_10001_6_w.zip"]
    path.write_bytes(zipped(dict(zip(names, (bad, good), strict=True))))

    seen = rostered(tmp_path, str(path), CANVAS)

    assert {who: one.outcome for who, one in seen.results.items()} == {
        "20001": "fail",
        "10001": "pass",
    }


def test_i13_a_zip_that_changes_in_place_stops_the_run(tmp_path: Path) -> None:
    path = tmp_path / "class.zip"
    path.write_bytes(zipped({f"jane/{name}": data for name, data in SOLVED.items()}))
    stamp = stamp_for("zip", str(path))
    task = Pending(1, "zip", str(path), "jane", ()), stamp
    job = with_rules(Job((EXERCISE,), ()))
    before = grade_submission(job, task, again=False)
    path.write_bytes(zipped({f"jane/{name}": data for name, data in CONTENTS["broken"].items()}))

    assert [mark and mark.outcome for mark in before.marks] == ["pass"]
    with pytest.raises(CannotContinue, match="was replaced or changed while it was being graded"):
        grade_submission(job, task, again=False)
