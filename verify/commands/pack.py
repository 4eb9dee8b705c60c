"""Writes the zip that a learner submits, and grades it first: `verify pack`."""

from __future__ import annotations

import json
import os
import re
import tempfile
import zipfile
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, Any

from pipeline.files import (
    MAX_HISTORY,
    MISSING,
    TOO_LARGE,
    Unreadable,
    read_file,
    reason_of,
    size_of,
    write_whole,
)
from pipeline.git import GitFault, Repository
from pipeline.protocol.layout import GIT_RESULT
from pipeline.terminal.display import inert, visible
from pipeline.terminal.programs import no_version
from pipeline.terminal.streams import agreed, deliver
from verify.batch.cache import AccessRecorder
from verify.commands.options import add_project, add_run, level_and_number
from verify.course import catalog
from verify.gradebook.columns import reads_of
from verify.grading.artifacts import Context
from verify.grading.runner import grade
from verify.learner.check import UsageError, command, exit_code, report_of
from verify.learner.request import GradingRequest
from verify.reporters.base import GradedRun, run_line
from verify.running.sources import sources_in
from verify.submissions.files import folder_at
from verify.submissions.history.faults import BUNDLE, GIT, SHALLOW
from verify.submissions.submission import OpenSubmission

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pipeline.terminal.arguments import Arguments
    from verify.grading.model import Exercise, Report
    from verify.submissions.submission import Submission

_EPILOG = """\
examples:
  python3 -m verify pack                 all exercises that you have begun
  python3 -m verify pack expert/04       only this one
  python3 -m verify pack --name "Ada Okafor" --output ada.zip

The zip contains the files that the exercises read, but no .env files, keys, hooks or .git.
If an exercise needs the git history, the zip also contains all commits on local and remote
branches, with every file in them.

exit codes: 0 everything in the zip passes, 1 something fails (the zip is written),
2 wrong usage or nothing to pack
"""
_MOST = 16 << 20  # bytes of all files together; the history has its own bound
_PRIVATE = re.compile(
    r"(^|/)(\.git|\.hg|\.svn|\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.husky|\.[^/]+/hooks)(/|$)"
    r"|(^|/)(\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|id_(rsa|dsa|ecdsa|ed25519))$"
    r"|(^|/)[^/]*\.env(\.(?!example$|sample$|template$)[^/]*)?$"
    r"|\.(pem|key|p12|pfx|jks|keystore|kdbx)$",
    re.IGNORECASE,
)
_BRANCHES = ("refs/heads", "refs/remotes")
_COMMIT_SHA = re.compile(rb'"commit_sha"\s*:\s*"([0-9a-fA-F]{7,40})"')
_SAFE = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_SAME = ("-c", "pack.threads=1")  # the same commits make the same bytes
_OFFLINE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}


def add_options(parser: Arguments) -> None:
    """Add the options of `verify pack`."""
    parser.epilog = _EPILOG
    parser.set_defaults(command=pack)
    exercises = "an exercise to pack (default: all that you have begun)"
    parser.add_argument(
        "exercises", metavar="LEVEL/NN", nargs="*", type=level_and_number, help=exercises
    )
    name = "the name that the instructor sees (default: git's user.name)"
    parser.add_argument("--name", metavar="NAME", help=name)
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="where to write the zip (default: submission.zip, or submission-expert-04.zip"
        " for expert/04)",
    )
    parser.add_argument(
        "--force", action="store_true", help="replace an existing file without asking"
    )
    add_project(parser)
    add_run(parser)


