"""What a git result claims is compared with the history, and every contradiction is reported."""

from __future__ import annotations

import hashlib
import json
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.files import DENIED, Unreadable
from pipeline.terminal.programs import no_version
from tools.bundles import Bundle, Stamp
from verify.course.checks import evidence
from verify.course.checks.evidence import leaves_artifacts_out, names_the_changed_files
from verify.course.checks.validity import with_history
from verify.grading.artifacts import ArtifactRef, Context
from verify.grading.model import PASSED, Finding, Outcome, failed, not_checked
from verify.selftest.mutants import Overlay
from verify.submissions.history.faults import BeyondLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from verify.grading.artifacts import Artifact, CheckFunction
    from verify.grading.model import Exercise, Verdict
    from verify.submissions.history.history import History


GIT = ArtifactRef("git-result.json")
FILE = ".pipeline/ISSUE-7/git-result.json"
BRANCH = "feature/issue-7-health"
REF, MAIN = f"refs/heads/{BRANCH}", "refs/heads/main"
SAID = "feat: add a health endpoint"
NOON = 1_767_268_800  # 2026-01-01 12:00 UTC
HOUR = 3_600


class Scene:
    """A bundle with two commits on main and one on the branch, and a git result about it."""

    def __init__(self, toy: Callable[..., Exercise], result: dict[str, Any]) -> None:
        self.toy = toy
        self.bundle = Bundle()
        self.tree = self.bundle.tree({"src/app.py": b"x = 1\n"})
        self.begun = self.commit([], 0, "chore: begin")
        self.work = self.commit([self.begun], 2, f"{SAID}\n\nWith a body\n\nRefs: ISSUE-7")
        self.main = self.commit([self.begun], 1, "docs: more")
        self.bundle.refs = {MAIN: self.main, REF: self.work}
        self.result = {**result, "commit_sha": self.work}

    def commit(self, parents: list[str], hours: int, message: str, author: int = 0) -> str:
        stamp = Stamp(NOON + (hours + author) * HOUR, NOON + hours * HOUR)
        return self.bundle.commit(self.tree, parents, stamp, message)

    def verdict(self, check: CheckFunction, **changes: Any) -> Verdict:
        files = {
            FILE: json.dumps({**self.result, **changes}).encode(),
            ".pipeline/history.bundle": self.bundle.data(),
        }
        return check(Context(self.toy(), Overlay("memory", files), None, no_version))

    def finding(self, check: CheckFunction, **changes: Any) -> Finding:
        verdict = self.verdict(check, **changes)
        assert (verdict.outcome, len(verdict.findings)) == (Outcome.FAIL, 1)
        return verdict.findings[0]


@pytest.fixture
def scene(toy_exercise: Callable[..., Exercise], git_result: dict[str, Any]) -> Scene:
    return Scene(toy_exercise, git_result)


def output(finding: Finding) -> tuple[str, str, str, str]:
    return finding.path, finding.message, finding.expected, finding.found


# --- commit_sha ---------------------------------------------------------------------------------


@pytest.mark.parametrize("digits", [7, 40])
def test_a_commit_of_the_history_passes_also_abbreviated(digits: int, scene: Scene) -> None:
    check = evidence.names_a_commit(GIT)

    assert scene.verdict(check, commit_sha=scene.work[:digits]) is PASSED


def test_a_commit_that_git_does_not_have_is_reported(scene: Scene) -> None:
    finding = scene.finding(evidence.names_a_commit(GIT), commit_sha="f" * 40)

    assert output(finding) == (
        "$.commit_sha",
        "git has no commit with this hash",
        "a commit in the history",
        f'"{"f" * 40}"',
    )
    assert (finding.file, finding.line > 0) == (FILE, True)


