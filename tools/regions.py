"""Fills the regions of pages that quote the project itself: issues, artifacts, checks, real runs.

A region is between `<!-- generated: WORD ARGUMENTS -->` and `<!-- end -->`; the words are the
keys of FILLERS and TABLES.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT
from pipeline.terminal.fault import Fault
from tools.markdown import fenced
from tools.references import artifact_records, records_table
from tools.replays import part
from tools.sample_cohort import COHORT
from tools.tables import TABLES
from verify.course import catalog
from verify.course.exercises.expert.ex01_classify import SCENARIOS
from verify.course.exercises.shared import CLASSIFICATION, EXAMPLES
from verify.learner.progress import ProgressLine
from verify.selftest.course import HOST
from verify.selftest.shipped import the_course

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OPENING = "<!-- generated: "
CLOSING = "<!-- end -->"
_REGION = re.compile(
    r"^<!-- generated: ([^\n]+?) -->\n(?:(?!^<!-- generated: ).)*?^<!-- end -->$",
    re.DOTALL | re.MULTILINE,
)
_ENDS = re.compile(r"^<!-- (generated: .+|end) -->", re.MULTILINE)
_SOME_DAY = "2025-03-01 19:03"
_VERIFY = "from verify.cli import main; raise SystemExit(main())"
_EXAMPLES = {**EXAMPLES, "classification": CLASSIFICATION}
_PROGRAMS = {
    "verify": (sys.executable, "-c", _VERIFY),
    "python3": (sys.executable,),
}


class RegionError(ValueError):
    """A region that cannot be filled; the message says which and why."""


def pages() -> list[str]:
    """Return the paths, relative to the root, of the pages that have regions.

    Those that quote a command come last: what it says may depend on the other pages.
    """
    found: dict[str, str] = {}
    for folder, _, files in os.walk(os.path.join(ROOT, "docs")):
        for name in files:
            path = os.path.relpath(os.path.join(folder, name), ROOT).replace(os.sep, "/")
            if name.endswith(".md") and OPENING in (text := _read(path)):
                found[path] = text
    return sorted(found, key=lambda path: (f"{OPENING}command" in found[path], path))


def filled(path: str) -> str:
    """Return a page with its regions filled.

    Raises:
        RegionError: a region is not closed, has an unknown word, or names what is not there.
    """
    text = _read(path)
    if len(_ENDS.findall(text)) != 2 * len(_REGION.findall(text)):
        raise RegionError(f"{path}: a generated region is not closed, or closed twice")
    return _REGION.sub(lambda match: _region(path, match), text)


def _region(path: str, region: re.Match[str]) -> str:
    order = region[1]
    word, _, arguments = order.partition(" ")
    if word not in FILLERS and word not in TABLES:
        choices = ", ".join((*FILLERS, *TABLES))
        raise RegionError(f"{path}: no region {word!r} (expected one of {choices})")
    try:
        content = TABLES[word]() if word in TABLES else FILLERS[word](arguments).strip("\n")
    except (Fault, OSError, LookupError, TypeError, ValueError) as error:
        raise RegionError(f"{path}: {order}: {error}") from error
    return f"{OPENING}{order} -->\n{content}\n{CLOSING}"


def _issue(issue: str) -> str:
    """Return an issue's text as a quotation; headings become bold: the page has its own."""
    text = _read(f"sandbox/issues/{issue}.md", strictly=True)
    bold = re.sub(r"^#+ (.+)$", r"**\1**", text.strip(), flags=re.MULTILINE)
    return "\n".join(f"> {line}".rstrip() for line in bold.split("\n"))


def _scenarios(_: str) -> str:
    """Return the texts of the five scenarios as a numbered list."""
    return "\n".join(f"{number}. {s.task}" for number, s in enumerate(SCENARIOS, start=1))


def _file(path: str) -> str:
    language = path.rpartition(".")[2].replace("mdc", "markdown").replace("md", "markdown")
    return fenced(_read(path, strictly=True).strip(), language)


