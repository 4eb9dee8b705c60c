"""What people honestly do to a branch costs nothing; a claim that git refutes is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.stubs.histories import made, report_on

if TYPE_CHECKING:
    from pathlib import Path

# name: script: which of the five checks against git are not asked
HONEST = """
open: begin; work:
open, and main went on: begin; work; main; other:
merged: begin; work; join:
merged, deleted: begin; work; join; gone:
several commits, merged, deleted: begin; part; rest; join; gone:
a later commit of a listed file: begin; work; change $FIRST; commit "fix: it"; join:
fast-forward: begin; work; ff: 4 5
fast-forward, deleted: begin; work; ff; gone: 4 5
fast-forward, and main went on: begin; work; ff; other: 4 5
fast-forward of several commits: begin; part; rest; ff: 4 5
fast-forward, origin behind: remote; begin; work; ff:
fast-forward, origin far behind: remote; aside; merge -; begin; work; ff: 4 5
fast-forward, origin behind, deleted: remote; begin; work; ff; gone: 4 5
fast-forward of several commits, origin behind: remote; begin; part; rest; ff: 4 5
fast-forward, pushed: remote; begin; work; ff; push: 4 5
fast-forward on the forge: remote; begin; work; push; main; forge "git merge forged":
fast-forward on the forge, pulled: remote; begin; work; push; forge "git merge forged"; ff: 4 5
merged on the forge: remote; begin; work; push; main; forge "git merge --no-ff forged"; gone:
squashed: remote; begin; part; rest; push; squash:
squashed, deleted: remote; begin; part; rest; push; squash; gone:
rebased: remote; begin; work; main; other; push; rebase:
rebased, deleted: remote; begin; work; main; other; push; rebase; gone:
main taken in: begin; part; main; other; back; git merge main; rest:
main taken in, fast-forward: begin; part; main; other; back; git merge main; rest; ff: 4 5
merged halfway: begin; part; join; back; rest; join: 4 5
built on a branch that is merged by now: aside; begin; work; merge --no-ff feature/issue-9-x: 4 5
another default branch: git branch -m trunk; remote; begin; work; git switch trunk; git merge -:
a bundle: begin; work; ff; bundle: 4 5
main deleted: begin; work; git branch -D main: 4 5
main deleted, several commits: begin; part; rest; git branch -D main: 4 5
main deleted, another branch: begin; work; aside; back; git branch -D main: 4 5
main deleted, origin has it: remote; begin; work; git branch -D main:
main deleted, a bundle: begin; part; rest; git branch -D main; bundle: 4 5
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
the first of two commits: begin; part; rest; claim HEAD^: 2
the first of two commits, merged: begin; part; rest; claim HEAD^; join; gone: 2
the first of two commits, fast-forward: begin; part; rest; claim HEAD^; ff; gone: 4 5
a file of another issue after the work: begin; work; other: 2
main deleted, another list: begin; part; git branch -D main: 4 5
main deleted, an empty commit: begin; all; empty; git branch -D main: 4 5
main deleted, another list, a bundle: begin; part; git branch -D main; bundle: 4 5
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
    report = report_on(made(script, folder, exercise), exercise)
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
