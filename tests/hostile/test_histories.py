"""What people honestly do to a branch costs nothing; a claim that git refutes is refused."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from pipeline.terminal.host import no_host
from verify import catalog
from verify.artifacts import Context
from verify.catalog import issue_text
from verify.runner import grade
from verify.submission import open_folder

if TYPE_CHECKING:
    from pathlib import Path

FIXTURES = f"{ROOT}/fixtures/submissions"
# `work` is the agents' work in one commit, `part` its first files, `rest` the others: the last one
# is what the artifacts claim. `aside` is a branch of another issue, `gone` deletes ours.
PRELUDE = r"""
set -eu
commit() { git add --all -- . ":!.pipeline"; git commit --quiet --allow-empty -m "$1"; }
change() { for file; do mkdir -p "$(dirname "$file")"; echo "$RANDOM" >> "$file"; done; }
other() { change "other-$RANDOM.txt"; commit "feat: another issue"; }
claim() { git rev-parse "$1" > ../claimed; }
work() { change $FIRST $REST; commit "$SAID"; claim HEAD; }
part() { change $FIRST; commit "$SAID"; claim HEAD; }
rest() { change $REST; commit "$SAID"; claim HEAD; }

begin() { git switch --quiet -c "$BRANCH"; }
back() { git switch --quiet "$BRANCH"; }
main() { git switch --quiet main; }
aside() { git switch --quiet -c feature/issue-9-x; other; }
merge() { main; git merge --quiet --no-edit "$@"; }
ff() { merge "$BRANCH"; }
join() { merge --no-ff "$BRANCH"; }
gone() { git branch -D "$BRANCH"; git branch -rd "origin/$BRANCH" || true; }

remote() {
    git init --quiet --bare --initial-branch="$(git branch --show-current)" ../origin
    git remote add origin ../origin; push; git remote set-head origin --auto; }
bundle() { git bundle create .pipeline/history.bundle --all; rm -r .git; }
push() { git push --quiet --set-upstream origin --all; }
forge() {
    git clone --quiet ../origin ../forge
    (cd ../forge; git switch --quiet -c forged "origin/$BRANCH"; git switch --quiet main; eval "$1")
    git fetch --quiet ../forge main:refs/remotes/origin/main; }
squash() { forge "git merge --squash forged; git commit -m squashed"; merge origin/main; }
rebase() {
    forge "git rebase -q main forged; git switch main; git merge forged"; merge origin/main; }

