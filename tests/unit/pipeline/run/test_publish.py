"""A worker's files become a branch, a commit and a pull request; nothing else is touched."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipeline.forges.base import PullRequest
from pipeline.forges.local import Local
from pipeline.terminal.fault import Fault
from tests.stubs.repositories import UserRepository, git
from tests.unit.pipeline.run.conftest import Work, publish, state_of

if TYPE_CHECKING:
    from pipeline.forges.base import Change


BRANCH = "feature/issue-202-page-through-the-list"


def in_commit(user: UserRepository, sha: str) -> list[str]:
    return user.git("diff-tree", "-r", "--name-status", "--no-commit-id", sha).split("\n")


def test_publishing_makes_the_branch_the_commit_and_the_page(
    worked: UserRepository, work: Work
) -> None:
    output: list[str] = []

    published = publish(worked, work, output.append)

    page = ".pipeline/forge/pulls/1-issue-202-page-through-the-list.md"
    assert published.branch == BRANCH
    assert published.sha == worked.git("rev-parse", "HEAD")
    assert published.message == "feat: page through the notes\n\nRefs: ISSUE-202"
    assert published.pull_request == PullRequest(page=page)
    assert in_commit(worked, published.sha) == ["M\tsrc/app.py", "A\tsrc/page.py"]
    assert worked.git("rev-parse", "--abbrev-ref", "HEAD") == BRANCH
    assert worked.git("status", "--porcelain") == ""
    assert output == [
        f"switched to {BRANCH}, from main",
        f"committed {published.sha[:10]} on {BRANCH}",
    ]


def test_publishing_again_changes_nothing_and_finds_the_same(
    worked: UserRepository, work: Work
) -> None:
    first = publish(worked, work)

    again = publish(worked, work)

    assert again == replace(first, pull_request=replace(first.pull_request, reused=True))
    assert worked.git("rev-list", "--count", "main..HEAD") == "1"
    assert worked.branches() == [BRANCH, "main"]


def test_new_changed_deleted_and_executable_files_are_committed(
    user: UserRepository, work: Work
) -> None:
    user.commit(**{"old.txt": "old\n", "run.sh": "echo\n"})
    user.write("src/new.py")
    user.write("src/app.py", "x = 3\n")
    (user.folder / "old.txt").unlink()
    (user.folder / "run.sh").chmod(0o755)
    files = ("src/new.py", "src/app.py", "old.txt", "run.sh")

    published = publish(user, replace(work, files=files))

    names = ["D\told.txt", "M\trun.sh", "M\tsrc/app.py", "A\tsrc/new.py"]
    assert in_commit(user, published.sha) == names
    assert user.git("ls-tree", "HEAD", "run.sh").startswith("100755 ")


@pytest.mark.parametrize("name", ["git~1/x.py", ".git./x.py", ".gitmodules"])
@pytest.mark.parametrize("was_there", [False, True])
def test_a_file_that_git_does_not_take_is_not_left_out_in_silence(
    user: UserRepository, work: Work, name: str, *, was_there: bool
) -> None:
    user.write("src/new.py")
    if was_there and name == ".gitmodules":
        user.commit(**{name: ""})
        (user.folder / name).unlink()
    if name == ".gitmodules":
        (user.folder / name).symlink_to("src/app.py")
    else:
        user.write(name)
    before = user.git("rev-list", "--count", "--all")

    with pytest.raises(Fault) as refused:
        publish(user, replace(work, files=("src/new.py", name)))

    assert str(refused.value) == (
        f'git does not take "{name}" into a commit, so nothing is committed: give the file another '
        "name in the plan, in the report and on disk, then run the same command again"
    )
    assert user.git("rev-list", "--count", "--all") == before


@pytest.mark.parametrize("name", ["*", ":(glob)**", "-f", "ä\tö"])
def test_a_file_with_an_odd_name_is_that_file_alone(
    user: UserRepository, work: Work, name: str
) -> None:
    user.write(name)
    user.write("a.py")
    user.write("other.txt")

    published = publish(user, replace(work, files=(name,)))

    listed = user.git("diff-tree", "-r", "-z", "--name-only", "--no-commit-id", published.sha)
    assert listed == f"{name}\0"
    assert set(user.repository.status().changes) == {"a.py", "other.txt"}


def test_what_a_forge_refuses_is_reported_and_the_commit_stays(
    worked: UserRepository, work: Work
) -> None:
    class Refusing(Local):
        def open(self, change: Change) -> PullRequest:
            raise Fault(f"no answer for {change.branch}")

    with pytest.raises(Fault) as refused:
        publish(worked, work, forge=Refusing())

    assert (str(refused.value), refused.value.code) == (f"no answer for {BRANCH}", 1)
    assert state_of(worked, work).commit == worked.git("rev-parse", BRANCH)
    assert publish(worked, work).pull_request.reused is False


def test_the_commit_is_found_from_another_branch_and_published_without_the_files(
    worked: UserRepository, work: Work
) -> None:
    sha = publish(worked, work).sha
    worked.git("switch", "--quiet", "main")

    assert state_of(worked, Work()).commit == sha
    other = Work(title="Something else")
    assert state_of(worked, other).commit == sha
    assert publish(worked, work).sha == sha
    assert worked.git("rev-parse", "--abbrev-ref", "HEAD") == "main"


def test_the_base_of_the_first_run_is_the_base_of_the_next(
    worked: UserRepository, work: Work
) -> None:
    worked.git("switch", "--quiet", "-c", "develop")
    worked.hook("pre-commit", "exit 1\n")
    with pytest.raises(Fault):
        publish(worked, work)
    worked.hook("pre-commit", "exit 0\n")

    published = publish(worked, work)

    assert "into `develop`" in (worked.folder / published.pull_request.page).read_text()


def test_a_branch_left_without_a_commit_begins_anew_at_the_base(
    worked: UserRepository, work: Work
) -> None:
    worked.git("branch", BRANCH)
    worked.git("commit", "--quiet", "--allow-empty", "-m", "chore: more")

    publish(worked, work)

    assert worked.git("rev-parse", f"{BRANCH}~1") == worked.git("rev-parse", "main")


def test_a_file_that_changed_since_the_commit_is_not_passed_over(
    worked: UserRepository, work: Work
) -> None:
    publish(worked, work)
    worked.write("src/page.py", "size = 30\n")

    with pytest.raises(Fault) as refused:
        publish(worked, work)

    assert str(refused.value) == (
        f'"{BRANCH}" has this work\'s commit, but "src/page.py" changed later: commit those '
        "changes on the branch or undo them (git restore), then run the same command again"
    )
    assert (worked.folder / "src/page.py").read_text() == "size = 30\n"


def test_a_commit_of_the_users_on_top_is_published_too(worked: UserRepository, work: Work) -> None:
    first = publish(worked, work)
    tip = worked.commit("fix: my own touch", **{"src/page.py": "size = 30\n"})

    again = publish(worked, work)

    assert (again.sha, again.branch) == (first.sha, BRANCH)
    assert git(worked.folder / ".pipeline/forge/origin.git", "rev-parse", BRANCH) == tip
