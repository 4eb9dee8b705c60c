"""One repository of the user's, asked and changed by the user's own git."""

from __future__ import annotations

import subprocess
import time
from typing import TYPE_CHECKING, NamedTuple

from pipeline.git.environment import environment
from pipeline.git.status import read_status
from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SECONDS = 600  # hooks may run a project's tests; a prompt for a password never comes
_PATIENCE = 5.0  # seconds that another git may hold the index
# The remote's end left before git had said goodbye: git dies without a word, whatever came of it.
_BROKEN_PIPE = -13
_PUSHES = 3  # times that such a push is tried again; nothing is pushed twice by it
_PAUSE = 0.1
_LOCKED = "index.lock': File exists"
_BRANCHES = "refs/heads/"
_SHOWN_LINES = 12


class GitFault(Exception):
    """git refused, or is not there; the message says what it printed and what to do."""


class CommandFailed(GitFault):
    """A command ended with another code than 0: `said` is what it and the hooks printed."""

    def __init__(self, command: str, done: subprocess.CompletedProcess[str]) -> None:
        self.said = told(done)
        if _LOCKED in done.stderr:
            self.said = f"another git holds the index: {self.said}; if none runs, delete that file"
        super().__init__(f"git {command} failed: {self.said or done.returncode}")


class Head(NamedTuple):
    """What is checked out: the branch, empty when detached; the commit, empty before the first."""

    branch: str
    sha: str


class Repository:
    """A work tree by its absolute root; hooks, signing, identity and filters are the user's."""

    def __init__(self, root: str) -> None:
        self.root = root

    @staticmethod
    def toplevel(path: str) -> str:
        """Return the absolute root of the work tree that a folder stands in, links resolved.

        Raises:
            GitFault: the folder is missing, in no repository, or in a bare one.
        """
        return Repository(path).run("rev-parse", "--show-toplevel").removesuffix("\n")

    def run(self, *words: str, text: str = "", more: Mapping[str, str] | None = None) -> str:
        """Run git in the work tree and return what it printed.

        Where another git holds the index, wait for up to 5 seconds.

        Args:
            words: the command and its arguments; paths stand after `--`, taken literally.
            text: what it reads from standard input.
            more: further variables of its environment.

        Raises:
            CommandFailed: git ended with another code than 0.
            GitFault: git is not installed or did not end.
        """
        done = self._patient(words, text, more)
        if done.returncode == 0:
            return done.stdout
        raise CommandFailed(words[0], done)

    def attempt(
        self, *words: str, text: str = "", more: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run git as `run` does, without waiting, and return what came of it, whatever that is.

        Raises:
            GitFault: git is not installed or did not end.
        """
        try:
            return subprocess.run(  # noqa: S603  # git itself, its arguments are no shell's
                ["git", "-C", self.root, *words],  # noqa: S607  # the user's git, from PATH
                input=text,
                capture_output=True,
                encoding="utf-8",
                errors="surrogateescape",
                env=environment(more),
                timeout=_SECONDS,
                check=False,
            )
        except FileNotFoundError:
            raise GitFault("git is not on PATH: install it (https://git-scm.com)") from None
        except subprocess.TimeoutExpired:
            raise GitFault(f"git {words[0]} did not end within {_SECONDS} seconds") from None

    def head(self) -> Head:
        """Return what is checked out."""
        name = self.attempt("symbolic-ref", "--quiet", "HEAD").stdout.strip()
        return Head(name.removeprefix(_BRANCHES), self.commit("HEAD"))

    def commit(self, name: str) -> str:
        """Return the full hash of the commit of a full reference, empty where there is none."""
        found = self.attempt("rev-parse", "--quiet", "--verify", f"{name}^{{commit}}")
        return found.stdout.strip() if found.returncode == 0 else ""

    def changes(self) -> dict[str, str]:
        """Return the state of each path that is not as committed, as `read_status` tells it.

        Raises:
            GitFault: as `run`.
        """
        return read_status(
            self.run("status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames")
        )

    def diffstat(self, base: str, tip: str) -> str:
        """Return the lines of `git diff --stat` between the fork of two commits and the second.

        Raises:
            GitFault: one of them is not there, or they have no commit in common.
        """
        words = ("diff", "--stat=100", "--no-color", f"{base}...{tip}", "--")
        return self.run(*words).rstrip("\n")

    def push(self, remote: str, *refspecs: str, options: Sequence[str] = ()) -> str:
        """Push without force and return what the remote said, which git prints to stderr.

        Args:
            remote: a remote's name or address.
            refspecs: full names, `refs/heads/x:refs/heads/x`.
            options: for `--push-option`, one line each.

        Raises:
            CommandFailed: the push was refused, by a hook, the remote, or on the way there.
        """
        given = [f"--push-option={option}" for option in options]
        words = ("push", "--porcelain", *given, "--", remote, *refspecs)
        done = self._patient(words, "", None)
        for _ in range(_PUSHES):
            if done.returncode != _BROKEN_PIPE:
                break
            done = self._patient(words, "", None)
        if done.returncode == 0:
            return done.stderr
        raise CommandFailed(f"push to {visible(remote)}", done)

    def _patient(
        self, words: Sequence[str], text: str, more: Mapping[str, str] | None
    ) -> subprocess.CompletedProcess[str]:
        end = time.monotonic() + _PATIENCE
        done = self.attempt(*words, text=text, more=more)
        while done.returncode and _LOCKED in done.stderr and time.monotonic() < end:
            time.sleep(_PAUSE)
            done = self.attempt(*words, text=text, more=more)
        return done


def told(done: subprocess.CompletedProcess[str], limit: int = 600) -> str:
    """Return on one line what git and the hooks printed, the last lines of it, safe to show."""
    lines = [line.strip() for line in f"{done.stdout}\n{done.stderr}".splitlines() if line.strip()]
    return visible(" | ".join(lines[-_SHOWN_LINES:]), limit)
