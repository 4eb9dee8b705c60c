"""Makes the git histories of the fixtures, and the hashes in the results that go with them."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, NamedTuple

from pipeline.bootstrap import ROOT
from tools.bundles import Bundle, Stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FIXTURES = "fixtures/submissions"
BUNDLE = ".pipeline/history.bundle"
_BEGUN = 1_767_258_000  # 2026-01-01 09:00:00 UTC
_HOUR, _DAY = 3_600, 86_400
_SHA = re.compile(r'("commit_sha": ")([0-9a-f]{7,40})"')
_BRANCH = re.compile(r'"branch": "(feature/[a-z0-9-]+)"')


class Course(NamedTuple):
    """An exercise whose fixtures have histories, its issue, and the history of each fixture."""

    folder: str
    issue: str
    histories: dict[str, str]


_TRACE = {
    "solved": "plain",
    "broken-commit-elsewhere": "elsewhere",
    "broken-commit-unknown": "unknown",
    "broken-other-files": "other files",
}
_PLAIN = (
    *("agreement", "blocked", "blockers", "criterion-unmapped", "files-and-steps", "git-schema"),
    *("json", "markers", "no-issue-in-branch", "no-markers", "no-plan", "plan-schema"),
    *("worker-schema", "wrong-root"),
)
COURSES = (
    Course("foundation/04-trace", "ISSUE-102", _TRACE),
    Course("practitioner/04-trace", "ISSUE-202", _TRACE),
    Course(
        "expert/04-evidence",
        "ISSUE-305",
        {
            **_TRACE,
            "solved-forwarded": "forwarded",
            "solved-merged": "merged",
            "broken-odd-history": "odd",
            **{f"broken-{name}": "plain" for name in _PLAIN},
        },
    ),
)


def history(course: Course, name: str, variant: str) -> tuple[Bundle, str]:
    """Return the history for a fixture, and the commit of its work."""
    solved = _files(course, "solved")
    paths: list[str] = json.loads(solved["worker-result.json"])["files_changed"]
    branch = f"refs/heads/{_branch(course, name)}"
    message = json.loads(solved["git-result.json"])["commit_message"]
    made = Bundle()
    before = {"README.md": b"# A project\n", paths[0]: _text(paths[0], "as it was")}
    after = {**before, **{path: _text(path, "as the issue asks") for path in paths}}
    begun = made.commit(made.tree(before), [], _at(0), "chore: begin")
    if variant == "other files":
        after = {**after, "README.md": b"# A project with news\n"}
        del after[paths[-1]]
    if variant == "odd":
        after |= {f".pipeline/{course.issue}/{name}": text for name, text in solved.items()}
    stamp = Stamp(_at(2).authored, _at(-24).committed) if variant == "odd" else _at(2)
    header = message.replace("feat: ", "feat: try to ") if variant == "elsewhere" else message
    work = made.commit(made.tree(after), [begun], stamp, f"{header}\n\nRefs: {course.issue}")
    if variant == "forwarded":
        made.refs = {"refs/heads/main": work, branch: work}
        return made, work
    aside = {**before, "LICENSE": b"To be chosen\n"}
    main = made.commit(made.tree(aside), [begun], _at(1), "docs: say that a licence is missing")
    made.refs = {"refs/heads/main": main, branch: work}
    _set_refs(made, variant, branch, {"begun": begun, "work": work, "main": main, **after})
    return made, work


def _set_refs(made: Bundle, variant: str, branch: str, parts: dict[str, str | bytes]) -> None:
    """Give a history the refs of a variant."""
    names = {key: str(parts[key]) for key in ("begun", "work", "main")}
    if variant == "elsewhere":
        made.refs |= {branch: names["begun"], "refs/heads/feature/another-try": names["work"]}
    elif variant == "unknown":
        del made.objects[names["work"]]
        made.refs[branch] = names["begun"]
    elif variant == "merged":
        files = {k: v for k, v in parts.items() if isinstance(v, bytes)}
        tree = made.tree({**files, "LICENSE": b"To be chosen\n"})
        subject = f"Merge pull request #305 from {branch.removeprefix('refs/heads/')}"
        made.refs = {
            "refs/heads/main": made.commit(tree, [names["main"], names["work"]], _at(5), subject)
        }


def _branch(course: Course, name: str) -> str:
    """Return the branch that a fixture's result names, that of the solution if it names none."""
    texts = (
        _files(course, submission).get("git-result.json", b"") for submission in (name, "solved")
    )
    found = (_BRANCH.search(text.decode()) for text in texts)
    return next(match[1] for match in found if match)


def _at(hours: int) -> Stamp:
    return Stamp(_BEGUN + hours * _HOUR, _BEGUN + hours * _HOUR)


def _text(path: str, comment: str) -> bytes:
    return f"// {path}, {comment}\n".encode()


def _files(course: Course, name: str) -> dict[str, bytes]:
    folder = os.path.join(ROOT, FIXTURES, course.folder, name, ".pipeline", course.issue)
    found = {}
    for file in sorted(os.listdir(folder)):
        with open(os.path.join(folder, file), "rb") as opened:
            found[file] = opened.read()
    return found


def histories() -> Iterator[tuple[str, bytes]]:
    """Yield the path, relative to the root, and the bytes of each file that is decided here."""
    for course in COURSES:
        for name, variant in course.histories.items():
            folder = f"{FIXTURES}/{course.folder}/{name}/.pipeline"
            made, work = history(course, name, variant)
            yield f"{folder}/history.bundle", made.data()
            result = _files(course, name).get("git-result.json")
            if result is not None:
                text = _SHA.sub(_with(work), result.decode())
                yield f"{folder}/{course.issue}/git-result.json", text.encode()


def _with(commit: str) -> Callable[[re.Match[str]], str]:
    """Return a function that replaces a commit's hash, abbreviated as the old one is."""
    return lambda match: f'{match[1]}{commit[: len(match[2])]}"'