def test_where_the_history_is_not_whole_that_is_reported_as_well(scene: Scene) -> None:
    files = {FILE: json.dumps({**scene.result, "commit_sha": "f" * 40}).encode()}
    submission = Overlay("memory", {**files, ".pipeline/history.bundle": scene.bundle.data()})
    history = submission.history()
    assert history is not None
    history.cut = "the clone is shallow"
    submission.history = lambda: history  # type: ignore[method-assign]  # a fake's
    context = Context(scene.toy(), submission, None, no_version)

    finding = evidence.names_a_commit(GIT)(context).findings[0]

    assert finding.expected == (
        "a commit in the history (part of it is missing: the clone is shallow)"
    )
    assert finding.action == (
        "In the clone, run git fetch --unshallow origin '+refs/heads/*:refs/remotes/origin/*', then"
        " git remote set-head origin --auto."
    )


TAKE_ITS_HASH = "Write the hash of the commit, as git log --format=%H shows it for the branch."


def test_m12_what_is_no_commit_is_reported_with_what_to_do(scene: Scene) -> None:
    finding = scene.finding(evidence.names_a_commit(GIT), commit_sha=scene.tree)

    assert output(finding)[1] == "this is the hash of a tree, not of a commit"
    assert finding.action == TAKE_ITS_HASH


def test_an_abbreviation_of_two_commits_is_reported(scene: Scene) -> None:
    prefixes: dict[str, str] = {}
    number = 0
    while True:
        made = scene.commit([], 3, f"chore: {number}")
        other = prefixes.setdefault(made[:4], made)
        if other != made:
            break
        number += 1
    finding = scene.finding(evidence.names_a_commit(GIT), commit_sha=made[:4])

    assert output(finding)[1:3] == (
        "the hashes of several commits begin with these digits",
        "more digits",
    )
    assert made in finding.found
    assert other in finding.found
    assert finding.action == TAKE_ITS_HASH


# --- branch -------------------------------------------------------------------------------------


def test_a_commit_on_another_branch_is_reported(scene: Scene) -> None:
    scene.bundle.refs |= {REF: scene.begun, "refs/heads/feature/other": scene.work}

    assert output(scene.finding(evidence.lies_on_its_branch(GIT))) == (
        "$.branch",
        "the commit is not on the branch",
        f"a branch with {scene.work[:10]}",
        f'"{BRANCH}" ends at {scene.begun[:10]}',
    )


def test_a_branch_that_git_does_not_have_is_reported(scene: Scene) -> None:
    scene.bundle.refs = {MAIN: scene.main, "refs/heads/feature/other": scene.work}

    assert output(scene.finding(evidence.lies_on_its_branch(GIT))) == (
        "$.branch",
        "git has no such branch, and the commit was not merged",
        f'"{BRANCH}", or {scene.work[:10]} on "main"',
        'branches "feature/other", "main"',
    )


def test_a_commit_that_was_there_before_the_branch_is_reported(scene: Scene) -> None:
    finding = scene.finding(evidence.lies_on_its_branch(GIT), commit_sha=scene.begun)

    assert output(finding) == (
        "$.commit_sha",
        'the commit was on "main" before the branch began',
        f"a commit after {scene.begun[:10]}",
        scene.begun[:10],
    )


def test_without_a_main_branch_the_branch_alone_is_asked(scene: Scene) -> None:
    scene.bundle.refs = {REF: scene.work}

    assert scene.verdict(evidence.lies_on_its_branch(GIT)) is PASSED


# --- commit_message -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        SAID,
        f"{SAID}\n\nWith a body",
        f"{SAID}\r\n\r\nWith a body\r\n\r\nRefs: ISSUE-7",
        f"{SAID}  \n\nWith a body\n\nRefs: ISSUE-7\n\n",
    ],
)
def test_the_whole_message_or_its_first_paragraphs_pass(message: str, scene: Scene) -> None:
    assert scene.verdict(evidence.says_its_message(GIT), commit_message=message) is PASSED


