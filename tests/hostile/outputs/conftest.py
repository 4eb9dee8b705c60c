"""A cohort in which every name, every artifact and every reason is hostile, graded and exported."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.stubs.payloads import PAYLOADS
from verify.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BENIGN = "benign"
EXERCISE = "expert/04"
PLACE = ".pipeline/ISSUE-305"
_EXPORTS = ("csv", "csv-wide", "json", "jsonl", "canvas")
_FOLDERS = ("gradescope", "feedback", "html")


class Graded(NamedTuple):
    """The folder of exports, and what the commands printed: each command's stdout and stderr."""

    folder: Path
    printed: dict[str, tuple[str, str]]
    keys: dict[str, str]  # of learners, by the payload's name


def artifacts(text: str) -> dict[str, Any]:
    """Return artifacts with the text wherever a finding may repeat it."""
    return {
        "plan.json": {
            "affected_files": ["src/a.js", f"src/{text}"],
            "steps": [
                {"order": text, "file": f"test/{text}", "description": text},
                {"order": 1, "file": "src/a.js", "description": ""},
            ],
            "acceptance_mapping": {text: text, "AC1_x": text},
            "produced_by": text,
            text: text,
        },
        "worker-result.json": {
            "status": text,
            "files_changed": [text, f"src/{text}"],
            "blockers": text,
            "summary": text,
        },
        "git-result.json": {"branch": text, "commit_sha": text, "commit_message": text, text: 1},
    }


def file_name(text: str) -> str:
    """Return the text as far as a file may be named so."""
    data = text.translate(dict.fromkeys(map(ord, "/\\\0"))).encode("utf-8", "surrogateescape")
    return data[:150].decode("utf-8", "surrogateescape")


def _hand_in(root: Path, text: str) -> None:
    folder = root / PLACE
    folder.mkdir(parents=True)
    for name, value in artifacts(text).items():
        (folder / name).write_text(json.dumps(value).replace("\\udce9", "\\u00e9"), "utf-8")
    with contextlib.suppress(OSError):
        (folder / file_name(text)).write_bytes(b"{}")


@pytest.fixture(scope="session", params=["keys", pytest.param("names", marks=pytest.mark.slow)])
def graded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """Grade the cohort, set every score by hand for a hostile reason, export in every format.

    Once the learners' keys are hostile, which are their folders' names, once the roster's cells.
    """
    folder = tmp_path_factory.mktemp("outputs")
    texts = {BENIGN: BENIGN, **{name: text for name, (text, _) in PAYLOADS.items()}}
    keys = {}
    for number, (name, text) in enumerate(texts.items()):
        keys[name] = f"{number:02}"
        if request.param == "keys":
            keys[name] = f"{number:02} {file_name(text)}".strip()
        _hand_in(folder / "cohort" / keys[name], text)
    words = ["--exercise", EXERCISE, "--jobs", "1"]
    if request.param == "names":
        _roster(folder / "roster.csv", texts, keys)
        words += ["--roster", "roster.csv"]
    printed: dict[str, tuple[str, str]] = {}
    with _runner(folder) as run:
        printed["batch"] = run("batch", "cohort", *words, *_exports())
        known = _known(folder / "out" / "json")
        for name, text in texts.items():
            more = ["--exercise", EXERCISE, "--score", "1", f"--reason={text}", f"--by=x{text}"]
            printed[f"override {name}"] = run("override", known[keys[name][:2]], *more)
            printed[f"show {name}"] = run("show", "--", known[keys[name][:2]])
        printed["list"] = run("override")
        printed["export"] = run("export", *_exports())
        printed["regrade"] = run("regrade", "--quiet")
        for name in texts:
            project = f"--project=cohort/{keys[name]}"
            printed[f"github {name}"] = run("check", EXERCISE, project, "--format=github")
    return Graded(folder, printed, {name: known[key[:2]] for name, key in keys.items()})


def _known(path: Path) -> dict[str, str]:
    """Return the keys of the learners as they were graded, by the numbers that they begin with."""
    standings = json.loads(path.read_text("ascii"))["standings"]
    return {each["learner"][:2]: each["learner"] for each in standings}


def kept(key: str) -> str:
    """Return a text as a gradebook has it."""
    return key.encode("utf-8", "backslashreplace").decode()


def _exports() -> list[str]:
    return [word for name in (*_EXPORTS, *_FOLDERS) for word in (f"--{name}", f"out/{name}")]


def _roster(path: Path, texts: dict[str, str], keys: dict[str, str]) -> None:
    with open(path, "w", encoding="utf-8", newline="", errors="backslashreplace") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "name", "email", "note"])
        for which, hostile in texts.items():
            text = hostile.replace("\0", "")
            name = text if text.isprintable() else "benign"
            rows.writerow([keys[which], name, f"{keys[which]} {name}", text])


@contextlib.contextmanager
def _runner(folder: Path) -> Iterator[Callable[..., tuple[str, str]]]:
    """Yield what runs a command as in a job of GitHub's: in the folder, its output kept."""

    def run(*words: str) -> tuple[str, str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main(list(words))
        return out.getvalue(), err.getvalue()

    before = os.getcwd()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GITHUB_ACTIONS", "true")
        patch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
        os.chdir(folder)
        try:
            yield run
        finally:
            os.chdir(before)
