"""Runs the pipeline on a committed copy of the sandbox, for pages that quote such a run.

Identity, dates and settings of git are fixed, and seconds are taken out, so that the text is the
same on every machine, hashes included.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pipeline.bootstrap import ROOT
from pipeline.exit_codes import FAILED, PASSED, UNUSABLE
from tools.markdown import fenced
from tools.shipped import SANDBOX, recorded, shipped

if TYPE_CHECKING:
    from collections.abc import Iterator

ISSUE = "ISSUE-202"
PROMPT = f"work on issue {ISSUE}: page through the list of notes"
_TAGS = "work on issue ISSUE-201: add tags as a validated resource"
_SHOWN = ".venv/bin/pipeline"
_MAIN = "from pipeline.cli import main; raise SystemExit(main())"
_SECONDS = re.compile(r"  \d+\.\d s$", re.MULTILINE)
_IN_THE_WAY = "sandbox/src/notes/store.js"
_DAY = "2025-03-01T09:00:00+00:00"


class NotAsShipped(Exception):
    """The sandbox holds somebody's work: a run on it would not be the one that pages show."""


class _Repository(NamedTuple):
    """A repository of its own, with the sandbox committed on `main`."""

    root: str

    def pipeline(self, *words: str) -> str:
        """Return what the command prints, both streams, without the seconds of its stages."""
        printed = self.printed(sys.executable, "-c", _MAIN, *words, may_stop=True)
        return _SECONDS.sub("", printed)

    def printed(self, *words: str, may_stop: bool = False) -> str:
        """Return what a program prints in the repository.

        Raises:
            ValueError: it ended with another code than 0, or 1 or 2 where it `may_stop`.
        """
        done = subprocess.run(  # noqa: S603  # git and our own command
            words,
            cwd=self.root,
            env=_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        if done.returncode not in ((PASSED, FAILED, UNUSABLE) if may_stop else (PASSED,)):
            raise ValueError(f"{words[0]} ended with {done.returncode}: {done.stdout.strip()}")
        return done.stdout

    def text(self, path: str) -> str:
        """Return the text of a file."""
        with open(os.path.join(self.root, *path.split("/")), encoding="utf-8") as file:
            return file.read()


def part(name: str) -> str:
    """Return one part of the run as a block of Markdown, such as `run` or `git-result.json`.

    Raises:
        NotAsShipped: the sandbox is not as it is shipped.
        LookupError: there is no such part.
        ValueError: git or the pipeline refused.
    """
    if shipped() != recorded():
        raise NotAsShipped
    return parts()[name]


@cache
def parts() -> dict[str, str]:
    """Return every part by its name; the runs are made once in a process, side by side."""
    with ThreadPoolExecutor() as pool:
        runs = [
            pool.submit(run) for run in (_whole, _told, _blocked, _of_a_project, _with_own_changes)
        ]
        return {name: text for run in runs for name, text in run.result().items()}


def _whole() -> dict[str, str]:
    """Return a whole run, what it left, and the same command once more."""
    with _repository() as repository:
        run = _console(repository, "run", PROMPT)
        (page,) = re.findall(r"\S+\.md$", run, re.MULTILINE)
        result = repository.text(f".pipeline/{ISSUE}/git-result.json").strip()
        listed = ("git", "show", "--name-only", "--format=%s", json.loads(result)["branch"])
        return {
            "run": run,
            "again": _console(repository, "run", PROMPT),
            "status": _console(repository, "status", ISSUE),
            "git-result.json": fenced(result, "json"),
            "request": fenced(repository.text(page).split("\n\n## Description")[0], "markdown"),
            "commit": _block(listed, repository.printed(*listed)),
        }


def _told() -> dict[str, str]:
    """Return a run as it tells its events to a program, a tenth of a second for each time."""
    words = ("run", PROMPT, "--json")
    with _repository() as repository:
        events = map(json.loads, repository.pipeline(*words).splitlines())
    same = [{**each, **({"seconds": 0.1} if "seconds" in each else {})} for each in events]
    return {"events": _block((_SHOWN, *words), "\n".join(map(json.dumps, same)))}


def _blocked() -> dict[str, str]:
    """Return a run that stops, since a file is another one than was recorded."""
    with _repository() as repository:
        path = os.path.join(repository.root, *_IN_THE_WAY.split("/"))
        with open(path, "w", encoding="utf-8") as file:
            file.write("export class NoteStore {}\n")
        repository.printed("git", "commit", "--quiet", "--all", "--message=feat: another store")
        return {"blocked": _console(repository, "run", PROMPT)}


def _with_own_changes() -> dict[str, str]:
    """Return a run that stops before a worker touches a file that somebody is working on."""
    with _repository() as repository:
        with open(os.path.join(repository.root, *_IN_THE_WAY.split("/")), "a") as file:
            file.write("// to be continued\n")
        return {"changed": _console(repository, "run", PROMPT)}


def _of_a_project() -> dict[str, str]:
    """Return a run whose target project is a folder of the repository."""
    with _repository() as repository:
        return {"project": _console(repository, "run", _TAGS, "--project", "sandbox")}


def _console(repository: _Repository, *words: str) -> str:
    return _block((_SHOWN, *words), repository.pipeline(*words))


def _block(words: tuple[str, ...], printed: str) -> str:
    line = " ".join(f'"{word}"' if " " in word else word for word in words)
    return fenced(f"$ {line}\n{printed.rstrip()}", "console")


@contextmanager
def _repository() -> Iterator[_Repository]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        repository = _Repository(os.path.realpath(folder))
        for line in recorded().splitlines():
            _copy(line.split("  ", 1)[1], os.path.join(repository.root, "sandbox"))
        repository.printed("git", "init", "--quiet", "--template=", "--initial-branch=main")
        repository.printed("git", "add", "--all")
        repository.printed("git", "commit", "--quiet", "--message=chore: begin")
        yield repository


def _copy(path: str, folder: str) -> None:
    """Copy a file of the sandbox, with the line ends that it is committed with."""
    target = os.path.join(folder, *path.split("/"))
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(os.path.join(SANDBOX, *path.split("/")), "rb") as file:
        text = file.read().replace(b"\r\n", b"\n")
    with open(target, "wb") as file:
        file.write(text)


def _environment() -> dict[str, str]:
    """Return the environment without what would make one machine's run another than the next's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    who = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (
            ("NAME", "Ada Example"),
            ("EMAIL", "ada@example.org"),
            ("DATE", _DAY),
        )
    }
    nobodys = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    ours = {"GIT_DEFAULT_HASH": "sha1", "COLUMNS": "88", "PYTHONUTF8": "1", "PYTHONPATH": ROOT}
    return {**kept, **who, **nobodys, **ours}
