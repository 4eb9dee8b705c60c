"""Measures what the tests notice: makes random faults and runs the tests of their area.

    .venv/bin/python tools/mutants.py                                100 mutants, seed 12
    .venv/bin/python tools/mutants.py --count 20 --seed 7
    .venv/bin/python tools/mutants.py --tests ../before              the same mutants, other tests

A mutant is one small change in one place: a comparison, a condition, a number, a statement, a
returned value. It is killed if a test of its area fails. The same seed and the same code give
the same mutants, so two sets of tests can be compared. The tool works in a copy of the project,
prints a line for each mutant and the share that was killed, and takes about half an hour.
A test that fails without any mutant is named and left out.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[1]
_TAKEN = ("tests", "fixtures")  # from the folder that --tests names
_LEFT = shutil.ignore_patterns(".git", ".venv", "__pycache__")
_TIMEOUT = 240  # seconds for the tests of one mutant: one that never ends is killed
_PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow")


class Area(NamedTuple):
    """Files to change and the tests that are responsible for them, as patterns below the root."""

    files: tuple[str, ...]
    tests: tuple[str, ...]


AREAS = {
    "protocol": Area(
        (
            "pipeline/schema.py",
            "pipeline/protocol/json_text.py",
        ),
        (
            "tests/unit/pipeline/test_schema.py",
            "tests/unit/pipeline/test_json_text.py",
            "tests/unit/pipeline/test_[pvw]*.py",
            "tests/acceptance/*specification*",
            "tests/acceptance/test_validate_command.py",
            "tests/property/test_json_text.py",
        ),
    ),
    "grader": Area(
        (
            "verify/course/checks/*.py",
            "verify/submissions/submission.py",
            "verify/grading/runner.py",
        ),
        (
            "tests/unit/verify/course/checks",
            "tests/unit/verify/grading/*.py",
            "tests/unit/verify/submissions/test_submission.py",
            "tests/course/test_[efhlm]*.py",
        ),
    ),
}

_OPPOSITES: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq,
    ast.Is: ast.IsNot,
    ast.Lt: ast.LtE,
    ast.Gt: ast.GtE,
    ast.In: ast.NotIn,
    ast.And: ast.Or,
    ast.Add: ast.Sub,
}
_OPERATORS = {**_OPPOSITES, **{b: a for a, b in _OPPOSITES.items()}, ast.Mult: ast.Add}


class Mutant(NamedTuple):
    """One file with one change; `change` says what became what."""

    area: str
    file: str
    line: int
    change: str
    source: str

    @property
    def name(self) -> str:
        """Return the place and the change in one line."""
        return f"{self.file}:{self.line}: {self.change}"


def changed(node: ast.AST) -> ast.AST | None:
    """Return a node with one fault to put in the place of another, None if it has no fault."""
    match node:
        case ast.Compare(left=left, ops=[operator, *others], comparators=right):
            return ast.Compare(left, [_OPERATORS[type(operator)](), *others], right)
        case ast.BoolOp(op=operator, values=values):
            return ast.BoolOp(_OPERATORS[type(operator)](), values)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            return ast.BinOp(left, _OPERATORS[type(operator)](), right)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.Name() | ast.Call():
            return ast.UnaryOp(ast.Not(), node)  # of a condition, see _places
    return _other_constant(node) or _other_statement(node)


def _other_constant(node: ast.AST) -> ast.AST | None:
    match node:
        case ast.Constant(value=bool(value)):
            return ast.Constant(not value)
        case ast.Constant(value=int(value)):
            return ast.Constant(value + 1)
    return None


def _other_statement(node: ast.AST) -> ast.AST | None:
    match node:
        case ast.Return(value=ast.expr()):
            return ast.Return(ast.Constant(None))
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break():
            return ast.Pass()
    return None


def mutants_of(area: str, file: str) -> Iterator[Mutant]:
    """Yield every mutant of a file, in the order of its lines."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    for parent, field, index, node in list(_places(tree)):
        mutated = changed(node)
        if mutated is not None:
            was, now = (" ".join(ast.unparse(part).split())[:60] for part in (node, mutated))
            _put(parent, field, index, mutated)
            source = ast.unparse(ast.fix_missing_locations(tree))
            _put(parent, field, index, node)
            yield Mutant(area, file, node.lineno, f"{was}  ->  {now}", source)


def _put(parent: ast.AST, field: str, index: int | None, node: ast.AST) -> None:
    if index is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[index] = node


