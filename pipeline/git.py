"""The user's own repository, by the user's own git: no other repository, no force."""

from __future__ import annotations

import os
import re
import subprocess
import time
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pipeline.files import is_inside
from pipeline.protocol.layout import from_target
from pipeline.terminal.display import visible
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SECONDS = 600  # hooks may run a project's tests; a prompt for a password never comes
_GRACE = 5.0  # seconds in which git removes its locks after the request to end
_WITH_HOOKS = {"commit", "push", "switch"}  # commands that can start the user's programs
_PATIENCE, _PAUSE = 5.0, 0.1  # seconds that another git may hold the index, and between two tries
_LOCKED = "index.lock': File exists"
# The remote closed the connection early: git then dies without a message, whether it worked or not.
_BROKEN_PIPE = -13
_CREDENTIALS = re.compile(r"(?<=://)[^/\s]*@")
_STATUS = (
    *("status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--no-renames"),
    # In a submodule git would ask that repository, whose settings an agent may have written.
    *("--ignored=matching", "--ignore-submodules=dirty"),
)
_ALONE = [  # the repository without its submodules, for the same reason
    *("-c", "submodule.recurse=false", "-c", "push.recurseSubmodules=no"),
    *("-c", "fetch.recurseSubmodules=no"),
]
_FIELDS = {"1": 8, "u": 10}  # of a changed and an unmerged entry of `_STATUS`, before the path

