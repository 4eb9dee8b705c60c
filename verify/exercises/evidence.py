"""The checks that compare what artifacts say of git with the history of the submission."""

from __future__ import annotations

from dataclasses import replace

from verify.checks import evidence
from verify.exercises.sources import GIT_JSON, PLAN_JSON, RUN, WORKER_JSON
from verify.model import Check

_SHA = '"commit_sha": "3f1c9ab"'
_BRANCH = '"branch": "feature/issue-7-health",\n"commit_sha": "3f1c9ab"'
_FILES = '["src/health/routes.js", "test/health/routes.test.js"]'


def compared_with_git(code: str, first: int, *, advisory: bool = False) -> tuple[Check, ...]:
    """Return the five checks of a trace's claims about git; `<code>.4` to `<code>.7` come first.

    Where they are advice, they are not asked of a submission that has no history.
    """
    checks = (*_of_the_commit(code, first), *_of_the_files(code, first + 3, f"{code}.{first + 1}"))
    if not advisory:
        return checks
    return tuple(replace(each, points=0, advisory=True, needs_history=True) for each in checks)


def _of_the_commit(code: str, first: int) -> tuple[Check, ...]:
    """Return the checks of what a git result claims: commit, branch, message."""
    commit, branch, message = (f"{code}.{first + offset}" for offset in range(3))
    return (
        Check(
            code=commit,
            title="the commit is in the history",
            run=evidence.names_a_commit(GIT_JSON),
            hint="Copy what git rev-parse prints; submit .git, or a bundle made with --all.",
            look="What git log --all --oneline lists, and the value of commit_sha.",
            why="A hash that git does not know is a claim about work that cannot be reviewed.",
            example=_SHA,
            points=1,
            requires=(f"{code}.6",),
            evidence=True,
        ),
        Check(
            code=branch,
            title="the commit is on its branch, or was merged",
            run=evidence.lies_on_its_branch(GIT_JSON),
            hint="Publish the work on that branch; have git-result.json written from what git has.",
            look="What git branch --all --contains prints for the hash, and the value of branch.",
            why="Reviewers look at the branch: work elsewhere is not what they approve.",
            example=_BRANCH,
            points=1,
            requires=(commit,),
            evidence=True,
        ),
        Check(
            code=message,
            title="the commit says what commit_message says",
            run=evidence.says_its_message(GIT_JSON),
            hint="Copy the message that git log -1 --format=%B prints for the hash.",
            look="The message that git has, and commit_message, line by line.",
            why="Change logs are made from what git has, whatever the artifact says.",
            example='"commit_message": "feat: add a health endpoint"',
            points=1,
            requires=(commit,),
            evidence=True,
        ),
    )


def _of_the_files(code: str, first: int, branch: str) -> tuple[Check, ...]:
    """Return the checks of the changed files; they wait for the check of the branch."""
    return (
        Check(
            code=f"{code}.{first}",
            title="files_changed are what git says was changed",
            run=evidence.names_the_changed_files(WORKER_JSON, "files_changed", GIT_JSON),
            hint="Complete the work, or have the worker report again what the branch changes.",
            look="What git diff --name-only prints from the branch's beginning to its end.",
            why="Reviewers rely on this claim, and git can settle it.",
            example=f'"files_changed": {_FILES}',
            points=2,
            requires=(f"{code}.5", branch),
            evidence=True,
        ),
        Check(
            code=f"{code}.{first + 1}",
            title="affected_files are what git says was changed",
            run=evidence.names_the_changed_files(PLAN_JSON, "affected_files", GIT_JSON),
            hint="Have the plan extended where the work needs more; drop what was not needed.",
            look="affected_files, and the files that git diff --name-only prints.",
            why="The plan is what was agreed on, and only git knows what came of it.",
            example=f'"affected_files": {_FILES}',
            points=1,
            requires=(f"{code}.7", branch),
            evidence=True,
        ),
    )


def advised_by_git(code: str, first: int, checked: int) -> tuple[Check, ...]:
    """Return two pieces of advice; `checked` is the number of the first check of the history."""
    commit, branch = f"{code}.{checked}", f"{code}.{checked + 1}"
    out, order = f"{code}.{first}", f"{code}.{first + 1}"
    return (
        Check(
            code=out,
            title="the work's commit leaves the artifacts out",
            run=evidence.leaves_artifacts_out(GIT_JSON, RUN),
            hint="Stage the files of the work by their names; commit the artifacts separately.",
            look="What git show --stat prints for the hash: is a path of .pipeline among it?",
            why="Artifacts describe the run; in the commit they become a part of the product.",
            example="git add -- src/health/routes.js test/health/routes.test.js",
            points=0,
            requires=(commit,),
            advisory=True,
            evidence=True,
        ),
        Check(
            code=order,
            title="the commits are dated in the order of events",
            run=evidence.has_times_in_order(GIT_JSON),
            hint="Set the machine's clock before the next commit; leave those that are made.",
            look="What git log --format='%h %ai %ci' prints for the branch, line by line.",
            why="A commit that is older than its parent did not happen as it claims.",
            example="timedatectl set-ntp true",
            points=0,
            requires=(branch,),
            advisory=True,
            evidence=True,
        ),
    )
