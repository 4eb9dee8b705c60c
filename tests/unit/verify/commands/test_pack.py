"""One zip to submit: what the exercises look at, nothing secret, graded before it is ready."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.platforms import LOOSE, MAKERS, PEOPLE
from verify.commands import pack

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.stubs.platforms import Made

    Run = Callable[..., tuple[int, str, str]]

SOLVED = os.path.join(ROOT, "fixtures", "submissions")
ISSUE = "sandbox/.pipeline/ISSUE-101"
RESULT = f"{ISSUE}/worker-result.json"
CODE = ["sandbox/src/app.js", "sandbox/src/health/routes.js", "sandbox/test/health/routes.test.js"]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a learner's folder with foundation/02 solved, which is where we are."""
    for name in ("user.name", "user.email"):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{name == 'user.email':d}", name)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{name == 'user.email':d}", "Zoë\x1b  Okafor")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    shutil.copytree(f"{SOLVED}/foundation/02-implement/solved", tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def files_in(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def change_result(work: Path, *files: str) -> None:
    result = json.loads((work / RESULT).read_text())
    (work / RESULT).write_text(json.dumps({**result, "files_changed": list(files)}))


def test_l10_one_zip_has_what_the_exercises_look_at_and_is_graded(work: Path, verify: Run) -> None:
    (work / "notes.txt").write_text("mine")
    first = verify("pack", "--project", ".")
    data = (work / "submission.zip").read_bytes()
    again = verify("pack", "foundation/02", "foundation/01", "--project", ".", "--force")
    same = verify("pack", "--project", ".", "--output", "again.zip")
    graded = verify("check", "foundation/02", "--project", "again.zip")
    files = files_in(work / "again.zip")

    assert (first[0], first[2]) == (0, "")
    assert first[1].splitlines() == [
        "foundation/01  passed   9 of 9 points",
        "foundation/02  passed   10 of 10 points",
        "name: Zoë\\u{1b} Okafor",
        "Ready: submission.zip (6 files, 3 KiB). Submit this file.",
    ]
    assert (again[0], same[0], graded[0]) == (0, 0, 0)
    assert (work / "again.zip").read_bytes() == data
    assert sorted(files) == [f"{ISSUE}/plan.json", RESULT, *CODE, "submission.json"]
    assert json.loads(files["submission.json"]) == {
        "version": 1,
        "name": "Zoë\x1b Okafor",
        "exercises": ["foundation/01", "foundation/02"],
    }


SECRETS = [  # a path in .git is no longer one of an artifact that is read
    *(".env", "config/.env.local", "prod.env", "keys/server.PEM", ".ssh/config", "id_rsa"),
    *(".hg/hgrc", ".husky/pre-push", ".claude/hooks/x.py", "web/.npmrc"),
]


def test_what_may_be_secret_is_left_out_also_where_a_result_names_it(
    work: Path, verify: Run
) -> None:
    harmless = [".env.example", "src/hooks/use.js", ".eslintrc.json", "src/keys.js"]
    for name in (*SECRETS, *harmless):
        (work / "sandbox" / name).parent.mkdir(parents=True, exist_ok=True)
        (work / "sandbox" / name).write_text("x")
    (work / "outside").write_text("x")
    (work / "sandbox/link.js").symlink_to("../outside")
    change_result(work, *SECRETS, *harmless, "link.js")
    code, out, _ = verify("pack", "foundation/02", "--project", ".", "--name", "")

    assert code == 1
    service = ["src/app.js", "src/health/routes.js", "test/health/routes.test.js"]  # for --run
    packed = (f"sandbox/{each}" for each in (*harmless, *service))
    assert sorted(files_in(work / "submission-foundation-02.zip")) == sorted(
        [f"{ISSUE}/plan.json", RESULT, "submission.json", *packed]
    )
    assert out.splitlines() == [
        "foundation/02  not yet  6 of 10 points",
        *sorted(
            [
                *(f"left out: sandbox/{each} (it may contain a secret)" for each in SECRETS),
                "left out: sandbox/link.js (is a link, not a regular file)",
            ]
        ),
        "name: none (set one with --name)",
        "Ready: submission-foundation-02.zip (10 files, 4 KiB). Submit this file.",
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["--project", "empty"],
            "there is nothing to pack: you have not begun an exercise in empty (see python3 -m",
        ),
        (["--project", "none"], "--project none does not exist"),
        (
            ["foundation/03"],
            "foundation/03 has no file yet (expected sandbox/.pipeline/ISSUE-101/g",
        ),
        (["foundation/99"], "no exercise '99' in foundation (expected one of 01"),
        (
            [],
            "submission.zip already exists: add --force to replace it, or choose a different --",
        ),
        (["--output", "sandbox"], "--output sandbox is a folder (expected a file)"),
        (["--output", "submission.zip/x"], "--output submission.zip/x cannot be written: "),
    ],
)
def test_what_cannot_be_packed_is_one_line_and_nothing_is_written(
    work: Path, verify: Run, words: list[str], sentence: str
) -> None:
    (work / "empty").mkdir()
    (work / "submission.zip").write_text("mine")
    code, out, err = verify(
        "pack", *(words if "--project" in words else ["--project", ".", *words])
    )

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"verify: {sentence}")
    assert (work / "submission.zip").read_text() == "mine"


def test_m10_a_pack_of_one_exercise_has_a_name_of_its_own(work: Path, verify: Run) -> None:
    first = verify("pack", "--project", ".")
    second = verify("pack", "foundation/2", "--project", ".")

    assert (first[0], second[0], first[2] + second[2]) == (0, 0, "")
    assert sorted(each.name for each in work.glob("*.zip")) == [
        "submission-foundation-02.zip",
        "submission.zip",
    ]


