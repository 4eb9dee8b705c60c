"""Runs the pipeline on a clone of the shipped sandbox, for pages that quote such a run.

Identity, dates and settings of git are fixed, and seconds are taken out, so that the text is the
same on every machine, hashes included.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pipeline.bootstrap import ROOT
from tools.markdown import fenced
from tools.shipped import ARCHIVE

if TYPE_CHECKING:
    from collections.abc import Iterator

ISSUE = "ISSUE-202"
PROMPT = f"work on issue {ISSUE}: page through the list of notes"
_AGENT = ("--driver", "command", "--command", "my-agent {role} {artifact}")
_PIPELINE = (sys.executable, "-m", "pipeline")
_SHOWN = ("python3", "-m", "pipeline")
_SHOWN_COPY = "../demo"
_SECONDS = re.compile(r"(?<=\S)  \d+\.\d s$", re.MULTILINE)
_TIMES = re.compile(r"\d+\.\d s(?=,|$)", re.MULTILINE)  # of turns
_DAY = "2025-03-01T09:00:00+00:00"


class _Copy(NamedTuple):
    """The folder of a demonstration, and the call that made it as a page shows it."""

    root: str
    shown: str

    def call(self, *words: str) -> str:
        """Return a call of the pipeline in the copy as a page shows it."""
        return _block((*_SHOWN, *words), _printed(*_PIPELINE, *words, folder=self.root))


def part(name: str) -> str:
    """Return one part of the runs as a block of Markdown, for example `run` or `status`.

    Raises:
        LookupError: the part does not exist.
        ValueError: git or the pipeline refused.
    """
    return parts()[name]


@cache
def parts() -> dict[str, str]:
    """Return every part by its name; the runs are made once in a process, side by side."""
    with ThreadPoolExecutor() as pool:
        runs = [pool.submit(run) for run in (_whole, _events, _of_a_project, _troubled)]
        return {name: text for run in runs for name, text in run.result().items()}


def _whole() -> dict[str, str]:
    """Return a demonstration, and the commands that look at its copy."""
    with _copy(ISSUE) as copy:
        return {
            "run": copy.shown,
            "list": copy.call("demo"),
            "again": copy.call("run", PROMPT, *_AGENT),
            "status": copy.call("status", ISSUE),
        }


def _events() -> dict[str, str]:
    """Return a run as it reports its events to a program, a tenth of a second for each time."""
    words = ("run", PROMPT, *_AGENT, "--test-command", "true", "--json")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        agent = os.path.join(folder, "my-agent")
        played = shlex.join(
            [sys.executable, os.path.join(ROOT, "tests", "stubs", "lesson_agent.py")]
        )
        with open(agent, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec {played} "$1" "$PWD" . "$2"\n')
        os.chmod(agent, 0o755)  # noqa: S103  # it must run
        _printed("git", "clone", "--quiet", "--branch=main", ARCHIVE, f"{folder}/clone")
        printed = _printed(*_PIPELINE, *words, folder=f"{folder}/clone", programs=folder)
    same = re.sub(r'("seconds": )[0-9.]+', r"\g<1>0.1", printed)
    return {"events": _block((*_SHOWN, *words), same)}


def _of_a_project() -> dict[str, str]:
    """Return a demonstration whose target project is a folder of the repository."""
    with _copy("ISSUE-201") as copy:
        return {"project": copy.shown}


def _troubled() -> dict[str, str]:
    """Return a demonstration in which something goes wrong."""
    with _copy("ISSUE-302", "--troubled") as copy:
        return {"troubled": copy.shown}


@contextmanager
def _copy(*chosen: str) -> Iterator[_Copy]:
    """Yield the copy that a demonstration of an issue has made, called from the course's root."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        root = os.path.join(os.path.realpath(folder), "demo")
        printed = _printed(*_PIPELINE, "demo", *chosen, "--to", root)
        words = (*_SHOWN, "demo", *chosen, "--to", _SHOWN_COPY)
        yield _Copy(root, _block(words, printed.replace(root, _SHOWN_COPY)))


def _block(words: tuple[str, ...], printed: str) -> str:
    line = " ".join(f'"{word}"' if " " in word else word for word in words)
    same = _TIMES.sub("0.1 s", _SECONDS.sub("", printed)).rstrip()
    return fenced(f"$ {line}\n{same}", "console")


def _printed(*words: str, folder: str = ROOT, programs: str = "") -> str:
    """Return what a program prints in a folder, both streams, further programs on its PATH.

    Raises:
        ValueError: it ended with a code other than 0.
    """
    done = subprocess.run(  # noqa: S603  # git and our own command
        words,
        cwd=folder,
        env=_environment(programs),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise ValueError(f"{words[0]} ended with {done.returncode}: {done.stdout.strip()}")
    return done.stdout


def _environment(programs: str) -> dict[str, str]:
    """Return the environment without what makes a run depend on the machine."""
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
    neutral = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    ours = {"GIT_DEFAULT_HASH": "sha1", "COLUMNS": "88", "PYTHONUTF8": "1", "PYTHONPATH": ROOT}
    path = {
        "PATH": os.pathsep.join(folder for folder in (programs, kept.get("PATH", "")) if folder)
    }
    return {**kept, **who, **neutral, **ours, **path}