# A run that begins inside a hook inherits these of that hook's repository (git-rev-parse(1),
# --local-env-vars, and githooks(5)); settings such as GIT_CONFIG_COUNT are the user's and stay.
# The last five change what an answer or a path means.
_LEFT_OUT = {
    *("GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_DIR", "GIT_GRAFT_FILE"),
    *("GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NAMESPACE"),
    *("GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_QUARANTINE_PATH", "GIT_REFLOG_ACTION"),
    *("GIT_SHALLOW_FILE", "GIT_WORK_TREE", "GIT_DIFF_OPTS", "GIT_EXTERNAL_DIFF"),
    *("GIT_GLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_NOGLOB_PATHSPECS"),
}
OURS = {
    "GIT_EDITOR": ":",
    "GIT_NO_REPLACE_OBJECTS": "1",  # what is compared and committed is what will be pushed
    "GIT_LITERAL_PATHSPECS": "1",  # a file may be named `*` or `:(glob)**`
    "GIT_OPTIONAL_LOCKS": "0",  # a question takes no lock from the user's own git
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the variables that git runs with: this process's, cleaned, and `more` on top."""
    kept = {name: value for name, value in os.environ.items() if name not in _LEFT_OUT}
    return {**kept, **OURS, **(more or {})}


class GitFault(Fault):
    """git failed or is missing; `printed` is what git and the hooks printed."""

    def __init__(self, message: str, printed: str = "") -> None:
        super().__init__(message)
        self.printed = printed


class Status(NamedTuple):
    """What is checked out, and what differs from it.

    Paths are relative to the repository's root, with `/`; bytes that are not UTF-8 are surrogates.
    """

    branch: str  #: empty when detached
    sha: str  #: the commit, empty without one yet
    #: the state of each path that is not as committed: two letters, index and work tree; `??` is
    #: untracked, `.` is as is
    changes: dict[str, str]
    #: the files that git ignores, and folders, with a `/` at the end, if a rule is about the folder
    ignored: tuple[str, ...] = ()


class Repository:
    """A work tree by its absolute root; hooks, signing, identity and filters are the user's.

    `mark` are variables of the commands that run hooks, by which these are recognised later. Where
    `hooks` is false git runs no hook, but those of a push that lie outside the work tree.
    """

    def __init__(
        self, root: str, mark: Mapping[str, str] | None = None, *, hooks: bool = True
    ) -> None:
        self.root = root
        self._mark, self._hooks = dict(mark or {}), hooks

    @staticmethod
    def toplevel(path: str) -> str:
        """Return the absolute root of the work tree that a folder is in, links resolved."""
        return Repository(path).run("rev-parse", "--show-toplevel").removesuffix("\n")

    @cached_property
    def _path(self) -> str:
        """Where programs are found: not in the work tree, in which agents may write them."""
        root = os.path.realpath(self.root)
        folders = filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep))
        outside = (path for path in folders if not is_inside(os.path.realpath(path), root))
        return os.pathsep.join(outside)

    @cached_property
    def git_folder(self) -> str:
        """The absolute path of the work tree's git folder."""
        return self.run("rev-parse", "--absolute-git-dir").removesuffix("\n")

    @cached_property
    def hooks_folder(self) -> str:
        """The absolute path of the hooks' folder, which may be missing."""
        name = self.run("rev-parse", "--git-path", "hooks").removesuffix("\n")
        return os.path.normpath(os.path.join(self.root, name))

    @cached_property
    def has_hooks_inside(self) -> bool:
        """Whether the hooks are files of the work tree."""
        paths = (self.hooks_folder, self.root, self.git_folder)
        hooks, root, git = map(os.path.realpath, paths)
        return is_inside(hooks, root) and not is_inside(hooks, git)

    def _without_hooks(self, command: str) -> tuple[str, ...]:
        """Return the words that keep git from running the hooks of a command."""
        is_asked = command == "rev-parse"  # which answers where they are
        is_users = command == "push" and (self._hooks or not self.has_hooks_inside)
        return () if self._hooks or is_asked or is_users else ("-c", "core.hooksPath=/dev/null")

    def run(self, *words: str, text: str = "", more: Mapping[str, str] | None = None) -> str:
        """Run git in the work tree and return what it printed; raises `GitFault` if it failed.

        `text` is its standard input, `more` is added to its environment. Paths after `--` are
        literal. Where another git holds the index, wait for up to 5 seconds.
        """
        return self._patient(words[0], words, text, more).stdout

    def entries(self, *words: str) -> list[str]:
        """Run git with its option `-z`, and return what it printed, but no empty entry."""
        return [entry for entry in self.run(*words).split("\0") if entry]

    def attempt(
        self, *words: str, text: str = "", more: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run git as `run` does, without waiting, and return the result, also of a failure.

        Where the run is interrupted, git gets the time to remove its locks.
        """
        mark = self._mark if words[0] in _WITH_HOOKS else {}
        command, without = words[0], (*_ALONE, *self._without_hooks(words[0]))
        words = ("git", "-C", self.root, *without, *words)
        try:
            process = subprocess.Popen(  # noqa: S603  # git itself, without a shell, from PATH
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="surrogateescape",
                env=environment({"PATH": self._path, **mark, **(more or {})}),
            )
        except FileNotFoundError:
            raise GitFault("git is not on PATH: install it (https://git-scm.com)") from None
        with process:
            try:
                printed = process.communicate(text, timeout=SECONDS)
            except BaseException as error:
                _end(process)
                if not isinstance(error, subprocess.TimeoutExpired):
                    raise
                late = f"git {command} did not finish within {SECONDS} seconds"
                raise GitFault(late) from None
        return subprocess.CompletedProcess(words, process.returncode, *printed)

    def _patient(
        self, command: str, words: Sequence[str], text: str, more: Mapping[str, str] | None
    ) -> subprocess.CompletedProcess[str]:
        end = time.monotonic() + _PATIENCE
        while (done := self.attempt(*words, text=text, more=more)).returncode:
            is_brief = _LOCKED in done.stderr or done.returncode == _BROKEN_PIPE
            if not is_brief or time.monotonic() >= end:
                raise _failed(command, done)
            time.sleep(_PAUSE)
        return done

    def commit(self, name: str) -> str:
        """Return the full hash of the commit that a name means, empty where there is none."""
        words = ("rev-parse", "--quiet", "--verify", "--end-of-options", f"{name}^{{commit}}")
        return self.attempt(*words).stdout.strip()

    def has(self, ancestor: str, commit: str) -> bool:
        """Return whether a commit has another in its history; False if the other is not here."""
        words = ("merge-base", "--is-ancestor", ancestor, commit)
        return ancestor == commit or self.attempt(*words).returncode == 0

    def setting(self, name: str) -> str:
        """Return the last value of a setting, empty where it has none."""
        return self.attempt("config", "--get", name).stdout.strip()

    def status(self) -> Status:
        """Return what is checked out, and how the work tree and the index differ from it."""
        return _status_of(self.run(*_STATUS))

    def submodules(self, target: str) -> list[str]:
        """Return the folders of a target project that are repositories of their own, from it."""
        entries = self.entries("ls-files", "--stage", "-z", "--", target)
        paths = (entry.partition("\t")[2] for entry in entries if entry.startswith("160000 "))
        return from_target(target, paths)

    def identity(self) -> str:
        """Return whose commit it would be, `NAME <ADDRESS>`; empty where git does not know.

        As in `git commit`, variables of the environment count, what git guesses does not.
        """
        found = [self.attempt("var", f"GIT_{who}_IDENT") for who in ("AUTHOR", "COMMITTER")]
        if any(done.returncode for done in found):
            return ""
        return found[0].stdout.rpartition(">")[0] + ">"

    def push(self, remote: str, *refspecs: str, options: Sequence[str] = ()) -> str:
        """Push full references without force; return what the remote said, which is on stderr.

        `remote` is a name or an address; `options` are for `--push-option`, one line each.
        """
        given = [f"--push-option={option}" for option in options]
        words = ("push", "--porcelain", *given, "--", remote, *refspecs)
        return self._patient(f"push to {visible(remote)}", words, "", None).stderr


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    process.kill()


def without_credentials(text: str) -> str:
    """Return `text` without the user and password of any address in it."""
    return _CREDENTIALS.sub("", text)


def _failed(command: str, done: subprocess.CompletedProcess[str]) -> GitFault:
    """Return the fault of a command, with the last lines that git and the hooks printed."""
    lines = [line.strip() for line in f"{done.stdout}\n{done.stderr}".splitlines() if line.strip()]
    printed = visible(without_credentials(" | ".join(lines[-12:])), 600)
    if _LOCKED in done.stderr:
        advice = "if no other git process is running, delete the lock file and try again"
        printed = f"the index is locked: {advice} ({printed})"
    return GitFault(f"git {command} failed: {printed or f'exit code {done.returncode}'}", printed)


def _status_of(printed: str) -> Status:
    """Return what git has printed for `_STATUS` (git-status(1), porcelain format version 2)."""
    branch = sha = ""
    changes: dict[str, str] = {}
    ignored = []
    for entry in printed.split("\0"):
        kind = entry[:1]
        if kind in _FIELDS:
            words = entry.split(" ", _FIELDS[kind])
            changes[words[-1]] = words[1]
        elif kind == "!":
            ignored.append(entry[2:])
        elif kind == "?":
            changes.setdefault(entry[2:], "??")  # beside `D.`: deleted in the index only
        elif entry.startswith("# branch.head ") and entry != "# branch.head (detached)":
            branch = entry[len("# branch.head ") :]
        elif entry.startswith("# branch.oid ") and entry != "# branch.oid (initial)":
            sha = entry[len("# branch.oid ") :]
    return Status(branch, sha, changes, tuple(ignored))
