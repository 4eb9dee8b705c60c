"""Every hostile archive and history through its reader, in this process: the corpus is quick so."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from pipeline.files import Unreadable
from tests.stubs.hostile.cases import PLAN, corpus
from tests.stubs.hostile.places import archive, in_evidence, learner_of, make_canary
from verify.submissions.archives import open_archive
from verify.submissions.files import Unresolved
from verify.submissions.submission import OpenSubmission, open_folder

if TYPE_CHECKING:
    from pathlib import Path


MISSING = ("plan.json does not exist", "plan.json is missing")  # as a door and as a check say it
CLAIMED = "ab" * 20


def read(name: str) -> str:
    """Return what reading the plan of an archive comes to, as grading says it."""
    try:
        files = open_archive("work", BytesIO(archive(name)), "learner")
        OpenSubmission(files, [PLAN]).read(PLAN)
    except Unresolved as refused:
        return refused.reason.removeprefix('"work" ').removeprefix(f'"{PLAN}" ')
    except Unreadable as refused:
        return f"plan.json {refused}".replace(*MISSING)
    return "pass"


def test_an_archive_is_read_within_bounds_or_refused_in_a_line() -> None:
    cases = {case.recipe: case.grade[-1] for case in corpus() if case.kind == "archive"}

    assert {name: read(name) for name in cases} == cases


def asked(folder: Path, of_a_wrong_tip: set[str]) -> str:
    """Return what asking a history for a commit comes to, as a check tells it.

    Some histories are sound but for the branch's tip, which only a check asks for.
    """
    with open_folder(str(folder)) as door:
        try:
            history = door.history()
            if history is None:
                return "the submission has no git history"
            assert "commit" not in history.find(CLAIMED).values()
            tips = history.branches.tips_of(history.branches.default())
            if folder.name in of_a_wrong_tip:
                history.commit(tips[0])
        except Unreadable:
            return "the git history cannot be read"
        return "git has no commit with this hash"


def test_a_history_is_asked_or_refused_and_nothing_of_it_is_run(tmp_path: Path) -> None:
    cases, canary = corpus(), tmp_path / "outside"
    make_canary(str(canary))
    held = in_evidence(str(tmp_path / "evidence"), cases, str(canary))
    wrong = {"bundle-head-is-a-file", "bundle-head-is-missing"}
    folders = {name: learner_of(index, cases[index]) for name, index in held.items()}
    of_a_wrong_tip = {folders[name] for name in wrong}
    message = {
        name: asked(tmp_path / "evidence" / folder, of_a_wrong_tip)
        for name, folder in folders.items()
    }
    graded = {name: cases[index].graded("evidence") or ("",) for name, index in held.items()}
    limited = ("not checked", "the git history cannot be read")
    expected = {name: dict([limited]).get(each[0], each[-1]) for name, each in graded.items()}

    assert message == expected
    assert not (canary / "ran").exists()
