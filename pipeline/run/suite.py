"""The project's own tests: found by its manifests, run in a jail, and read from what they print.

`suites.json` is the table of the tools: their manifests, their commands, and their closing lines.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from typing import TYPE_CHECKING, Any

from pipeline.drivers.environment import without_tokens
from pipeline.drivers.git_copy import ScratchFolder
from pipeline.drivers.processes import end_leftovers, mark
from pipeline.files import Unreadable, is_inside, read_file, write_whole
from pipeline.jail import Jail
from pipeline.run import limits
from pipeline.run.hooks import project_jail
from pipeline.run.junit import counts_of
from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pipeline.run.context import Run

OUTPUT = "test-output.txt"  # in the issue's folder: the end of what the last run printed
_TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "suites.json")
_KEPT = 1 << 20  # bytes of the output
_READ = 3_000  # lines at its end in which counts and names are looked for
_LONGEST = 400  # characters of such a line
_TAIL = 40  # lines
_MOST_NAMES = 100
_MOST_SUITES = 8  # of a monorepo whose parts have tests of their own
_TIMEOUT = 124  # as timeout(1) exits
_QUIET = {"CI": "1", "NO_COLOR": "1"}  # no snapshot is written, nothing waits for a key
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@cache
def _table() -> Any:
    with open(_TABLE, encoding="utf-8") as file:
        table = json.load(file)
    return {
        **table,
        **{name: [*map(re.compile, table[name])] for name in ("counts", "failures", "missing")},
    }


@dataclass(frozen=True, slots=True)
class Command:
    """A command that runs tests."""

    command: str
    folder: str  #: the absolute path of where it runs
    no_tests: Sequence[int] = ()  #: exit codes that say that there are none


class _Open(Jail):
    """No jail: the user has named the command themselves."""

    def argv(self, words: Sequence[str]) -> list[str]:
        """Return the command that runs a program in the folder."""
        return ["sh", "-c", 'cd "$0" && exec "$@"', self.folder, *words]


def commands_of(run: Run, files: Iterable[str]) -> list[Command]:
    """Return the tests of some files of the target project: the user's command, or those found."""
    top = os.path.normpath(os.path.join(run.about.root, run.about.target))
    if run.test_command:
        return [Command(run.test_command, top)]
    folders = dict.fromkeys(os.path.dirname(os.path.join(top, file)) for file in files)
    found = (_nearest(folder, run.about.root) for folder in folders)
    return [*dict.fromkeys(filter(None, found))][:_MOST_SUITES]


def _nearest(folder: str, root: str) -> Command | None:
    """Return the tests of the first manifest in a folder or above it, up to the root."""
    while is_inside(folder, root):
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        for row in _table()["manifests"]:
            forms = row["file"].split()
            name = next((name for name in names if any(fnmatch(name, form) for form in forms)), "")
            if name and re.search(row.get("needs", ""), _text(f"{folder}/{name}"), re.MULTILINE):
                ways = row["commands"].items()
                command = next(way for sign, way in ways if not sign or _above(folder, sign, root))
                return Command(command, folder, tuple(row.get("no_tests", ())))
        folder = os.path.dirname(folder)
    return None


def _above(folder: str, sign: str, root: str) -> bool:
    """Return whether a file is in a folder, or, as the lock of a workspace, above it."""
    while not os.path.exists(os.path.join(folder, sign)):
        if folder == root or "lock" not in sign:
            return False
        folder = os.path.dirname(folder)
    return True


def _text(path: str) -> str:
    try:
        return read_file(path).decode("utf-8", "replace")
    except Unreadable:
        return ""


def run_tests(run: Run, files: Iterable[str]) -> dict[str, Any]:
    """Run the tests of some files, and return what they said, in the fields of a `Suite`."""
    found = commands_of(run, files)
    allowed = run.driver.allowed is not None or run.test_command
    if not (found and allowed):
        why = "no command was found that runs the project's tests (name one with --test-command)"
        if found:
            why = "without a jail, only the command that you name with --test-command is run"
        if not run.driver.terms:
            why = "nothing of the project runs in a recorded run"
        return {"verdict": "not run", "command": "", "tail": why}
    begun, since = time.monotonic(), time.time()
    ran = [(tests, *_run_command(run, tests)) for tests in found]
    code = next((code for tests, code, _ in ran if code not in (0, *tests.no_tests)), 0)
    printed = "\n".join(output for *_, output in ran).replace(f"{run.about.root}/", "")
    write_whole(run.about.on_disk(OUTPUT), printed.encode())
    lines = [_CONTROL.sub("", line)[:_LONGEST] for line in printed.splitlines()[-_READ:]]
    reported = counts_of((tests.folder for tests in found), _table()["reports"], since)
    command = "; ".join(dict.fromkeys(tests.command for tests in found))
    if all(code in tests.no_tests for tests, code, _ in ran):
        return {"verdict": "not run", "command": command, "tail": "there are no tests"}
    return {
        "verdict": "failed" if code else "passed",
        "command": command,
        "exit_code": code,
        "duration": round(time.monotonic() - begun, 1),
        **{name: said for name, said in reported.items() if code or name == "counts"},
        **_read(lines, failed=bool(code)),
        "tail": "\n".join(visible(line, _LONGEST) for line in lines[-_TAIL:] if line.strip()),
    }


def _run_command(run: Run, tests: Command) -> tuple[int, str]:
    """Return the exit code of one command and the end of what it printed."""
    about = run.about
    if run.tested:
        return run.tested(tests.command)
    with ScratchFolder() as copies:
        if run.driver.allowed:
            jail = project_jail(run, copies, tests.folder, _QUIET)
        else:
            kept = without_tokens({**os.environ, **_QUIET, **mark(about.root, about.issue)})
            jail = _Open(folder=tests.folder, environment=kept)
        try:
            seconds = min(run.seconds, limits.left(run))
            done = jail.run(["sh", "-c", tests.command], seconds=seconds)
            code, data = done.returncode, done.stdout + b"\n" + done.stderr
        except TimeoutError as error:
            code, data = _TIMEOUT, f"{tests.command} {error}".encode()
        finally:
            if not run.driver.allowed:  # a jail ends with its program
                end_leftovers(about.root, about.issue)
    return code, data[-_KEPT:].decode("utf-8", "replace").strip()


def _read(lines: Sequence[str], *, failed: bool) -> dict[str, Any]:
    """Return the counts and the names of failures, those of them that the output has."""
    said: dict[str, Any] = {}
    for form in _table()["counts"]:
        if matches := [match for line in lines if (match := form.match(line))]:
            sums = {
                name: sum(int(match[name] or 0) for match in matches) for name in form.groupindex
            }
            wrong = sums.get("failed", 0) + sums.get("errors", 0)
            skipped = sums.get("skipped", 0)
            passed = sums.get("passed", sums.get("total", 0) - wrong - skipped)
            said["counts"] = {"passed": max(0, passed), "failed": wrong, "skipped": skipped}
            break
    if failed:
        found = (
            match[1]
            for line in lines
            for form in _table()["failures"]
            if (match := form.match(line))
        )
        names = [name.strip() for name in dict.fromkeys(map(visible, found)) if name.strip()]
        said |= {"failures": names[:_MOST_NAMES]} if names else {}
        lacking = Counter(
            visible(match[1])
            for line in lines
            for form in _table()["missing"]
            if (match := form.search(line))
        )
        said |= {"missing": dict(lacking.most_common(_MOST_NAMES))} if lacking else {}
    return said
