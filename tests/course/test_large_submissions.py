"""Honest work that is large is read within the limits, and costs no point where it is not."""

from __future__ import annotations

import bz2
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.archives import tar_bytes, written
from tests.stubs.repositories import UserRepository
from verify.batch.job import Job, with_rules
from verify.batch.run import GradingRun
from verify.child.limits import Limits, endless, too_big, too_slow
from verify.learner.check import answer_of, report_of
from verify.learner.request import GradingRequest
from verify.submissions.history.faults import BUNDLE

if TYPE_CHECKING:
    from collections.abc import Callable

SOLVED = Path(ROOT, "fixtures", "submissions", "expert", "04-evidence", "solved")
FOLDER = Path(".pipeline", "ISSUE-305")
_COMMIT = "commit refs/heads/main\ncommitter A <a@b.c> {0} +0000\ndata 2\nc\n{1}"
_FILE = "M 644 inline {0}\ndata {1}\n"


def evidence(folder: Path, *, commits: int = 0, megabytes: int = 0) -> UserRepository:
    """Make solved work behind a history with so many commits and so much data."""
    work = UserRepository(folder)
    stream = [
        _COMMIT.format(1_700_000_000 + at, _FILE.format(f"a/{at % 50}", 9)).encode() + b"%09d" % at
        for at in range(commits)
    ]
    for at in range(megabytes):
        head = _COMMIT.format(1_800_000_000 + at, _FILE.format(f"b{at}", 1 << 20)).encode()
        stream.append(head + os.urandom(1 << 20))
    subprocess.run(
        ["git", "-c", "core.compression=0", "fast-import", "--quiet", "--force"],
        cwd=folder,
        input=b"\n".join(stream),
        check=True,
    )
    work.git("reset", "--hard", "main")
    shutil.copytree(SOLVED / FOLDER, folder / FOLDER)
    result, worker = (
        json.loads((folder / FOLDER / f"{name}.json").read_text())
        for name in ("git-result", "worker-result")
    )
    work.git("switch", "-c", result["branch"])
    work.commit(result["commit_message"], **dict.fromkeys(worker["files_changed"], "let x\n"))
    result["commit_sha"] = work.git("rev-parse", "HEAD")
    (folder / FOLDER / "git-result.json").write_text(json.dumps(result))
    return work


def graded(path: object) -> tuple[str, int, int]:
    """Return what the command says: the outcome, the score and the points."""
    report = report_of(GradingRequest(level="expert", number="4", project=str(path)))
    outcome = "pass" if report.passed else "fail" if report.results else "unresolved"
    return outcome, report.score, report.points


@pytest.mark.figure
def test_g13_a_history_of_50_000_objects_is_read_as_git_and_as_a_bundle(
    tmp_path: Path, how_many: Callable[[int, int], int]
) -> None:
    work = evidence(tmp_path / "ada", commits=how_many(4_000, 17_000))
    found = [graded(work.folder)]
    work.git("bundle", "create", BUNDLE, "--all")
    shutil.rmtree(work.folder / ".git")
    found.append(graded(work.folder))

    assert found == [("pass", 20, 20)] * 2


@pytest.mark.slow
@pytest.mark.figure
def test_g13_a_git_folder_of_200_mb_is_read_in_a_folder_and_in_a_zip(
    tmp_path: Path, how_many: Callable[[int, int], int]
) -> None:
    work = evidence(tmp_path / "ada", megabytes=how_many(36, 200))
    archive = shutil.make_archive(str(tmp_path / "work"), "zip", work.folder)

    assert [graded(work.folder), graded(archive)] == [("pass", 20, 20)] * 2


@pytest.mark.figure
def test_g13_60_mib_of_tar_bz2_get_more_time_where_they_need_it(
    tmp_path: Path, how_many: Callable[[int, int], int]
) -> None:
    tree = {
        str(path.relative_to(SOLVED)): path.read_bytes()
        for path in SOLVED.rglob("*")
        if path.is_file()
    }
    video = tar_bytes(("video.mp4", os.urandom(1 << 20)))[: 512 + (1 << 20)]
    content = bz2.compress(video) * how_many(5, 60)
    for name, data in tree.items():
        content += bz2.compress(tar_bytes((name, data))[: 512 + -(-len(data) // 512) * 512])
    content += bz2.compress(bytes(10_240))

    assert graded(written(tmp_path / "w.tar.bz2", content)) == ("pass", 20, 20)


def test_g13_what_is_beyond_a_limit_is_not_checked_and_leaves_the_total(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verify.submissions.history.objects.MAX_HISTORY", 100)
    work = evidence(tmp_path / "ada", commits=2)
    answer = answer_of(GradingRequest(level="expert", number="4", project=str(work.folder)))
    outcomes = [verdict.outcome for _, verdict, _ in answer.results]
    reasons = {verdict.findings[0].message for _, verdict, _ in answer.results if verdict.findings}

    assert outcomes == ["pass"] * 16 + ["not checked"] * (len(outcomes) - 16)
    what = "its files total more than 100 bytes"
    step = "Submit a bundle of the branch and the default branch only."
    assert reasons == {
        f".git cannot be read within the limits: {what}. {step}",
        "nothing was run: add --run",
    }


def test_g13_a_submission_that_takes_too_much_is_unresolved_and_its_neighbours_are_not() -> None:
    run = GradingRun(with_rules(Job(("foundation/01",), ())), Limits(), 1, None, True, lambda: 0)  # noqa: FBT003
    failures = [kind(Limits()) for kind in (too_slow, too_big, endless)]
    graded = [run._graded(1, failed) for failed in failures]  # noqa: SLF001  # as `carry_out` does

    outcomes = [mark.outcome for each in graded for mark in each.marks if mark is not None]
    assert outcomes == ["unresolved", "unresolved", "error"]  # a machine may be busy