@command
def pack(
    *,
    project: str | None,
    exercises: Sequence[tuple[str, str]],
    name: str | None,
    output: str | None,
    force: bool,
    **run: Any,
) -> int:
    """Write the zip to submit and return the exit code."""
    output = (
        output or "-".join(["submission", *(f"{level}-{n:0>2}" for level, n in exercises)]) + ".zip"
    )
    root = GradingRequest(level="", project=project).root
    begun = _begun(root, [catalog.find(*exercise) for exercise in exercises])
    paths = set().union(*begun.values()) - {BUNDLE}
    asks_git = any(map(_asks_git, begun))
    has_git = os.path.lexists(os.path.join(root, GIT))
    files, notes = _files(root, paths | {BUNDLE} if asks_git and not has_git else paths)
    if asks_git and has_git:
        notes.append(_add_history(root, files))
    learner = _name(root, name)
    notes.append(f"name: {visible(learner or 'none (set one with --name)', 200)}")
    card = {"version": 1, "name": learner, "exercises": [exercise.name for exercise in begun]}
    files["submission.json"] = f"{json.dumps(card, indent=2, ensure_ascii=False)}\n".encode()
    data = _zipped(files)
    _refuse_other(output, data, force=force)
    reports = _graded(data, list(begun), run)
    try:
        write_whole(output, data)
    except OSError as error:
        why = f"cannot be written: {reason_of(error)}"
        raise UsageError(f"--output {visible(output, 300)} {why}") from None
    size = f"{len(files)} files, {-(-len(data) // 1024):,} KiB"
    ready = f"Ready: {visible(output, 300)} ({size}). Submit this file."
    deliver(inert("\n".join([*_lines(reports), *notes, ready]) + "\n"))
    return exit_code(GradedRun("", tuple(reports)), "")


def _begun(root: str, chosen: Sequence[Exercise]) -> dict[Exercise, set[str]]:
    """Return the exercises to pack, each with the paths of the files that it looks at."""
    found = {}
    for exercise in chosen or catalog.exercises():
        # the history is packed whole
        with OpenSubmission(folder_at(root), (), history=False) as submission:
            recorder = AccessRecorder(submission)
            issue = catalog.issue_of(exercise)
            report = grade(Context(exercise.for_cohort(), recorder, issue, no_version))
            is_there = any(map(submission.is_file, exercise.paths))
            sources = _sources(submission, exercise) if is_there else set()
        if is_there and (chosen or report.begun):
            reads = reads_of(recorder.reads)
            found[exercise] = {path for operation, path in reads if operation != "names" and path}
            found[exercise] |= sources
        elif chosen:
            raise UsageError(f"{exercise.name} has no file yet (expected {exercise.paths[0]})")
    if not found:
        raise UsageError(
            f"there is nothing to pack: you have not begun an exercise in {visible(root, 300)}"
            " (see python3 -m verify next)"
        )
    return found


def _sources(submission: Submission, exercise: Exercise) -> set[str]:
    """Return the paths of the sources of an exercise's service; raises `Unresolved`."""
    if not exercise.asks:
        return set()
    files = sources_in(submission, exercise.service).files
    return {f"{exercise.service}/{path}" for path in files}


def _asks_git(exercise: Exercise) -> bool:
    """Return whether a commit is looked for, to be compared or to be run."""
    runs_commit = exercise.asks and any(path.endswith(GIT_RESULT) for path in exercise.paths)
    return bool(runs_commit) or any(c.compares_git or c.needs_history for c in exercise.checks)


def _files(root: str, paths: set[str]) -> tuple[dict[str, bytes], list[str]]:
    """Return the files to pack, and notes on what is left out; raises `UsageError` if too large."""
    files: dict[str, bytes] = {}
    notes, left = [], _MOST
    with folder_at(root) as folder:
        for path in sorted(paths):
            try:
                data = folder.read(path, left)
                if _PRIVATE.search(path):
                    notes.append(f"left out: {visible(path, 200)} (it may contain a secret)")
                    continue
                files[path], left = data, left - len(data)
            except Unreadable as error:
                if error.reason == TOO_LARGE:
                    raise UsageError(
                        f"with {visible(path, 200)}, the files to submit are larger than"
                        f" {size_of(_MOST)} in total: make the largest file smaller"
                    ) from None
                if error.reason != MISSING or path == BUNDLE:
                    notes.append(f"left out: {visible(path, 200)} ({error})")
    return files, notes