def test_files_beyond_the_limit_are_refused_by_name(
    work: Path, verify: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack, "_MOST", 3_000)
    code, out, err = verify("pack", "--project", str(work))

    assert (code, out) == (2, "")
    assert err == (
        "verify: with sandbox/test/health/routes.test.js, the files to submit are larger than "
        "3,000 bytes in total: make the largest file smaller\n"
    )


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("\n", 2)])
def test_who_sits_at_a_terminal_is_asked_before_a_file_is_replaced(
    work: Path, verify: Run, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    (work / "submission.zip").write_text("mine")
    stdin = io.StringIO(answer)
    monkeypatch.setattr(stdin, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", stdin)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    done = verify("pack", "--project", ".")

    assert done[0] == code
    assert done[2].startswith("submission.zip already exists. Replace it? [y/N] ")
    assert ((work / "submission.zip").read_bytes() == b"mine") == bool(code)


def git(*words: str) -> None:
    subprocess.run(["git", *words], check=True, capture_output=True)


def test_the_history_is_packed_by_the_learners_git_where_an_exercise_asks_git(
    work: Path, verify: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    solved = f"{SOLVED}/expert/04-evidence/solved/.pipeline"
    shutil.copytree(f"{solved}/ISSUE-305", work / ".pipeline/ISSUE-305")
    without = verify("pack", "expert/04", "--project", ".", "--output", "a.zip")
    shutil.copy(f"{solved}/history.bundle", ".pipeline")
    bundled = verify("pack", "expert/04", "--project", ".", "--output", "f.zip")
    git("clone", "--mirror", f"{solved}/history.bundle", ".git")
    git("config", "core.bare", "false")
    done = verify("pack", "expert/04", "--project", ".", "--output", "b.zip")
    (work / ".git/shallow").write_text("")
    shallow = verify("pack", "expert/04", "--project", ".", "--output", "c.zip")
    (work / ".git/shallow").unlink()
    git("update-ref", "refs/heads/main", "refs/heads/feature/issue-305-export-and-import-notes")
    merged = verify("pack", "expert/04", "--project", ".", "--output", "e.zip")
    monkeypatch.setattr(pack, "MAX_HISTORY", 10)
    large = verify("pack", "expert/04", "--project", ".", "--output", "d.zip")
    found = [each[1].splitlines()[1] for each in (without, large)]

    assert (done[0], done[1].splitlines()[0]) == (0, "expert/04  passed   20 of 20 points")
    assert (merged[0], merged[1].splitlines()[0]) == (0, "expert/04  passed   17 of 17 points")
    assert [each[0] for each in (bundled, without, shallow, large)] == [0, 1, 0, 1]
    assert found == [
        "left out: .pipeline/history.bundle (does not exist)",
        "history: left out because it is larger than the limit of 10 bytes",
    ]
    assert shallow[1] == done[1].replace("b.zip", "c.zip")  # it has all commits
    assert done[1].splitlines()[1] == "history: all commits on local and remote branches"


@pytest.mark.parametrize("elsewhere", ["/dev/shm", "/var/tmp"])  # noqa: S108  # of the system
def test_a_history_is_packed_also_where_temporary_files_are_on_another_disk(
    elsewhere: str, work: Path, verify: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not os.access(elsewhere, os.W_OK):
        pytest.skip("this system does not have it")
    monkeypatch.setattr("tempfile.tempdir", elsewhere)
    solved = f"{SOLVED}/expert/04-evidence/solved/.pipeline"
    shutil.copytree(f"{solved}/ISSUE-305", work / ".pipeline/ISSUE-305")
    git("clone", "--mirror", f"{solved}/history.bundle", ".git")
    git("config", "core.bare", "false")
    done = verify("pack", "expert/04", "--project", ".")

    assert (done[0], done[1].splitlines()[0]) == (0, "expert/04  passed   20 of 20 points")
    assert list((work / ".git/objects").glob("tmp*")) == []


def test_a_repository_that_cannot_be_written_is_packed_without_its_history(
    work: Path, verify: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tempfile.mkdtemp

    def closed(*names: str | None, **place: str) -> str:  # to the superuser nothing is
        if ".git" in str((*names, *place.values())):
            raise PermissionError(errno.EACCES, "Permission denied")
        return made(*names, **place)

    solved = f"{SOLVED}/expert/04-evidence/solved/.pipeline"
    shutil.copytree(f"{solved}/ISSUE-305", work / ".pipeline/ISSUE-305")
    git("clone", "--mirror", f"{solved}/history.bundle", ".git")
    git("config", "core.bare", "false")
    monkeypatch.setattr("tempfile.mkdtemp", closed)
    done = verify("pack", "expert/04", "--project", ".")

    left_out = "history: left out because the repository cannot be written: permission denied"
    assert done[1].splitlines()[1] == left_out


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: str(make.__name__))
def test_batch_takes_a_packed_zip_in_the_naming_of_every_platform(
    work: Path, verify: Run, make: Callable[[Callable[[int], bytes]], Made]
) -> None:
    verify("pack", "--project", ".")
    packed = (work / "submission.zip").read_bytes()
    made = make(lambda _: packed)
    (work / "roster.csv").write_text(made.roster, "utf-8")
    here = ("--roster", "roster.csv")
    made.as_folder(str(work))
    verify("batch", made.folder, *here, "--exercise", "foundation/02", "--csv-wide", "g.csv")
    with open(work / "g.csv", encoding="utf-8", newline="") as file:
        totals = {row["learner"]: row["total"] for row in csv.DictReader(file)}
    loose = {PEOPLE[LOOSE].number} if made.platform == "canvas" else set()
    expected = {key: "10" for key in made.truth.values() if key and key not in loose}

    assert {key: total for key, total in totals.items() if total} == expected