def _section(place: str) -> str:
    """Return what is below a heading of a Markdown file, `PATH#HEADING`."""
    path, _, heading = place.partition("#")
    parts = re.split(r"^## (.+)\n", _read(path, strictly=True), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[heading]


def _run(arguments: str) -> str:
    """Return a run of an exercise's script on a submission, shown as on a learner's own work."""
    name, variant, *options = arguments.split()
    exercise = catalog.find(*name.split("/"))
    project = os.path.join(the_course().folder_of(exercise), variant)
    words = [*_script(exercise.level), "--exercise", f"{exercise.number:02}", *options]
    return _shown(words, os.path.relpath(project, ROOT))


def _list(level: str) -> str:
    """Return the list view of a level as on a fresh checkout: a folder without any artifact."""
    with tempfile.TemporaryDirectory() as empty:
        return _shown(_script(level), empty)


def _first(name: str) -> str:
    """Return a run of an exercise on the example of its artifact, as the start page has it."""
    exercise = catalog.find(*name.split("/"))
    (path,) = exercise.paths
    with tempfile.TemporaryDirectory() as project:
        artifact = os.path.join(project, *path.split("/"))
        os.makedirs(os.path.dirname(artifact))
        with open(artifact, "w", encoding="utf-8") as file:
            file.write(_example(name))
        return _shown([*_script(exercise.level), "--exercise", f"{exercise.number:02}"], project)


def _packed(name: str) -> str:
    """Return what packing the solution of an exercise prints."""
    exercise = catalog.find(*name.split("/"))
    with tempfile.TemporaryDirectory() as folder:
        solved = os.path.join(the_course().folder_of(exercise), "solved")
        shutil.copytree(solved, folder, dirs_exist_ok=True)
        text = _printed(["verify", "pack", "--project", ".", "--name", "Ada Okafor"], folder)
    return fenced(f"$ python3 -m verify pack\n{text}".rstrip(), "console")


def _example(name: str) -> str:
    """Return the example of an artifact, or the longest of an exercise: a whole artifact."""
    if "/" not in name:
        return _EXAMPLES[name]
    checks = catalog.find(*name.split("/")).checks
    return max((check.example for check in checks if check.example.startswith("{")), key=len)


def _progress(_: str) -> str:
    """Return the record of two exercises, one passed in three runs and one begun in one."""
    passed, begun = ProgressLine("foundation/01"), ProgressLine("foundation/02")
    for score in (3, 5, points := catalog.find("foundation", "01").points):
        passed = passed.with_run(passed=score == points, score=score, points=points, now=_SOME_DAY)
    begun = begun.with_run(passed=False, score=3, points=10, now=_SOME_DAY)
    return fenced(f"{passed}\n{begun}", "text")


def _script(level: str) -> list[str]:
    return ["python3", f"docs/{level}/tutorials/verify.py"]


def _shown(words: list[str], project: str) -> str:
    text = _printed([*words, "--project", project]).replace(f" --project {project}", "")
    return fenced(f"$ {shlex.join(words)}\n{text}".rstrip(), "console")


def _command(line: str) -> str:
    return fenced(f"$ {line}\n{_printed(shlex.split(line))}".rstrip(), "console")


def _cohort(line: str) -> str:
    """Return a run on the sample cohort, in a copy of its folder."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(ROOT, COHORT), folder, dirs_exist_ok=True)
        return fenced(f"$ {line}\n{_printed(shlex.split(line), folder)}".rstrip(), "console")


def _printed(words: list[str], folder: str = ROOT) -> str:
    with _machine() as programs:
        done = subprocess.run(  # noqa: S603  # our own commands
            [*_PROGRAMS[words[0]], *words[1:]],
            cwd=folder,
            env={"COLUMNS": "88", "PATH": programs, "PYTHONPATH": ROOT, "PYTHONUTF8": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode not in (0, 1):
        raise ValueError(f"exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout or done.stderr


@contextmanager
def _machine() -> Iterator[str]:
    """Yield a folder with a learner's programs: pages must not depend on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        for program, version in HOST.items():
            stub = os.path.join(folder, program)
            with open(stub, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\necho {'.'.join(map(str, version or ()))}\n")
            os.chmod(stub, 0o755)  # noqa: S103  # it must run
        yield folder


def _read(path: str, *, strictly: bool = False) -> str:
    try:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        if strictly:
            raise
        return ""


FILLERS: dict[str, Callable[[str], str]] = {
    "issue": _issue,
    "file": _file,
    "section": _section,
    "scenarios": _scenarios,
    "example": lambda name: fenced(_example(name), "json"),
    "run": _run,
    "list": _list,
    "records": records_table,
    "artifacts": lambda _: artifact_records(),
    "first": _first,
    "packed": _packed,
    "progress": _progress,
    "command": _command,
    "cohort": _cohort,
    "replay": part,
}