git init --quiet --initial-branch=main .
change README.md $FIRST; commit "chore: begin"
other
"""
# name: script: which of the five checks against git are not asked
HONEST = """
open: begin; work:
open, and main went on: begin; work; main; other:
merged: begin; work; join:
merged, deleted: begin; work; join; gone:
several commits, merged, deleted: begin; part; rest; claim HEAD^; join; gone:
fast-forward: begin; work; ff: 4 5
fast-forward, deleted: begin; work; ff; gone: 4 5
fast-forward, and main went on: begin; work; ff; other: 4 5
fast-forward of several commits: begin; part; rest; ff: 4 5
fast-forward of several, the first claimed: begin; part; rest; claim HEAD^; ff: 2 4 5
fast-forward, origin behind: remote; begin; work; ff:
fast-forward, origin far behind: remote; aside; merge -; begin; work; ff: 4 5
fast-forward, origin behind, deleted: remote; begin; work; ff; gone: 4 5
fast-forward of several commits, origin behind: remote; begin; part; rest; ff: 4 5
fast-forward, pushed: remote; begin; work; ff; push: 4 5
fast-forward on the forge: remote; begin; work; push; main; forge "git merge forged":
fast-forward on the forge, pulled: remote; begin; work; push; forge "git merge forged"; ff: 4 5
merged on the forge: remote; begin; work; push; main; forge "git merge --no-ff forged"; gone:
squashed: remote; begin; part; rest; push; squash:
squashed, deleted: remote; begin; part; rest; push; squash; gone: 2 4 5
rebased: remote; begin; work; main; other; push; rebase:
rebased, deleted: remote; begin; work; main; other; push; rebase; gone: 2 4 5
main taken in: begin; part; main; other; back; git merge main; rest:
main taken in, fast-forward: begin; part; main; other; back; git merge main; rest; ff: 4 5
merged halfway: begin; part; join; back; rest; join: 4 5
built on a branch that is merged by now: aside; begin; work; merge --no-ff feature/issue-9-x: 4 5
another default branch: git branch -m trunk; remote; begin; work; git switch trunk; git merge -:
a bundle: begin; work; ff; bundle: 4 5
"""
# name: script: which of them refuse it
FORGED = """
another list: begin; part: 4 5
another list, merged: begin; part; join; gone: 4 5
another list, fast-forward: begin; part; ff: 4 5
another list, fast-forward, pushed: remote; begin; part; ff; push: 4 5
another list, fast-forward, origin behind: remote; begin; part; ff: 4 5
another list, fast-forward, origin far behind: remote; aside; merge -; begin; part; ff: 4 5
another list, merged halfway: begin; part; join; back; other; claim HEAD: 3 4 5
a list without a commit: begin; work; other; rest: 4 5
a list with the work of others: aside; work; main; merge -; begin; rest: 4 5
another message: begin; change $FIRST $REST; commit "feat: else"; claim HEAD: 3
a commit beside the branch: begin; main; aside; work: 2
a commit of another branch: aside; work: 2
a commit from before the branch: work; begin; other: 2
a commit that the remote had before: work; remote; begin; other; ff: 2
a commit that nobody made: begin; work; echo 1234567890 > ../claimed: 1
a commit that nobody made, and no branch: echo 1234567890 > ../claimed: 1
"""


def rows(table: str) -> list[object]:
    cells = [line.split(":") for line in table.strip().split("\n")]
    return [pytest.param(":".join(c[1:-1]), c[-1].split(), id=c[0]) for c in cells]


def outcomes(script: str, folder: Path, exercise: str, first: int) -> dict[str, list[str]]:
    """Return which of the checks against git do not pass, the first of them 1, by outcome."""
    level, _, number = exercise.partition("/")
    graded = catalog.find(level, number[:2])
    alice = folder / "alice"
    ours = alice / ".pipeline" / str(graded.issue)
    shutil.copytree(f"{FIXTURES}/{exercise}/solved/.pipeline/{graded.issue}", ours)
    result, worker = (
        json.loads((ours / f"{name}.json").read_text()) for name in ("git-result", "worker-result")
    )
    files = worker["files_changed"]
    names = ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL")
    settings = {
        **{f"GIT_{name}": "a@example.org" for name in names},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PATH": os.environ["PATH"],
        "BRANCH": result["branch"],
        "SAID": result["commit_message"],
        "FIRST": files[0],
        "REST": " ".join(files[1:]),
    }
    words = ["bash", "-c", PRELUDE + script]
    done = subprocess.run(words, cwd=alice, env=settings, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    sha = (folder / "claimed").read_text().strip()
    (ours / "git-result.json").write_text(json.dumps({**result, "commit_sha": sha}))
    with open_folder(str(alice)) as door:
        context = Context(graded, door, issue_text(graded.issue), no_host)
        report = grade(context, strict=True)
    found: dict[str, list[str]] = {"not checked": [], "fail": [], "error": []}
    for one in report.results:
        position = int(one.check.code.partition(".")[2]) - first + 1
        found.setdefault(one.outcome.value, []).append(str(position))
    return found


@pytest.mark.parametrize(("script", "unchecked"), rows(HONEST))
def test_an_honest_history_costs_nothing(script: str, unchecked: list[str], tmp_path: Path) -> None:
    found = outcomes(script, tmp_path, "expert/04-evidence", 17)

    assert found.keys() == {"pass", "not checked", "fail", "error"}
    assert (found["fail"], found["error"], found["not checked"]) == ([], [], unchecked)


@pytest.mark.parametrize(("script", "refused"), rows(FORGED))
def test_a_claim_that_git_refutes_is_refused(
    script: str, refused: list[str], tmp_path: Path
) -> None:
    found = outcomes(script, tmp_path, "expert/04-evidence", 17)

    assert (found["fail"], found["error"], found["not checked"]) == (refused, [], [])


@pytest.mark.parametrize(
    ("exercise", "first"), [("foundation/04-trace", 13), ("practitioner/04-trace", 17)]
)
def test_l2_a_lesson_that_is_followed_has_no_note(
    exercise: str, first: int, tmp_path: Path
) -> None:
    script = "remote; aside; merge -; begin; work; ff"
    found = outcomes(script, tmp_path, exercise, first)

    assert (found["fail"], found["error"], found["not checked"]) == ([], [], ["4", "5"])