@pytest.mark.parametrize(
    "message",
    ["feat: add a health", f"{SAID}s", f"{SAID}\n\nWith", f"{SAID}\n\nWith a body\n\nRefs: X"],
)
def test_m12_another_message_is_reported_beside_gits_with_what_to_do(
    message: str, scene: Scene
) -> None:
    finding = scene.finding(evidence.says_its_message(GIT), commit_message=message)

    assert output(finding)[:2] == ("$.commit_message", "git has a different message")
    assert finding.expected.startswith(f'git: "{SAID}')
    assert finding.expected != finding.found
    assert finding.action == "Copy the message from git to commit_message."


# --- advice -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("hours", "author"), [(0, 0), (-1, 0), (5, -90), (5, 1)])
def test_commits_in_their_order_pass(hours: int, author: int, scene: Scene) -> None:
    scene.work = scene.commit([scene.begun], hours, SAID, author)
    scene.bundle.refs[REF] = scene.work

    other = scene.commit([scene.begun], 3, "feat: on no branch")
    scene.bundle.refs["refs/heads/other"] = other

    check = evidence.has_times_in_order(GIT)
    assert scene.verdict(check, commit_sha=scene.work) is PASSED
    assert scene.verdict(check, commit_sha=other) is PASSED  # another check tells


def test_a_commit_that_is_older_than_what_it_builds_on_is_reported(scene: Scene) -> None:
    scene.work = scene.commit([scene.begun], -2, SAID)
    scene.bundle.refs[REF] = scene.work
    finding = scene.finding(evidence.has_times_in_order(GIT), commit_sha=scene.work)

    assert output(finding) == (
        "$.commit_sha",
        f"commit {scene.work[:10]} is dated before its parent {scene.begun[:10]}",
        "2026-01-01 12:00:00 UTC or later",
        "2026-01-01 10:00:00 UTC",
    )


def test_a_commit_that_was_written_after_it_was_made_is_reported(scene: Scene) -> None:
    scene.work = scene.commit([scene.begun], 2, SAID, author=200_000_000)
    scene.bundle.refs[REF] = scene.work
    finding = scene.finding(evidence.has_times_in_order(GIT), commit_sha=scene.work)

    assert output(finding)[1:] == (
        f"commit {scene.work[:10]} has an author date after its commit date",
        "2026-01-01 14:00:00 UTC or earlier",
        f"{NOON + 200_000_002 * HOUR} seconds after 1970",
    )


DIFF = "git -c core.quotePath=off diff --no-renames --name-only"
WORKER = ArtifactRef("worker-result.json")
CHECK = names_the_changed_files(WORKER, "files_changed", GIT)
BEFORE = {"README.md": b"# It\n", "src/app.py": b"x = 1\n"}


@pytest.fixture
def verdict(
    toy_exercise: Callable[..., Exercise], git_result: dict[str, Any], worker_result: dict[str, Any]
) -> Callable[..., Verdict]:
    """Return what grades the files listed by a worker against those of a commit."""

    def of(
        listed: list[str],
        after: Mapping[str, bytes] | bytes,
        target: str = ".",
        check: Any = CHECK,
        result: Mapping[str, Any] | None = None,
    ) -> Verdict:
        made = Bundle()
        begun = made.commit(made.tree(BEFORE), [], Stamp(1, 1), "chore: begin")
        tree = made.add("tree", after) if isinstance(after, bytes) else made.tree(after)
        work = made.commit(tree, [begun], Stamp(2, 2), "feat: add it")
        made.refs = {"refs/heads/main": begun, f"refs/heads/{BRANCH}": work}
        folder = ".pipeline/ISSUE-7" if target == "." else f"{target}/.pipeline/ISSUE-7"
        documents = {
            "git-result.json": {**git_result, "commit_sha": work, **(result or {})},
            "worker-result.json": {**worker_result, "files_changed": listed},
        }
        files = {f"{folder}/{name}": json.dumps(each).encode() for name, each in documents.items()}
        files[".pipeline/history.bundle"] = made.data()
        exercise = toy_exercise(target=target)
        found: Verdict = check(Context(exercise, Overlay("m", files), None, no_version))
        return found

    return of


