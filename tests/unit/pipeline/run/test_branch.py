"""What is checked out settles base and branch; what is in the way is one line before any work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipeline.run.branch import base_key, read_branch_state, refuse_unfit
from pipeline.terminal.fault import Fault
from tests.stubs.repositories import UserRepository, remote_for
from tests.unit.pipeline.run.conftest import Work, publish, run_of, state_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipeline.git import Repository

BRANCH = "feature/issue-202-page-through-the-list"
OTHER = "feature/issue-303-roles"
CONFLICT = (
    'there are staged changes that do not belong to this issue, or conflicts: "{}"; commit or '
    "unstage the changes (git restore --staged PATH), and resolve the conflicts"
)


def prepare(repository: Repository, work: Work) -> None:
    run = run_of(repository, work)
    refuse_unfit(run, read_branch_state(run), ())


def refusal(repository: Repository, work: Work) -> str:
    with pytest.raises(Fault) as refused:
        prepare(repository, work)
    assert refused.value.code == 2
    return str(refused.value)


def switched(*words: str) -> Callable[[UserRepository], object]:
    return lambda user: user.git("switch", "--quiet", *words)


def with_two_bases(user: UserRepository) -> None:
    user.git("branch", "master")
    user.git("switch", "--quiet", "-c", BRANCH)


def behind(user: UserRepository) -> None:
    user.git("branch", "old")
    user.commit("chore: more")


def conflicting(user: UserRepository) -> None:
    """Give `main` and `side` other contents of the same line."""
    user.git("branch", "side")
    user.commit("feat: one", **{"src/app.py": "x = 10\n"})
    user.git("switch", "--quiet", "side")
    user.commit("feat: three", **{"src/app.py": "x = 20\n"})
    user.git("switch", "--quiet", "main")


def under_way(*begun: str) -> Callable[[UserRepository], None]:
    """Return what begins a command that waits for its user."""

    def begin(user: UserRepository) -> None:
        conflicting(user)
        assert user.repository.attempt(*begun).returncode == 1

    return begin


def popped(user: UserRepository) -> None:
    conflicting(user)
    user.write("src/app.py", "x = 12\n")
    user.git("stash", "--quiet")
    user.git("reset", "--quiet", "--hard", "side")
    assert user.repository.attempt("stash", "pop").returncode == 1


@pytest.mark.parametrize(
    ("given", "asked_for", "said"),
    [
        (
            switched("-c", OTHER),
            {},
            f'the checked-out branch "{OTHER}" belongs to ISSUE-303, so it is not used as ',
        ),
        (with_two_bases, {}, f'the base of "{BRANCH}" is not known: choose one (--base main)'),
        (
            lambda user: user.git("branch", "-m", "main", BRANCH),
            {},
            f'the base of "{BRANCH}" is not known: choose one (--base main)',
        ),
        (switched("-c", "develop"), {"base": "@{-1}"}, 'the base "@{-1}" is not a branch'),
        (switched("-c", "develop"), {"base": "-x"}, 'the base "-x" is not a branch'),
        (switched("-c", "develop"), {"base": "nowhere"}, 'the base "nowhere" is not a branch'),
        (
            switched("-c", "develop"),
            {"branch": "-x"},
            '--branch "-x" is not of the form feature/<slug>, such as ',
        ),
        (
            switched("-c", "develop"),
            {"branch": "feature/a..b"},
            '--branch "feature/a..b" is not of the form feature/<slug>, such as ',
        ),
        (
            switched("-c", "develop"),
            {"branch": "feature/a.lock/b"},
            '--branch "feature/a.lock/b" is not of the form feature/<slug>, such as ',
        ),
        (
            behind,
            {"base": "old"},
            'the commit that is checked out is not the base "old": switch to the ',
        ),
        (
            lambda user: user.git("branch", "feature"),
            {},
            f'git cannot make the branch "{BRANCH}" while there is a branch "feature": rename ',
        ),
        (
            lambda user: user.git("branch", f"{BRANCH}/again"),
            {},
            f'git cannot make the branch "{BRANCH}" while there is a branch "{BRANCH}/again": ',
        ),
        (
            switched("--detach"),
            {},
            "HEAD is detached: switch to a branch (git switch main) or choose a base (--base main)",
        ),
        (
            under_way("merge", "side"),
            {},
            "a merge, a rebase or another git command is in progress: finish or abort it first ",
        ),
        (
            under_way("rebase", "side"),
            {"base": "main"},
            "a merge, a rebase or another git command is in progress: finish or abort it first ",
        ),
        (popped, {}, CONFLICT.format("src/app.py")),
    ],
)
def test_what_is_in_the_way_is_one_line_before_any_work(
    user: UserRepository,
    given: Callable[[UserRepository], object],
    asked_for: dict[str, Any],
    said: str,
) -> None:
    given(user)

    assert refusal(user.repository, Work(**asked_for)).startswith(said)


def test_the_base_is_the_branch_that_is_checked_out(user: UserRepository) -> None:
    user.git("switch", "--quiet", "-c", "develop")

    state = state_of(user, Work())

    assert (state.name, state.base) == (BRANCH, "develop")
    assert (state.base_ref, state.tip, state.commit) == ("refs/heads/develop", "", "")


def test_a_base_that_is_named_may_be_anothers_branch_or_a_detached_commit(
    user: UserRepository,
) -> None:
    user.git("switch", "--quiet", "-c", OTHER)
    prepare(user.repository, Work(base=OTHER))
    user.git("switch", "--quiet", "--detach")
    prepare(user.repository, Work(base="main"))

    assert user.branches() == [OTHER, "main"]
    assert user.repository.status().changes == {}


def test_on_the_issues_branch_the_base_is_that_of_origin(
    user: UserRepository, tmp_path: Path
) -> None:
    remote_for(user, tmp_path / "origin.git")
    with_two_bases(user)

    assert state_of(user, Work()).base == "main"


def test_the_base_that_was_settled_once_stays_unless_another_is_named(user: UserRepository) -> None:
    user.git("branch", "develop")
    user.git("switch", "--quiet", "-c", BRANCH)
    before = state_of(user, Work()).base
    user.git("config", base_key(BRANCH), "develop")

    settled, named = (state_of(user, Work()), state_of(user, Work(base="main")))

    assert (before, settled.base, named.base) == ("main", "develop", "main")


def test_a_base_may_be_one_of_origin_only(user: UserRepository, tmp_path: Path) -> None:
    remote_for(user, tmp_path / "origin.git")
    user.git("branch", "-m", "main", "mine")

    state = state_of(user, Work(base="main"))

    assert (state.base, state.base_ref) == ("main", "refs/remotes/origin/main")


def test_a_repository_without_a_commit_is_refused(tmp_path: Path) -> None:
    user = UserRepository(tmp_path / "new")

    assert refusal(user.repository, Work()) == (
        "the repository has no commit yet: make a first commit"
        " (git commit --allow-empty -m 'chore: begin')"
    )


def test_a_branch_of_that_name_with_other_commits_is_refused(user: UserRepository) -> None:
    user.git("switch", "--quiet", "-c", BRANCH)
    sha = user.commit("feat: more\n\nRefs: ISSUE-2")
    message = (
        f'the branch "{BRANCH}" has commits, but none says \'Refs: ISSUE-202\' ("{sha[:10]}"):'
        f" rename it (git branch -m {BRANCH} NAME), or use a different one (--branch)"
    )
    there = refusal(user.repository, Work())
    user.git("switch", "--quiet", "main")

    assert (there, refusal(user.repository, Work())) == (message, message)
    assert state_of(user, Work()).commit == ""
    prepare(user.repository, Work(branch="feature/issue-202-again"))


def test_a_commit_that_the_base_has_is_not_the_works(user: UserRepository) -> None:
    user.commit("feat: before\n\nRefs: ISSUE-202")
    user.git("switch", "--quiet", "-c", BRANCH)

    assert state_of(user, Work()).commit == ""


@pytest.mark.parametrize("how", [(), ("--cached",)])
def test_staged_changes_of_others_are_refused_and_stay(
    worked: UserRepository, work: Work, how: tuple[str, ...]
) -> None:
    worked.git("rm", "--quiet", *how, "README.md")
    before = worked.git("ls-files", "--stage")

    with pytest.raises(Fault) as refused:
        publish(worked, work)

    assert str(refused.value) == CONFLICT.format("README.md")
    assert worked.git("ls-files", "--stage") == before
    assert worked.branches() == ["main"]


def test_what_the_worker_staged_or_a_user_announced_to_git_is_no_stop(
    worked: UserRepository, work: Work
) -> None:
    worked.git("add", "src")
    worked.write("plan.txt")
    worked.git("add", "--intent-to-add", "plan.txt")

    assert publish(worked, work).branch == BRANCH
    assert worked.repository.status().changes == {"plan.txt": ".A"}
