"""Real git histories of the work on an issue, by shell scripts, and each as people submit it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT
from pipeline.terminal.programs import no_version
from tests.stubs.repositories import git
from verify.cli import main
from verify.course import catalog
from verify.grading.artifacts import Context
from verify.grading.runner import grade
from verify.submissions.submission import OpenSubmission, open_content

if TYPE_CHECKING:
    from pathlib import Path

    from verify.grading.model import Report

FIXTURES = f"{ROOT}/fixtures/submissions"
# `work` is the agents' work in one commit, `part` its first files, `rest` the others: the last one
# is what the artifacts claim. `aside` is a branch of another issue, `gone` deletes ours.
PRELUDE = r"""
set -eu
T=1767258000 N=0
tick() {
    T=$((T + 60)) N=$((N + 1))
    export GIT_AUTHOR_DATE="@$T +0000" GIT_COMMITTER_DATE="@$T +0000"; }
commit() { tick; git add --all -- . ":!.pipeline"; git commit --quiet --allow-empty -m "$1"; }
change() { for file; do mkdir -p "$(dirname "$file")"; echo "line $N" >> "$file"; done; }
other() { tick; change "other-$N.txt"; commit "feat: another issue"; }
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

empty() { commit "$SAID"; claim HEAD; }
blank() { for f in $FIRST $REST; do mkdir -p "$(dirname $f)"; printf "$1" > "$f"; done
    commit "$SAID"; claim HEAD; }
links() { for f in $FIRST $REST; do mkdir -p $(dirname $f); ln -sfn "$1" $f; done
    commit "$SAID"; claim HEAD; }
all() { change $FIRST $REST; commit "feat: of others"; }
unrelated() { main; git merge -q --no-edit --allow-unrelated-histories -X theirs "$1"; }
flat() { main; git merge --quiet --squash "$BRANCH"; }
names() { for f; do echo "$f"; done > ../listed; }
# two changes of one file that git merges
far() { sed -i '1s/^/of others /' $FIRST; commit "fix: the first line"; }
top() { seq 9 >> $FIRST; "$1"; }
move() { mkdir old; seq 99 > old/name.js; commit "chore: a file to move"; }
moved() {
    git mv old/name.js new-name.js; echo more >> new-name.js; change $FIRST; commit "$SAID"
    claim HEAD; }
both() { names old/name.js new-name.js $FIRST; }
new() { names new-name.js $FIRST; }
print() { git -c core.quotePath=off diff --no-renames --name-only main..."$BRANCH" > ../listed; }
old() { names old/name.js $FIRST; }

git init --quiet --initial-branch=main .
seq 9 | sed 's/^/line of the beginning /' > first; mkdir -p "$(dirname $FIRST)"; mv first $FIRST
change README.md $FIRST; commit "chore: begin"
other
"""

_NAMES = ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL")


def made(script: str, folder: Path, exercise: str = "expert/04-evidence") -> Path:
    """Return the repository of a script, with artifacts that claim what it claims.

    A list that it writes to `../listed` is what plan and worker list.
    """
    level, _, number = exercise.partition("/")
    graded = catalog.find(level, number[:2])
    alice = folder / "alice"
    ours = alice / ".pipeline" / str(graded.issue)
    shutil.copytree(f"{FIXTURES}/{exercise}/solved/.pipeline/{graded.issue}", ours)
    plan, worker, result = (
        json.loads((ours / f"{name}.json").read_text())
        for name in ("plan", "worker-result", "git-result")
    )
    files = worker["files_changed"]
    settings = {
        **{f"GIT_{name}": "a@example.org" for name in _NAMES},
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
    result["commit_sha"] = (folder / "claimed").read_text().strip()
    if (folder / "listed").exists():
        files = (folder / "listed").read_text("utf-8").splitlines()
        plan["affected_files"] = worker["files_changed"] = files
        plan["steps"] = [
            {**plan["steps"][0], "order": n, "file": f} for n, f in enumerate(files, 1)
        ]
        plan["acceptance_mapping"] = dict.fromkeys(plan["acceptance_mapping"], files[0])
    for name, value in (("plan", plan), ("worker-result", worker), ("git-result", result)):
        (ours / f"{name}.json").write_text(json.dumps(value), "utf-8")
    return alice


def report_on(path: Path, exercise: str = "expert/04-evidence") -> Report:
    """Return the report on a folder or an archive."""
    level, _, number = exercise.partition("/")
    graded = catalog.find(level, number[:2])
    with OpenSubmission(open_content(str(path)), graded.paths) as door:
        return grade(Context(graded, door, catalog.issue_of(graded), no_version), strict=True)


def fresh(alice: Path, folder: Path) -> Path:
    """Return a fresh clone of all that a repository has, local or remote, with the artifacts."""
    git(folder, "clone", "--quiet", "--mirror", alice.as_uri(), "all")
    for line in git(
        folder / "all", "for-each-ref", "--format=%(objectname) %(refname)", "refs/remotes"
    ).splitlines():
        name, _, ref = line.partition(" ")
        git(folder / "all", "update-ref", f"refs/heads/{ref.split('/', 3)[3]}", name)
    git(folder, "clone", "--quiet", (folder / "all").as_uri(), "fresh")
    return with_artifacts(alice, folder / "fresh")


def bundled(alice: Path, folder: Path) -> Path:
    """Return the artifacts and a bundle, made as the how-to guide says."""
    there = with_artifacts(alice, folder / "bundled")
    git(alice, "bundle", "create", "--quiet", str(there / ".pipeline/history.bundle"), "--all")
    return there


def packed(alice: Path, folder: Path, exercise: str = "expert/04") -> Path:
    """Return the zip that `verify pack` writes."""
    zipped = folder / "packed.zip"
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        main(["pack", exercise, "--project", str(alice), "--output", str(zipped)])
    return zipped


def with_artifacts(alice: Path, folder: Path) -> Path:
    """Copy the artifacts to a folder, and return it."""
    shutil.copytree(alice / ".pipeline", folder / ".pipeline", dirs_exist_ok=True)
    return folder