def all_told(verdict: Verdict) -> list[tuple[str, str, str, str]]:
    assert verdict.outcome is Outcome.FAIL
    return [(each.path, each.message, each.expected, each.found) for each in verdict.findings]


def test_the_files_that_git_says_were_changed_pass_in_any_order(
    verdict: Callable[..., Verdict],
) -> None:
    after = {"src/app.py": b"x = 2\n", "src/health.py": b"y\n"}  # README.md is removed

    assert verdict(["src/health.py", "src/app.py", "README.md"], after) is PASSED


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        (["README.md", "src"], "this is a submodule, not a file"),
        (["README.md", "src/a.py", "src/b.py"], "this is in a submodule"),
    ],
)
def test_m7_a_submodule_is_one_finding_with_its_way_out(
    listed: list[str], message: str, verdict: Callable[..., Verdict]
) -> None:
    (found,) = verdict(listed, b"160000 src\0" + b"1" * 20).findings

    assert (found.path, found.message) == ("$.files_changed[1]", message)
    assert found.action == (
        "Move the .git of src out of the project (mv src/.git ../inner.git), run git rm --cached"
        " src and git add src, commit, and publish again."
    )


@pytest.mark.parametrize(
    ("listed", "message", "right"),
    [
        (
            [" M src/app.py", "?? src/b.py"],
            "these are lines of `git status`, not paths",
            "src/app.py",
        ),
        (
            ["modified:   src/app.py", "src/b.py"],
            "these are lines of `git status`, not paths",
            "src/app.py",
        ),
        (["app.py", "b.py"], 'the paths lack "src/" at the beginning', "src/app.py"),
        (
            ["course/src/app.py", "course/src/b.py"],
            'the paths have "course/" at the beginning',
            "src/app.py",
        ),
        (["M app.py", "A b.py"], 'the paths lack "src/" at the beginning', "src/app.py"),
    ],
)
def test_m7_paths_that_are_all_written_in_another_way_are_one_finding(
    listed: list[str], message: str, right: str, verdict: Callable[..., Verdict]
) -> None:
    after = {**BEFORE, "src/app.py": b"x = 2\n", "src/b.py": b"y\n"}
    (found,) = verdict(listed, after).findings

    assert (found.path, found.message) == ("$.files_changed[0]", message)
    assert found.action == f'Write each path as git has it, such as "{right}".'


HOLLOW = "no listed file gets content: there are only empty files, links, deletions or modes"
BLANK = {
    "src/a.py": b"",
    "src/b.py": b"\0",
    "src/c.py": b" \r\n\t",
    "src/d.py": "\u200b\ufeff".encode(),
}


def test_t1_t12_work_in_which_no_listed_file_gets_content_is_refused(
    verdict: Callable[..., Verdict],
) -> None:
    removed = verdict(["README.md", "src/app.py"], {"other.py": b"1\n"})
    blank = verdict(list(BLANK), {**BEFORE, **BLANK})
    empty = verdict(["src/app.py"], BEFORE)
    beside = verdict(
        ["README.md", *BLANK], {"src/app.py": b"x = 1\n", "README.md": b"new\n", **BLANK}
    )
    gone = verdict(["README.md"], {"src/app.py": b"x = 1\n"})

    assert removed.outcome is Outcome.FAIL
    assert [[f.message for f in each.findings] for each in (blank, gone)] == [[HOLLOW], [HOLLOW]]
    assert [f.message for f in empty.findings] == ["the work changes no file"]
    assert beside is PASSED


def test_t1_a_file_that_git_does_not_have_is_refused(scene: Scene) -> None:
    scene.tree = scene.bundle.tree({"src/app.py": b"x = 1\n", "src/b.py": b"made up"})
    scene.work = scene.commit([scene.begun], 2, SAID)
    scene.bundle.refs[REF] = scene.work
    (blob,) = [name for name, (_, data) in scene.bundle.objects.items() if data == b"made up"]
    check = names_the_changed_files(GIT, "files", GIT)
    whole = scene.verdict(check, commit_sha=scene.work, files=["src/b.py"])
    del scene.bundle.objects[blob]

    assert whole is PASSED
    assert output(scene.finding(check, commit_sha=scene.work, files=["src/b.py"]))[1] == (
        "git has the names of listed files, but not the files"
    )


