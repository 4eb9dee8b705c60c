"""Runs a submission's own tests: with its work, without it, and with small faults in it.

What they say can be forged, since the work runs beside them: it is advice, and no verdict.
"""

from __future__ import annotations

import time
from random import Random
from typing import TYPE_CHECKING

from pipeline.jail import JailLimits
from pipeline.protocol.conventions import is_test_path
from verify.course.checks.running import FAIL, NOTICE, PASS
from verify.grading.model import PASSED, Finding, failed, not_checked
from verify.running.faults import faults
from verify.running.service import Bounds, Starter
from verify.running.sources import laid_over

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verify.grading.model import Verdict
    from verify.running.faults import SourceFault
    from verify.running.service import Project

MOST = 20  # faults
IN_ALL = 120  # seconds for all runs of the tests
_EACH = 60  # seconds for one of them
_ENDINGS = (".js", ".mjs", ".cjs")
# Node.js runs each file of tests in a process with a dozen threads, one for each processor.
_LIMITS = JailLimits(
    memory=1 << 30, processes=1024, cpu_seconds=30, file_size=16 << 20, temporary=64 << 20
)
_NO_SOURCE = 99  # what the shell returns where a fault makes no JavaScript
_WITH_FAULT = ("sh", "-c", f'node --check "$0" || exit {_NO_SOURCE}; exec node --test "$@"')
_CHANGE = "Add tests that fail as soon as the change is missing or wrong."


class OwnTests:
    """The tests of one submission of an issue; `base` are the sources that the course comes with.

    `project` has the sources of the submission laid over them. The same seed makes the same faults.
    """

    def __init__(
        self, project: Project, base: Mapping[str, bytes], way: str, seed: int, name: str
    ) -> None:
        self._project, self._base, self._way = project, base, way
        self._seed, self._name = seed, name
        self._until = time.monotonic() + IN_ALL
        changed = [path for path, data in project.files.items() if base.get(path) != data]
        scripts = [path for path in changed if path.endswith(_ENDINGS)]
        self._tests = [path for path in scripts if is_test_path(path)]
        self._sources = [path for path in scripts if not is_test_path(path)]

    def answer(self, question: str) -> Verdict:
        """Return the answer to one of the questions of `verify.course.checks.running`."""
        answers = {PASS: self._pass, FAIL: self._fail_without_change, NOTICE: self._notice_faults}
        return answers[question]()

    def _pass(self) -> Verdict:
        """Return whether all tests pass, among them those of the submission."""
        if not self._base:
            return not_checked("the course has no sources to compare with")
        if not any(path.endswith(_ENDINGS) and is_test_path(path) for path in self._project.files):
            return not_checked("there are no tests for node --test")
        if not self._tests:
            return failed(self._finding("the tests are as before", "a test that is new or changed"))
        code = self._code(self._project.files, ("node", "--test"))
        if code == 0:
            return _said("the tests pass")
        found = "a limit was exceeded" if code is None else f"exit code {code}"
        run = f"Run node --test in {self._project.folder}/, and fix what fails."
        return failed(self._finding("the tests fail", "exit code 0", found)._replace(action=run))

    def _fail_without_change(self) -> Verdict:
        """Return whether they fail once the sources are as before: else they test nothing."""
        if not self._sources:
            return not_checked("no source is changed")
        kept = {path: data for path, data in self._project.files.items() if is_test_path(path)}
        if self._code(laid_over(self._base, kept), ("node", "--test", *self._tests)) != 0:
            return _said("the tests fail without the change")
        return failed(self._finding("the tests pass without the change", "tests that fail"))

    def _notice_faults(self) -> Verdict:
        """Return whether they notice at least half of some small faults in the changed sources."""
        made, missed = 0, []
        for path, source, fault in self._faults():
            changed = {**self._project.files, path: fault.made_in(source).encode()}
            code = self._code(changed, (*_WITH_FAULT, path, *self._tests))
            made += code != _NO_SOURCE
            if code == 0:
                missed.append((path, source, fault))
            if made == MOST or time.monotonic() > self._until:
                break
        if not made:
            return not_checked("no small fault can be made in the changed sources")
        message = f"the tests notice {made - len(missed)} of {made} small faults"
        if 2 * len(missed) <= made:
            return _said(message)
        return failed(*(self._missed(message, *which) for which in missed))

    def _faults(self) -> Iterator[tuple[str, str, SourceFault]]:
        """Yield the faults in what is changed in the sources, in an order that the seed draws."""
        found = []
        for path in sorted(self._sources):
            source = self._project.files[path].decode(errors="replace")
            before = set(self._base.get(path, b"").decode(errors="replace").split("\n"))
            found += [(path, source, f) for f in faults(source) if f.line(source) not in before]
        Random(f"{self._seed} {self._name}").shuffle(found)  # noqa: S311  # a seed has no secret
        yield from found

    def _code(self, files: Mapping[str, bytes], command: Sequence[str]) -> int | None:
        """Return the exit code of a command among files, None where it exceeds a limit."""
        seconds = max(1, min(_EACH, int(self._until - time.monotonic())))
        project = self._project._replace(files=files, command=command, tools=())
        bounds = Bounds(starting=seconds, in_all=seconds, limits=_LIMITS)
        with Starter(project, self._way, bounds)({}) as running:
            return running.code()

    def _missed(self, message: str, path: str, source: str, fault: SourceFault) -> Finding:
        again = f"--run --run-tests --seed {self._seed} makes the same faults again."
        return Finding(
            message,
            expected="a test that fails with this fault",
            found=fault.shown(source),
            file=f"{self._project.folder}/{path}",
            line=source.count("\n", 0, fault.start) + 1,
            column=1,
            action=f"{_CHANGE} {again}",
        )

    def _finding(self, message: str, expected: str, found: str = "") -> Finding:
        return Finding(message, expected, found, file=self._project.folder, action=_CHANGE)


def _said(message: str) -> Verdict:
    return PASSED._replace(findings=(Finding(message),))