def _places(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.expr | ast.stmt]]:
    """Yield the nodes that may change, each with its parent, the parent's field and its index.

    Annotations and docstrings do not change; a name or a call does if it is a condition.
    """
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(node, ast.AST) or _is_idle(node):
                continue
            decides = field == "test" or isinstance(tree, ast.BoolOp)
            if isinstance(node, (ast.expr, ast.stmt)) and (
                decides or not isinstance(node, (ast.Name, ast.Call))
            ):
                yield tree, field, index, node
            yield from _places(node)


def _is_idle(node: ast.AST) -> bool:
    """Return whether a change has no effect at run time: types, docstrings, f-strings."""
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, (ast.Import, ast.ImportFrom, ast.JoinedStr))


class Workshop:
    """A copy of the project in which mutants are tried one after the other."""

    def __init__(self, folder: Path, tests: Path) -> None:
        self._folder = folder / "copy"
        shutil.copytree(ROOT, self._folder, ignore=_LEFT, symlinks=True)
        for name in _TAKEN if tests != ROOT else ():
            shutil.rmtree(self._folder / name)
            shutil.copytree(tests / name, self._folder / name, ignore=_LEFT, symlinks=True)
        (self._folder / ".venv").symlink_to(ROOT / ".venv")
        self._left_out = {name: self._failing(area) for name, area in AREAS.items()}

    def _failing(self, area: Area) -> list[str]:
        """Return the tests that fail without any mutant, and name them."""
        lines = self._run(area, "--tb=no", "-rfE").splitlines()
        failed = [line.split(" ")[1] for line in lines if line.startswith(("FAILED", "ERROR"))]
        for test in dict.fromkeys(failed):
            print(f"left out, it fails without a mutant: {test}", flush=True)
        return [f"--{'deselect' if '::' in test else 'ignore'}={test}" for test in failed]

    def kills(self, mutant: Mutant) -> bool:
        """Return whether a test of the mutant's area fails with it."""
        path = self._folder / mutant.file
        was, state = path.read_bytes(), path.stat()
        path.write_text(mutant.source, encoding="utf-8")
        try:
            report = self._run(AREAS[mutant.area], "-x", "--tb=no", *self._left_out[mutant.area])
        finally:
            path.write_bytes(was)
            os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
        return " passed" not in report or " failed" in report or " error" in report

    def _run(self, area: Area, *options: str) -> str:
        paths = [p for pattern in area.tests for p in sorted(self._folder.glob(pattern))]
        ours = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(self._folder)}
        with contextlib.suppress(subprocess.TimeoutExpired):
            return subprocess.run(  # noqa: S603  # pytest
                [*_PYTEST, *options, *(str(p.relative_to(self._folder)) for p in paths)],
                cwd=self._folder,
                env={**os.environ, **ours},
                check=False,
                capture_output=True,
                text=True,
                timeout=_TIMEOUT,
            ).stdout
        return ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the mutants, run the tests on each, print what was killed, return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=100, help="how many mutants (default: 100)")
    parser.add_argument("--seed", type=int, default=12, help="which ones (default: 12)")
    parser.add_argument(
        "--tests", type=Path, default=ROOT, help="the project whose tests and fixtures run"
    )
    options = parser.parse_args(arguments)
    if not all((options.tests / name).is_dir() for name in _TAKEN):
        parser.error(
            f"{options.tests} is not a checkout of the project: it has no tests or no fixtures"
        )
    if options.count < 1:
        parser.error(f"--count {options.count} is too few: expected 1 or more")
    patterns = [
        area_pattern for area in AREAS.values() for area_pattern in (*area.files, *area.tests)
    ]
    if stale := [pattern for pattern in patterns if not any(ROOT.glob(pattern))]:
        parser.error(f"no file fits {', '.join(stale)}: correct AREAS")
    mutants = [
        mutant
        for name, area in AREAS.items()
        for pattern in area.files
        for path in sorted(ROOT.glob(pattern))
        for mutant in mutants_of(name, str(path.relative_to(ROOT)))
    ]
    chosen = random.Random(options.seed).sample(mutants, min(options.count, len(mutants)))  # noqa: S311
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        return _tried(chosen, Workshop(Path(folder), options.tests))


def _tried(mutants: Sequence[Mutant], workshop: Workshop) -> int:
    made, killed = Counter[str](), Counter[str]()
    for mutant in mutants:
        begun = time.monotonic()
        dead = workshop.kills(mutant)
        made[mutant.area] += 1
        killed[mutant.area] += dead
        verdict = "killed  " if dead else "SURVIVED"
        print(f"{verdict} {time.monotonic() - begun:5.1f} s  {mutant.name}", flush=True)
    for area in made:
        print(f"{area}: {killed[area]} of {made[area]} killed")
    print(f"all: {killed.total()} of {made.total()} killed")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