def test_t1_links_are_no_content(verdict: Callable[..., Verdict]) -> None:
    link, name = b"120000 a.py\0", hashlib.sha1(b"blob 6\0x = 1\n").digest()  # noqa: S324  # git's
    found = verdict(["README.md", "src/app.py", "a.py"], link + name)

    assert [finding.message for finding in found.findings] == [HOLLOW]


@pytest.mark.parametrize("mode", [b"100644", b"100755"])
def test_t1_a_commit_that_changes_no_content_is_refused_where_git_cannot_tell_the_rest(
    mode: bytes, scene: Scene
) -> None:
    (file,) = (name for name, (_, data) in scene.bundle.objects.items() if data == b"x = 1\n")
    others, both = (
        scene.bundle.add("tree", b"".join(bit + bytes.fromhex(file) for bit in bits))
        for bits in ((b"100644 a\0", b"100644 b\0"), (mode + b" a\0", mode + b" b\0"))
    )
    scene.tree = others
    before = scene.commit([scene.begun], 1, "feat: of others")
    scene.tree = both
    work = scene.commit([before], 2, SAID)
    scene.bundle.refs = {MAIN: work, REF: work}
    check = names_the_changed_files(GIT, "files", GIT)

    assert output(scene.finding(check, commit_sha=work, files=["a", "b", "src/app.py"]))[1:] == (
        ("the work changes no file", 'git: "a", "b", "src/app.py"', "git: no file")
        if mode == b"100644"
        else ("git shows no change to this file", 'git: "a", "b"', '"src/app.py"')
    )


def test_work_that_is_the_first_commit_of_all_is_not_said_to_change_nothing(scene: Scene) -> None:
    work = scene.commit([], 2, SAID)
    scene.bundle.refs = {REF: work}
    check = names_the_changed_files(GIT, "files", GIT)
    found = scene.finding(check, commit_sha=work, files=["src/app.py"])

    assert output(found)[1:] == (
        "the work is in the first commit, so git cannot show what it changes",
        "a commit of the project before the work",
        f"{work[:10]}, which has no parent",
    )
    assert found.action.startswith("Commit the project as it was before the work")


def test_t1_work_that_shares_no_commit_with_main_is_refused(scene: Scene) -> None:
    check, begun = evidence.lies_on_its_branch(GIT), scene.commit([], 2, SAID)
    merged = scene.commit([begun, scene.main], 3, "chore: take main in")
    for refs in ({MAIN: scene.main, REF: begun}, {MAIN: begun}, {MAIN: scene.main, REF: merged}):
        scene.bundle.refs = refs
        finding = scene.finding(check, commit_sha=begun)

        assert output(finding)[1:] == (
            'the work does not begin at a commit of "main"',
            'a branch that was created from "main"',
            begun[:10],
        )