def _add_history(root: str, files: dict[str, bytes]) -> str:
    """Add a bundle of all that a clone has, by the learner's git, and return a note on it."""
    git = Repository(root)
    try:
        refs = git.run("for-each-ref", "--format=%(objectname) %(refname)", *_BRANCHES).split("\n")
        refs = [
            *filter(None, refs),
            *(f"{sha} refs/recorded/{sha}" for sha in _recorded(git, files)),
        ]
        lacking = _lacking(git)
        # git renames the pack from among its objects, which cannot be on another disk; it also
        # removes what a kill leaves there, by this name
        objects = os.path.join(root, git.run("rev-parse", "--git-path", "objects").strip())
        with tempfile.TemporaryDirectory(prefix="tmp_objdir-pack-", dir=objects) as scratch:
            path = os.path.join(os.path.abspath(scratch), "history")
            tips = "".join(f"{ref.partition(' ')[0]}\n" for ref in refs)
            words = ("pack-objects", "-q", "--revs", "--missing=allow-any", path)
            name = git.run(*_SAFE, *_SAME, *words, text=tips, more=_OFFLINE).strip()
            pack = read_file(f"{path}-{name}.pack", MAX_HISTORY)
    except Unreadable as error:
        return f"history: left out because it {error}"
    except GitFault as fault:
        return f"history: left out because {fault}"
    except OSError as error:
        return f"history: left out because the repository cannot be written: {reason_of(error)}"
    head = ["# v2 git bundle", *(f"-{sha} not in the clone" for sha in lacking), *refs, "", ""]
    files[BUNDLE] = "\n".join(head).encode("utf-8", "surrogateescape") + pack
    return f"history: all commits on local and remote branches{f' ({SHALLOW})' if lacking else ''}"


def _recorded(git: Repository, files: Mapping[str, bytes]) -> list[str]:
    """Return the commits that git results name: no branch may have them any more."""
    texts = (data for path, data in files.items() if path.endswith(f"/{GIT_RESULT}"))
    names = {f"{name.decode()}^{{commit}}" for data in texts for name in _COMMIT_SHA.findall(data)}
    words = (*_SAFE, "rev-parse", "-q", "--verify")
    found = [git.attempt(*words, name, more=_OFFLINE) for name in names]
    return sorted({done.stdout.strip() for done in found if done.returncode == 0})


def _lacking(git: Repository) -> list[str]:
    """Return the commits before those with which a shallow clone begins."""
    path = os.path.join(git.root, git.run("rev-parse", "--git-path", "shallow").strip())
    with suppress(Unreadable):
        begun = read_file(path).decode()
        texts = git.run(*_SAFE, "cat-file", "--batch", text=begun, more=_OFFLINE)
        return sorted(set(re.findall(r"^parent ([0-9a-f]{40})$", texts, re.MULTILINE)))
    return []


def _name(root: str, option: str | None) -> str:
    """Return the learner's name, empty where git does not know one."""
    name = option or ""
    if option is None:
        with suppress(GitFault):
            name = Repository(root).run("config", "--get", "user.name")
    return " ".join(name.split())


def _zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of the files: the same work makes the same bytes."""
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path, data in sorted(files.items()):
            info = zipfile.ZipInfo(path)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system, info.external_attr = 3, 0o100644 << 16  # on Windows, too
            archive.writestr(info, data)
    return made.getvalue()


def _refuse_other(output: str, data: bytes, *, force: bool) -> None:
    """Ask before a file is replaced by another one; raises `UsageError` for no."""
    if os.path.isdir(output):
        raise UsageError(f"--output {visible(output, 300)} is a folder (expected a file)")
    if force or not os.path.lexists(output):
        return
    with suppress(OSError), open(output, "rb") as file:
        if file.read(len(data) + 1) == data:
            return
    if not agreed(f"{visible(output, 300)} already exists. Replace it?"):
        raise UsageError(
            f"{visible(output, 300)} already exists: add --force to replace it,"
            " or choose a different --output"
        )


def _graded(data: bytes, exercises: Sequence[Exercise], run: Mapping[str, Any]) -> list[Report]:
    """Return the reports on the zip, as an instructor gets them; raises `UsageError`."""
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "submission.zip")
        with open(path, "wb") as file:
            file.write(data)
        reports = [
            report_of(
                GradingRequest(level=found.level, number=str(found.number), project=path, **run)
            )
            for found in exercises
        ]
    for found in (report.unresolved for report in reports if report.unresolved):
        raise UsageError(f"the zip cannot be graded: {found.reason}. {found.step}")
    return reports


def _lines(reports: Sequence[Report]) -> Iterator[str]:
    width = max(len(report.exercise.name) for report in reports)
    for report in reports:
        state = "passed" if report.passed else "not yet"
        points = f"{report.score} of {report.points} points"
        ran = f", {run_line(report)}" if report.ran else ""
        yield f"{report.exercise.name:{width}}  {state:7}  {points}{ran}"
