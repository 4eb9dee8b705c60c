"""A run that is killed, at any point, is gone on with: no second branch, commit or page."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.publishing.publish import CannotPublish, Work, committed, prepare, publish
from tests.stubs.repositories import UserRepository, git, write_hook

if TYPE_CHECKING:
    from pipeline.forges.base import Forge

BRANCH = "feature/issue-202-page-through-the-list"
ROOT = Path(__file__).parents[4]
PROGRAM = """
import os, sys
sys.path.insert(0, sys.argv[2])
os.environ["RUN"] = str(os.getpid())
from pipeline.forges.local import Local
from pipeline.git.repository import Repository
from pipeline.publishing.publish import Work, publish
work = Work(issue="ISSUE-202", title="Page through the list of notes",
            files=("src/app.py", "src/page.py"), message="feat: page through the notes",
            body="Pages of 20.", criteria=(("AC1_size", "A page has 20 notes."),))
publish(Repository(sys.argv[1]), Local(), work, print)
"""
KILL = 'kill -9 "$RUN" "$PPID"\n'  # the run, and the git that the hook belongs to


def silent(line: str) -> None:
    assert line


def killed_run(user: UserRepository) -> None:
    """Publish in a process of its own, which a hook kills."""
    words = [sys.executable, "-c", PROGRAM, str(user.folder), str(ROOT)]
    done = subprocess.run(words, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done


def assert_published_once(user: UserRepository) -> None:
    pages = sorted(path.name for path in (user.folder / ".pipeline/forge/pulls").glob("*.md"))
    origin = user.folder / ".pipeline/forge/origin.git"
    assert [page.partition("-")[2] for page in pages] == ["issue-202-page-through-the-list.md"]
    assert user.branches() == [BRANCH, "main"]
    assert user.git("rev-list", "--count", f"main..{BRANCH}") == "1"
    assert git(origin, "rev-parse", BRANCH) == user.git("rev-parse", BRANCH)
    assert user.git("status", "--porcelain") == ""


@pytest.mark.parametrize("hook", ["post-checkout", "pre-commit", "post-commit", "pre-push"])
def test_a_run_killed_in_a_hook_is_gone_on_with(
    worked: UserRepository, work: Work, asked: Work, forge: Forge, hook: str
) -> None:
    worked.hook(hook, KILL)
    killed_run(worked)
    (worked.folder / ".git" / "hooks" / hook).unlink()

    prepare(worked.repository, asked)
    published = publish(worked.repository, forge, work, silent)

    assert published.branch == BRANCH
    assert_published_once(worked)


def test_a_commit_that_outlives_its_run_is_made_once(
    worked: UserRepository, work: Work, forge: Forge
) -> None:
    worked.hook("pre-commit", 'kill -9 "$RUN"\nsleep 0.7\n')
    killed_run(worked)
    (worked.folder / ".git" / "hooks" / "pre-commit").unlink()

    for _ in range(50):  # the next run comes before, while or after git ends: it is refused or good
        with contextlib.suppress(CannotPublish):
            publish(worked.repository, forge, work, silent)
            break
        time.sleep(0.1)
    time.sleep(0.8)

    assert_published_once(worked)


def test_a_run_killed_while_the_forge_takes_the_push_is_gone_on_with(
    worked: UserRepository,
    work: Work,
    forge: Forge,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_hook(tmp_path, "post-receive", 'kill -9 "$RUN"\n')
    settings = tmp_path / "gitconfig"  # of all repositories without their own
    settings.write_text(f"[core]\n\thooksPath = {tmp_path / 'hooks'}\n")
    with monkeypatch.context() as patched:
        patched.setenv("GIT_CONFIG_GLOBAL", str(settings))
        killed_run(worked)

    publish(worked.repository, forge, work, silent)

    assert_published_once(worked)


def test_a_page_that_was_written_before_the_kill_is_found(
    worked: UserRepository, work: Work, forge: Forge
) -> None:
    first = publish(worked.repository, forge, work, silent)
    page = worked.folder / first.pull_request.page
    page.write_text(page.read_text().replace("[ ]", "[x]"))

    again = publish(worked.repository, forge, work, silent)

    assert again.pull_request == replace(first.pull_request, reused=True)
    assert "- [x] `AC1_size`" in page.read_text()
    assert_published_once(worked)


def test_the_commit_is_found_from_another_branch_and_published_without_the_files(
    worked: UserRepository, work: Work, asked: Work, forge: Forge
) -> None:
    sha = publish(worked.repository, forge, work, silent).sha
    worked.git("switch", "--quiet", "main")

    assert committed(worked.repository, asked) == sha
    assert publish(worked.repository, forge, work, silent).sha == sha
    assert worked.git("rev-parse", "--abbrev-ref", "HEAD") == "main"


def test_the_commit_is_found_under_another_title(
    worked: UserRepository, work: Work, asked: Work, forge: Forge
) -> None:
    sha = publish(worked.repository, forge, work, silent).sha
    worked.git("switch", "--quiet", "main")

    assert committed(worked.repository, replace(asked, title="Something else")) == sha


def test_the_base_of_the_first_run_is_the_base_of_the_next(
    worked: UserRepository, work: Work, forge: Forge
) -> None:
    worked.git("switch", "--quiet", "-c", "develop")
    worked.hook("pre-commit", "exit 1\n")
    with pytest.raises(CannotPublish):
        publish(worked.repository, forge, work, silent)
    worked.hook("pre-commit", "exit 0\n")

    published = publish(worked.repository, forge, work, silent)

    assert "into `develop`" in (worked.folder / published.pull_request.page).read_text()


def test_a_branch_left_without_a_commit_begins_anew_at_the_base(
    worked: UserRepository, work: Work, forge: Forge
) -> None:
    worked.git("branch", BRANCH)
    worked.git("commit", "--quiet", "--allow-empty", "-m", "chore: more")

    publish(worked.repository, forge, work, silent)

    assert worked.git("rev-parse", f"{BRANCH}~1") == worked.git("rev-parse", "main")


def test_a_file_that_changed_since_the_commit_is_not_passed_over(
    worked: UserRepository, work: Work, forge: Forge
) -> None:
    publish(worked.repository, forge, work, silent)
    worked.write("src/page.py", "size = 30\n")

    with pytest.raises(CannotPublish) as refused:
        publish(worked.repository, forge, work, silent)

    assert str(refused.value) == (
        f'"{BRANCH}" has this work\'s commit, but "src/page.py" changed since: commit that on the'
        " branch, or undo it (git restore), then run this again"
    )
    assert (worked.folder / "src/page.py").read_text() == "size = 30\n"


def test_a_commit_of_the_users_on_top_is_published_too(
    worked: UserRepository, work: Work, forge: Forge
) -> None:
    first = publish(worked.repository, forge, work, silent)
    tip = worked.commit("fix: my own touch", **{"src/page.py": "size = 30\n"})

    again = publish(worked.repository, forge, work, silent)

    assert (again.sha, again.branch) == (first.sha, BRANCH)
    assert git(worked.folder / ".pipeline/forge/origin.git", "rev-parse", BRANCH) == tip