def test_t1_no_number_of_commits_switches_the_check_off(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = {"src/app.py": b"x = 1\n", "src/kept.py": b"1\n"}
    for number in range(40):
        scene.tree = scene.bundle.tree({**kept, f"other/{number}.py": b"1\n"})
        scene.main = scene.commit([scene.main], number, "docs: more")
    before, scene.tree = scene.tree, scene.bundle.tree({**kept, "src/app.py": b"x = 2\n"})
    full = scene.commit([scene.main], 50, SAID)
    scene.tree = before
    empty = scene.commit([scene.main], 50, SAID)
    check = names_the_changed_files(GIT, "files", GIT)
    files = ["src/app.py", "other/39.py"]
    outcomes = []
    for limit, work in product((10, 10_000), (full, empty)):
        monkeypatch.setattr("verify.submissions.history.history.MAX_COMMITS", limit)
        scene.bundle.refs = {MAIN: work}
        outcomes.append(scene.verdict(check, commit_sha=work, files=files).outcome)

    assert outcomes == [Outcome.NOT_CHECKED, Outcome.FAIL] * 2


@pytest.mark.parametrize("later", [{"src/b.py": b"y\n"}, {"src/a.py": b"2\n"}])
def test_t1_t4_an_earlier_commit_is_not_the_whole_work_but_may_be_fixed_later(
    later: dict[str, bytes], scene: Scene
) -> None:
    kept = {"src/app.py": b"x = 1\n", "src/a.py": b"1\n"}
    scene.tree = scene.bundle.tree(kept)
    first = scene.commit([scene.begun], 2, SAID)
    scene.tree = scene.bundle.tree({**kept, **later})
    last = scene.commit([first], 3, "feat: the rest")
    scene.bundle.refs[REF] = last

    check = evidence.lies_on_its_branch(GIT)
    if later.keys() <= kept.keys():
        assert scene.verdict(check, commit_sha=first) == PASSED
        return
    assert output(scene.finding(check, commit_sha=first)) == (
        "$.commit_sha",
        f'only later commits of the branch change "{next(iter(later))}"',
        f"the last commit of the work ({last[:10]})",
        first[:10],
    )


def test_t8_a_squash_with_the_same_tree_is_the_work(scene: Scene) -> None:
    scene.tree = scene.bundle.tree({"src/app.py": b"x = 2\n"})
    work = scene.commit([scene.begun], 2, SAID)
    squash = scene.commit([scene.begun], 3, "feat: squashed (#7)")
    check = evidence.lies_on_its_branch(GIT)
    scene.bundle.refs = {MAIN: squash, "refs/recorded/x": work}
    gone = scene.verdict(check, commit_sha=work)
    scene.bundle.refs = {MAIN: squash, REF: work}
    claimed = scene.verdict(check, commit_sha=squash)
    scene.bundle.refs = {MAIN: scene.main, "refs/recorded/x": work}

    assert (gone, claimed) == (PASSED, PASSED)
    assert output(scene.finding(check, commit_sha=work))[1] == (
        "git has no such branch, and the commit was not merged"
    )


def test_t8_a_commit_that_git_lost_is_not_checked_if_it_was_replaced(scene: Scene) -> None:
    scene.work = scene.commit([scene.begun], 3, SAID, author=-1)
    lost = {"commit_sha": "f" * 40}
    check = evidence.names_a_commit(GIT)
    scene.bundle.refs[REF] = scene.work
    amended = scene.verdict(check, **lost)
    original = scene.commit([scene.begun], 3, SAID)
    scene.bundle.refs[REF] = original
    never = scene.verdict(check, **lost)

    assert (amended.outcome, never.outcome) == (Outcome.NOT_CHECKED, Outcome.FAIL)
    assert amended.findings[0].message == (
        f"git has no commit with this hash, but {scene.work[:10]} has its message: the commit may"
        " have been amended, rebased or squashed"
    )


def test_a_file_too_many_and_one_too_few_are_reported(verdict: Callable[..., Verdict]) -> None:
    after = {**BEFORE, "src/app.py": b"x = 2\n", "src/health.py": b"y\n"}
    found = verdict(["src/app.py", "src/other.py"], after)

    assert all_told(found) == [
        (
            "$.files_changed",
            "git shows a change to a file that is not listed",
            'git: "src/health.py"',
            '"src/app.py", "src/other.py"',
        ),
        (
            "$.files_changed[1]",
            "git shows no change to this file",
            'git: "src/app.py", "src/health.py"',
            '"src/other.py"',
        ),
    ]
    (action,) = {finding.action for finding in found.findings}
    assert action.startswith(
        "Compare the list with what `git -c core.quotePath=off diff --no-renames --name-only "
    )
    assert action.endswith(
        "` prints. If the work is complete, have the agent that wrote this artifact write it again;"
        " if not, commit the rest and publish again."
    )


def test_work_without_a_parent_is_compared_with_the_empty_tree(
    toy_exercise: Callable[..., Exercise], git_result: dict[str, Any], worker_result: dict[str, Any]
) -> None:
    made = Bundle()
    main, work = (
        made.commit(made.tree(BEFORE), [], Stamp(second, second), "feat: add it")
        for second in (1, 2)
    )
    made.refs = {"refs/heads/main": main, f"refs/heads/{BRANCH}": work}
    documents = {
        FILE: {**git_result, "commit_sha": work},
        FILE.replace("git", "worker"): {**worker_result, "files_changed": ["src/other.py"]},
    }
    files = {path: json.dumps(each).encode() for path, each in documents.items()}
    files[".pipeline/history.bundle"] = made.data()
    found: Verdict = CHECK(Context(toy_exercise(), Overlay("m", files), None, no_version))
    empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

    assert (
        f"`git -c core.quotePath=off diff --no-renames --name-only {empty} {work[:10]}` prints"
        in found.findings[0].action
    )


@pytest.mark.parametrize(
    ("listed", "after", "target"),
    [
        ("src/app.py", {"src/app.py": b"x = 2\n", ".pipeline/ISSUE-7/plan.json": b"{}"}, "."),
        (
            "src/a.py",
            {"service/src/a.py": b"a\n", "service/.pipeline/ISSUE-7/plan.json": b"{}"},
            "service",
        ),
        ("src/cafe\u0301.py", {"src/caf\u00e9.py": b"a\n"}, "."),
    ],
    ids=["beside artifacts", "of the target project", "in another form of Unicode"],
)
def test_changed_files_are_recognised(
    verdict: Callable[..., Verdict], listed: str, after: dict[str, bytes], target: str
) -> None:
    assert verdict([listed], {**BEFORE, **after}, target) is PASSED


def test_a_change_outside_the_target_project_is_reported(verdict: Callable[..., Verdict]) -> None:
    after = {**BEFORE, "service/src/a.py": b"a\n", "other/b.py": b"b\n"}

    assert all_told(verdict(["src/a.py"], after, "service"))[0][2] == 'git: "other/b.py"'


def test_m7_very_many_differences_are_one_finding(verdict: Callable[..., Verdict]) -> None:
    after = {**BEFORE, **{f"src/{n:03}.py": b"x\n" for n in range(400)}}
    found = verdict(["src/000.py"], after)

    assert [(each.message, each.expected) for each in found.findings] == [
        (
            "git shows changes to 399 files that are not listed",
            'git: "src/001.py", "src/002.py", "src/003.py", "src/004.py" and 395 more',
        )
    ]


def test_m7_files_that_git_add_all_has_added_are_one_finding_with_their_folder(
    verdict: Callable[..., Verdict],
) -> None:
    made = {f"web/node_modules/it's/{n}.js": b"x\n" for n in range(60)}
    after = {**BEFORE, "src/app.py": b"x = 2\n", ".pipeline/ISSUE-7/plan.json": b"{}", **made}
    after["web/.pipeline/ISSUE-1/plan.json"] = b"{}"
    (found,) = verdict(["src/app.py"], after).findings
    (changed,) = verdict(["src/app.py"], {"README.md": b"y", "src/app.py": b"x = 2\n"}).findings

    assert found.message == (
        'git shows changes to 60 files that are not listed, all in "web/node_modules/it\'s/"'
    )
    assert found.action.startswith(
        "If these are not files of the work, take them out of the commit (git rm -r --cached"
        " 'web/node_modules/it'\"'\"'s/'; git commit --amend), and publish again. Compare the list"
    )
    assert changed.action.startswith("Compare the list")  # what was there before is not removed


def test_m7_what_is_wrong_with_both_lists_is_said_once(
    verdict: Callable[..., Verdict],
) -> None:
    check = names_the_changed_files(WORKER, "files_changed", GIT, WORKER)
    (found,) = verdict(["README.md"], {**BEFORE, "src/app.py": b"x = 2\n"}, check=check).findings

    assert (found.message, found.action) == (
        "this is the list in files_changed, which differs from what git shows",
        "Fix files_changed first.",
    )


def test_a_hostile_name_in_git_is_shown_harmless_and_no_name_as_none(
    verdict: Callable[..., Verdict],
) -> None:
    after = {**BEFORE, "src/\x1b[2J\u202e.py": b"x\n"}

    assert all_told(verdict([], after))[0][2] == 'git: "src/\\u001b[2J\\u202e.py"'
    assert all_told(verdict(["src/app.py"], BEFORE)) == [
        ("$.files_changed", "the work changes no file", 'git: "src/app.py"', "git: no file")
    ]


def test_an_artifact_in_the_commit_is_reported(verdict: Callable[..., Verdict]) -> None:
    check = leaves_artifacts_out(GIT, (GIT, WORKER))
    path = ".pipeline/ISSUE-7/git-result.json"
    another = verdict([], {**BEFORE, ".pipeline/ISSUE-8/git-result.json": b"{}"}, check=check)
    (finding,) = verdict([], {**BEFORE, path: b"{}"}, check=check).findings
    message = f'the commit of the work contains "{path}"'
    expected = "only the files of the work"

    assert another is PASSED
    assert finding == Finding(message, expected, finding.found, path, action=finding.action)
    assert finding.action.startswith(f"Run git rm --cached {path}, and then git commit --amend.")


class Damaged(Overlay):
    """A submission whose history cannot be read."""

    def history(self) -> History | None:
        raise Unreadable(DENIED, ".git cannot be read: it is \x1b[2Jdamaged")


class Huge(Overlay):
    """A submission whose history has too many commits."""

    def history(self) -> History | None:
        raise BeyondLimits("it has more than 10,000 commits")


def never(_: Context, _artifact: Artifact, _history: History) -> Verdict:
    raise AssertionError("nothing can be asked")


def context(submission: Overlay, toy: Callable[..., Exercise]) -> Context:
    return Context(toy(), submission, None, no_version)


def test_a_history_that_cannot_be_read_says_why_on_one_line(
    toy_exercise: Callable[..., Exercise],
) -> None:
    assert with_history(never)(GIT)(context(Damaged("memory", {}), toy_exercise)) == failed(
        Finding(
            "the git history cannot be read",
            found=".git cannot be read: it is \\u{1b}[2Jdamaged",
            action="In the clone, run git bundle create .pipeline/history.bundle --all. Then the"
            " bundle is read.",
        )
    )


def test_a_history_beyond_the_limits_needs_a_smaller_bundle(
    toy_exercise: Callable[..., Exercise],
) -> None:
    verdict = with_history(never)(GIT)(context(Huge("memory", {}), toy_exercise))

    assert verdict == not_checked(
        "cannot be read within the limits: it has more than 10,000 commits. Submit a bundle of the"
        " branch and the default branch only."
    )


def test_a_submission_without_a_history_is_asked_for_one(
    toy_exercise: Callable[..., Exercise],
) -> None:
    assert with_history(never)(GIT)(context(Overlay("memory", {}), toy_exercise)) == failed(
        Finding(
            "the submission has no git history",
            "a .git folder, or a bundle at .pipeline/history.bundle",
            action="In your clone, run git bundle create .pipeline/history.bundle --all, and submit"
            " that file, too.",
        )
    )


def test_what_fails_to_be_read_while_it_is_asked_is_reported_as_well(
    toy_exercise: Callable[..., Exercise],
) -> None:
    class There(Overlay):
        def history(self) -> History | None:
            return object()  # type: ignore[return-value]  # the question fails before it is used

    def lacking(_: Context, _artifact: Artifact, _history: History) -> Verdict:
        raise Unreadable(DENIED, "has a hole")

    def fine(_: Context, _artifact: Artifact, _history: History) -> Verdict:
        return PASSED

    submission = context(There("memory", {}), toy_exercise)

    assert with_history(lacking)(GIT)(submission).findings[0].found == "has a hole"
    assert with_history(fine)(GIT)(submission) is PASSED
