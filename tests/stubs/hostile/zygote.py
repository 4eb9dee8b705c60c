"""Tries the whole corpus as an unprivileged user, and writes what came of it as JSON.

usage: python -m tests.stubs.hostile.zygote SCRATCH RESULTS all|folder

One process, so that Python starts once: it imports the project, drops its privileges, and forks a
child for everything that touches a hostile byte, also for making it.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import os
import pkgutil
import re
import stat
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import pipeline
import verify
from pipeline.bootstrap import ROOT
from tests.stubs.hostile import places
from tests.stubs.hostile.cases import PLAN, SOLVED, Case, corpus
from tests.stubs.hostile.running import drop_privileges, run_apart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_BATCH = [
    *("--exercise", "foundation/01", "--quiet"),
    *("--jsonl", "out.jsonl", "--csv", "out.csv"),
]
_LEVELS = 40  # of folders that are looked through for changes
_NAME = re.compile(r'^"[^"]*" ')  # of an archive or a file in it, which a reason begins with
_KEPT = ("out.jsonl", "out.csv", "gradebook.db")


class Trial:
    """The corpus in a scratch folder, and what came of each run by its name."""

    def __init__(self, scratch: str) -> None:
        self.cases = corpus()
        self.results: dict[str, Any] = {}
        self.scratch = scratch
        self.outside = os.path.join(scratch, "outside")
        self.held: dict[str, dict[str, int]] = {}

    def path(self, *parts: str) -> str:
        """Return a path in the scratch folder."""
        return os.path.join(self.scratch, *parts)

    def make_folder(self) -> int:
        """Hand the corpus in as a folder of folders alone."""
        places.make_canary(self.outside)
        return self._made({"folder": self._in_folder()})

    def make_all(self) -> int:
        """Hand the corpus in at every place."""
        places.make_canary(self.outside)
        held = {
            "folder": self._in_folder(),
            "archives": places.in_archives(self.path("archives"), self.cases),
            "zip": places.in_zip(self.path("all.zip"), self.cases),
            "evidence": places.in_evidence(self.path("evidence"), self.cases, self.outside),
        }
        for case in self.cases:
            if case.kind == "source":
                name = case.name + places.suffix_of(case.recipe)
                with open(self.path(name), "wb") as file:
                    file.write(places.archive(case.recipe))
        return self._made(held)

    def _in_folder(self) -> dict[str, int]:
        return places.in_folder(self.path("folder"), self.cases, self.outside)

    def _made(self, held: dict[str, dict[str, int]]) -> int:
        """Note which case stands where."""
        with open(self.path("held.json"), "w", encoding="utf-8") as file:
            json.dump(held, file)
        return 0

    def try_folder(self) -> None:
        """Grade the folder of folders, and a neighbour on its own."""
        with open(self.path("held.json"), encoding="utf-8") as file:
            self.held = json.load(file)
        self.results["held"] = self.held
        self._keep("folder", partial(_batch, ["../folder", "--jobs", "1"]))
        self._keep("alone", partial(_batch, ["../folder-alone", "--jobs", "1"]))

    def try_all(self) -> None:
        """Run everything."""
        before = self.fingerprints()
        self.try_folder()
        self._keep("zip", partial(_batch, ["../all.zip", "--jobs", "1"]))
        self._keep("pool", partial(_batch, ["../folder", "--jobs", "2"]))
        for index, case in enumerate(self.cases):
            for entry, work in self._words(index, case):
                self._keep(f"{entry}:{case.name}", work)
        self.results["unchanged"] = before == self.fingerprints()

    def _words(self, index: int, case: Case) -> Iterator[tuple[str, Callable[[], int]]]:
        """Yield the runs that a case has for itself."""
        who = places.learner_of(index, case)
        if case.kind == "repository":
            yield "evidence", partial(_verify, self.path("evidence", who), "expert", "04")
        if case.kind == "words":
            words = [w.replace("N", "n" * 5_000) if w[:1] == "N" else w for w in case.recipe]
            yield "words", partial(_by_words, words)
        elif case.kind == "source":
            name = case.name + places.suffix_of(case.recipe)
            yield "source", partial(_batch, [f"../{name}", "--jobs", "1"])
        elif case.kind == "archive":
            path = places.archive_path(self.path("archives"), index, case)
            yield "archives", partial(_batch, [os.path.dirname(path), "--jobs", "1"])
        elif case.name in self.held["folder"]:
            if case.validate is not None:  # what a link to a file of the system shows
                yield "validate", partial(_validate, [self.path("folder", who, PLAN)])
            yield "verify", partial(_verify, self.path("folder", who))

    def _keep(self, name: str, work: Callable[[], int]) -> None:
        folder = self.path("runs")
        for left in os.listdir(folder):
            os.unlink(os.path.join(folder, left))
        result = run_apart(work, folder)
        written = b"".join(_read(os.path.join(folder, each)) for each in _KEPT)
        result["leaked"] = (
            places.SECRET.encode() in written + result["out"].encode() + result["err"].encode()
        )
        result["marks"] = _marks(os.path.join(folder, "out.jsonl"))
        result["ran"] = os.path.exists(os.path.join(self.outside, "ran"))
        self.results[name] = result

    def fingerprints(self) -> str:
        """Return a digest of all submissions: names, kinds, sizes and times of change."""
        digest = hashlib.sha256()
        for place in ("folder", "archives", "evidence", "outside"):
            for line in _lines(self.path(place), 0):
                digest.update(line.encode("utf-8", "backslashreplace"))
        return digest.hexdigest()


def _lines(folder: str, level: int) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except PermissionError:
        return
    for entry in entries:
        status = entry.stat(follow_symlinks=False)
        yield f"{entry.path} {status.st_mode} {status.st_size} {status.st_mtime_ns}\n"
        if stat.S_ISDIR(status.st_mode) and level < _LEVELS:
            yield from _lines(entry.path, level + 1)


def _marks(path: str) -> dict[str, Any]:
    """Return outcome, score and first finding or reason by learner, from JSON lines."""
    return {
        line["learner"]: _mark(line["marks"][0])
        for line in map(json.loads, _read(path).splitlines())
    }


def _mark(mark: dict[str, Any]) -> list[Any]:
    findings = [
        [check["code"], finding["message"]]
        for check in mark["checks"]
        if not check["advisory"]
        for finding in check["findings"]
    ]
    reason = [_NAME.sub("", mark["reason"])] if mark["reason"] else []
    return [mark["outcome"], mark["score"], *(findings[0] if findings else reason)]


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def _validate(words: list[str]) -> int:
    from pipeline.protocol.validate import main
    from pipeline.schema import KINDS

    return main(KINDS, ["--validate", *words])


def _verify(project: str, level: str = "foundation", number: str = "01") -> int:
    from verify.commands.check import level_main

    words = ["--exercise", number, "--project", project, "--format", "json"]
    return level_main(level, os.path.join(ROOT, "docs", level, "tutorials", "verify.py"), words)


def _batch(words: list[str]) -> int:
    from verify.cli import main

    sys.argv = ["verify", "batch", *words, *_BATCH]
    return main(sys.argv[1:])


def _by_words(words: list[str]) -> int:
    from verify.commands.check import level_main

    command, *rest = words
    if command == "batch":
        return _batch(rest)
    if command == "validate":
        return _validate(rest)
    return level_main(
        "foundation", os.path.join(ROOT, "docs", "foundation", "tutorials", "verify.py"), rest
    )


def _warm_up() -> None:
    """Import whatever a run may import, while it can surely be read.

    The standard library may lie in a folder of root's own: what functions import must be there.
    """
    for package in (pipeline, verify):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.startswith(_UNUSED) and "__main__" not in module.name:
                loaded = importlib.import_module(module.name)
                for name in _INSIDE.findall(inspect.getsource(loaded)):
                    if name.partition(".")[0] in _KNOWN:
                        with suppress(ImportError):  # of another system
                            importlib.import_module(name)
    for name in ("utf_16", "utf_16_le", "utf_16_be", "utf_32", "utf_8_sig", "latin_1", "cp437"):
        importlib.import_module(f"encodings.{name}")
    for name in (
        "bz2",
        "multiprocessing.sharedctypes",
        "multiprocessing.synchronize",
        "multiprocessing.popen_fork",
        "multiprocessing.popen_spawn_posix",
        "multiprocessing.popen_forkserver",
    ):
        importlib.import_module(name)


_KNOWN = {*sys.stdlib_module_names, "dulwich", "tabulate"}
_INSIDE = re.compile(r"^ +(?:from|import) ([a-z0-9_.]+)", re.MULTILINE)
_UNUSED = (
    *(
        "verify.course.own_course.template",
        "verify.report",
        "verify.selftest",
        "verify.intake.remote",
    ),
    *("pipeline.drivers", "pipeline.forges", "pipeline.run", "pipeline.commands"),
    *("verify.batch.cluster", "verify.learner.watch"),
)


def main(scratch: str, results: str, places_of: str) -> None:
    """Try the corpus in a scratch folder of its own."""
    trial = Trial(scratch)
    _warm_up()
    drop_privileges(scratch)
    os.makedirs(trial.path("runs"))
    in_all = places_of == "all"
    made = run_apart(trial.make_all if in_all else trial.make_folder, scratch)
    if made["code"]:
        raise SystemExit(f"the corpus cannot be created: {made}")
    os.makedirs(os.path.dirname(trial.path("folder-alone", places.FIRST, PLAN)))
    with (
        open(SOLVED, "rb") as file,
        open(trial.path("folder-alone", places.FIRST, PLAN), "wb") as copy,
    ):
        copy.write(file.read())
    (trial.try_all if in_all else trial.try_folder)()
    with open(trial.path(results), "w", encoding="utf-8") as file:
        json.dump(trial.results, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
