"""Whose an entry is, by command: nobody is graded by a guess, and a person confirms."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from tests.acceptance.conftest import VERIFY
from tests.stubs.downloads import CONTENTS, EXERCISE, zipped

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Run

WORK = zipped(CONTENTS["solved"])


def grades(path: Path) -> dict[str, str]:
    """Return the outcome of each learner in a wide table."""
    with path.open(encoding="utf-8", newline="") as file:
        return {row["learner"]: row[f"{EXERCISE} outcome"] for row in csv.DictReader(file)}


def test_g4_a_namesake_is_graded_only_after_a_person_has_confirmed_it(
    tmp_path: Path, run: Run
) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    for name in ("Wei Li", "Jose Garcia", "An Ang", "Zoë Doe", "Ben Roe", "Cy Poe"):
        (folder / f"{name}.zip").write_bytes(WORK)
    names = "7,Li Wei\n8,José García\n9,Ana Ng\n10,Zoë Doe\n11,Ben Roe\n12,Cy Poe\n"
    (tmp_path / "r.csv").write_text(f"id,name\n{names}", "utf-8")
    rostered = ("class", "--roster", "r.csv")
    batch = (*VERIFY, "batch", *rostered, "--exercise", EXERCISE, "--csv-wide", "w.csv", "--quiet")

    before = run(*batch, cwd=str(tmp_path))
    unsure = grades(tmp_path / "w.csv")
    listed = run(*VERIFY, "match", *rostered, cwd=str(tmp_path))
    accepted = run(*VERIFY, "match", *rostered, "--accept-likely", cwd=str(tmp_path))
    after = run(*batch, cwd=str(tmp_path))
    kept = run(*VERIFY, "match", cwd=str(tmp_path))

    assert (before.returncode, listed.returncode) == (1, 1)
    assert (accepted.returncode, after.returncode) == (0, 0)
    assert unsure == dict.fromkeys(("10", "11", "12"), "pass") | dict.fromkeys("789", "missing")
    assert listed.stdout.count("to confirm") == 3
    assert "Wei Li.zip       7          likely name" in accepted.stdout
    assert "kept in gradebook.db: 3 accepted" in accepted.stdout
    assert kept.stdout.count("accepted: likely name)") == 3
    assert grades(tmp_path / "w.csv") == dict.fromkeys(unsure, "pass")


def test_g4_two_entries_that_may_be_one_learner_s_are_not_accepted(
    tmp_path: Path, run: Run
) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    for name, work in (("Wei Li", WORK), ("LiWei", b"x"), ("Jose Garcia", WORK)):
        (folder / f"{name}.zip").write_bytes(work)
    (tmp_path / "r.csv").write_text("id,name\n7,Li Wei\n8,José García\n", "utf-8")
    rostered = ("class", "--roster", "r.csv")

    accepted = run(*VERIFY, "match", *rostered, "--accept-likely", cwd=str(tmp_path))
    kept = run(*VERIFY, "match", cwd=str(tmp_path))

    assert accepted.returncode == 1
    assert accepted.stdout.count("unresolved: 2 entries claim this learner") == 2
    assert [line.partition(" in ")[0] for line in kept.stdout.splitlines()] == [
        "decision: Jose Garcia.zip"
    ]


def test_g9_an_entry_that_fits_two_platforms_leaves_a_batch_with_exit_code_1(
    tmp_path: Path, run: Run
) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    odd = "_1001_55_gradebook_C1_HW_bob_attempt_2026-03-01-10-00-00_x.zip"
    for name in ("bob.zip", odd):
        (folder / name).write_bytes(WORK)
    (tmp_path / "r.csv").write_text("id\nbob\n", "utf-8")
    words = ("batch", "class", "--roster", "r.csv", "--exercise", EXERCISE, "--csv-wide", "w.csv")

    done = run(*VERIFY, *words, "--quiet", cwd=str(tmp_path))

    assert (done.returncode, grades(tmp_path / "w.csv")) == (1, {"bob": "pass"})
    assert f"{odd}: unresolved: may be a name of blackboard or canvas: use --layout" in done.stderr


def test_g10_many_odd_files_of_one_account_do_not_stop_a_class(tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    for name in ("ada", "ben", *(f"eve_9_{at}_x{at}" for at in range(13))):
        (folder / f"{name}.zip").write_bytes(WORK)
    (tmp_path / "r.csv").write_text("id\nada\nben\n", "utf-8")
    words = ("batch", "class", "--roster", "r.csv", "--exercise", EXERCISE, "--csv-wide", "w.csv")

    done = run(*VERIFY, *words, "--quiet", cwd=str(tmp_path))

    assert (done.returncode, grades(tmp_path / "w.csv")) == (1, {"ada": "pass", "ben": "pass"})


def test_g12_a_roster_as_a_spreadsheet_exports_it_is_the_class(tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    for name in ("00123", "mu\u0308ller"):
        (folder / f"{name}.zip").write_bytes(WORK)
    rows = '="00123";Ada;Student\nM\u00fcller;Ben;student\n;Prof;Instructor\nx\x00;Cy;\n'
    (tmp_path / "r.csv").write_text(f"sep=;\nCode;Name;Role\n{rows}", "utf-8")
    batch = (*VERIFY, "batch", "class", "--exercise", EXERCISE, "--csv-wide", "w.csv", "--quiet")

    done = run(*batch, "--roster", "r.csv", "--key", "code", cwd=str(tmp_path))
    found = grades(tmp_path / "w.csv")
    wrong = run(*batch, "--roster", "r.csv", "--key", "kode", cwd=str(tmp_path))
    alone = run(*batch, "--key", "code", cwd=str(tmp_path))

    assert (done.returncode, found) == (0, {"00123": "pass", "M\u00fcller": "pass"})
    assert 'r.csv, line 6: the "Code" contains a control character' in done.stderr
    assert (wrong.returncode, alone.returncode) == (2, 2)
    assert 'there is no column "kode" among "Code", "Name", "Role"' in wrong.stderr
    assert "add --roster" in alone.stderr
