"""Measures what the tests notice: makes random faults and runs the tests of their area.

    .venv/bin/python tools/mutants.py                                100 mutants, seed 12
    .venv/bin/python tools/mutants.py --count 20 --seed 7
    .venv/bin/python tools/mutants.py --tests ../before              the same mutants, other tests

A mutant is one small change of one place: a comparison, a condition, a number, a statement, a
returned value. It is killed when a test of its area fails. The same seed and the same code give
the same mutants, so that two sets of tests can be compared. It works in a copy of the tracked
files, prints a line for each mutant and the share that was killed, and takes about half an hour.
A test that fails without any mutant is named and left out.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
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
    from collections.abc import Callable, Iterator, Sequence

ROOT = Path(__file__).resolve().parents[1]
_TAKEN = ("tests", "fixtures")  # from the folder that --tests names
_TIMEOUT = 240  # seconds for the tests of one mutant: one that never ends is killed


class Area(NamedTuple):
    """Files to change and the tests that answer for them, as patterns below the root."""

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
            "verify/checks/*.py",
            "verify/submission.py",
            "verify/runner.py",
        ),
        (
            "tests/unit/verify/checks",
            "tests/unit/verify/test_[amrs]*.py",
            "tests/course/test_[efhlm]*.py",
        ),
    ),
}


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


# --- the changes ----------------------------------------------------------------------------------

_OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
}


_PLACES = (ast.expr, ast.stmt)


def changed(node: ast.AST) -> ast.AST | None:
    """Return what takes the place of a node, with one fault, or None where there is no fault."""
    twin = copy.deepcopy(node)
    match twin:
        case ast.Compare(ops=[operator, *others]) if type(operator) in _OPERATORS:
            twin.ops = [_OPERATORS[type(operator)](), *others]  # type: ignore[list-item]
        case ast.BoolOp() | ast.BinOp() if type(twin.op) in _OPERATORS:
            twin.op = _OPERATORS[type(twin.op)]()  # type: ignore[assignment]
        case ast.UnaryOp(op=ast.Not()):
            return twin.operand
        case ast.Name() | ast.Call():
            return ast.UnaryOp(ast.Not(), twin)  # of a condition, see _places
        case _:
            return _constant_or_statement(twin)
    return twin


def _constant_or_statement(node: ast.AST) -> ast.AST | None:
    match node:
        case ast.Constant(value=bool(value)):
            return ast.Constant(not value)
        case ast.Constant(value=int(value)):
            return ast.Constant(value + 1)
        case ast.Return(value=ast.expr()):
            return ast.Return(ast.Constant(None))
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break():
            return ast.Pass()
    return None


def mutants_of(area: str, file: str) -> list[Mutant]:
    """Return every mutant of a file, in the order of its lines."""
    source = (ROOT / file).read_text(encoding="utf-8")
    found = []
    for node in _places(ast.parse(source)):
        other = changed(node)
        if other is not None:
            was, now = _segment(source, node), ast.unparse(ast.fix_missing_locations(other))
            now = f"({now})" if isinstance(node, ast.expr) else now
            change = f"{' '.join(was.split())[:60]}  ->  {' '.join(now.split())[:60]}"
            found.append(Mutant(area, file, node.lineno, change, _replaced(source, node, now)))
    return [mutant for mutant in found if _compiles(mutant.source)]


def _places(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Yield the nodes that may change: no annotation, no docstring; a name or call as condition."""
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if not isinstance(node, ast.AST) or _is_idle(node):
                continue
            decides = field == "test" or isinstance(tree, ast.BoolOp)
            if decides or (
                isinstance(node, _PLACES) and not isinstance(node, (ast.Name, ast.Call))
            ):
                yield node  # type: ignore[misc]
            yield from _places(node)


def _is_idle(node: ast.AST) -> bool:
    """Return whether a change has no effect at run time: types, docstrings, f-strings."""
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, (ast.Import, ast.ImportFrom, ast.JoinedStr))


def _segment(source: str, node: ast.expr | ast.stmt) -> str:
    return ast.get_source_segment(source, node) or ""


def _replaced(source: str, node: ast.expr | ast.stmt, text: str) -> str:
    lines = source.encode().splitlines(keepends=True)
    ends = node.end_lineno or node.lineno
    before = b"".join(lines[: node.lineno - 1]) + lines[node.lineno - 1][: node.col_offset]
    after = lines[ends - 1][node.end_col_offset :] + b"".join(lines[ends:])
    indented = text.replace("\n", "\n" + " " * node.col_offset)
    return (before + indented.encode() + after).decode()


def _compiles(source: str) -> bool:
    with contextlib.suppress(SyntaxError):
        compile(source, "mutant", "exec")
        return True
    return False


# --- the runs -------------------------------------------------------------------------------------


class Workshop:
    """A copy of the project's tracked files, in which mutants are tried one after the other."""

    def __init__(self, folder: Path, tests: Path) -> None:
        self._folder = folder
        names = subprocess.run(  # the project's own files
            ["git", "ls-files", "-z"],  # noqa: S607
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split("\0")
        for name in filter(None, names):
            if not name.startswith(_TAKEN) and (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        for name in _TAKEN:
            compiled = shutil.ignore_patterns("__pycache__")
            shutil.copytree(tests / name, folder / name, ignore=compiled, symlinks=True)
        (folder / ".venv").symlink_to(ROOT / ".venv")

    def failing(self, area: Area) -> list[str]:
        """Return the tests that fail without any mutant."""
        done = self._run(area, (), "--tb=no", "-rfE")
        lines = [
            line.split(" ")[1] for line in done.splitlines() if line.startswith(("FAILED", "ERROR"))
        ]
        return list(dict.fromkeys(lines))

    def kills(self, mutant: Mutant, passed_over: Sequence[str]) -> bool:
        """Return whether a test of the mutant's area fails with it."""
        path = self._folder / mutant.file
        was, state = path.read_bytes(), path.stat()
        path.write_text(mutant.source, encoding="utf-8")
        try:
            report = self._run(AREAS[mutant.area], passed_over, "-x", "--tb=no")
        finally:
            path.write_bytes(was)
            os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
        return " passed" not in report or " failed" in report or " error" in report

    def _run(self, area: Area, passed_over: Sequence[str], *options: str) -> str:
        paths = [
            str(p.relative_to(self._folder))
            for pattern in area.tests
            for p in sorted(self._folder.glob(pattern))
        ]
        left_out = [f"--{'deselect' if '::' in t else 'ignore'}={t}" for t in passed_over]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow"]
        environment = {
            **os.environ,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(self._folder),
        }
        with contextlib.suppress(subprocess.TimeoutExpired):
            return subprocess.run(  # noqa: S603  # pytest
                [*command, *options, *left_out, *paths],
                cwd=self._folder,
                env=environment,
                check=False,
                capture_output=True,
                text=True,
                timeout=_TIMEOUT,
            ).stdout
        return ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the mutants, run the tests on each, print what was killed, return the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if not all((Path(options.tests) / name).is_dir() for name in _TAKEN):
        parser.error(
            f"{options.tests} has no {' and '.join(_TAKEN)}: name a checkout of the project"
        )
    if options.count < 1:
        parser.error(f"--count {options.count} is too few: expected 1 or more")
    patterns = [each for area in AREAS.values() for each in (*area.files, *area.tests)]
    if stale := [each for each in patterns if not any(ROOT.glob(each))]:
        parser.error(f"no file fits {', '.join(stale)}: correct AREAS")
    files = {
        str(path.relative_to(ROOT)): area
        for area, (patterns, _) in AREAS.items()
        for pattern in patterns
        for path in sorted(ROOT.glob(pattern))
    }
    mutants = [m for file, area in files.items() for m in mutants_of(area, file)]
    chosen = random.Random(options.seed).sample(mutants, min(options.count, len(mutants)))  # noqa: S311
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        workshop = Workshop(Path(folder), Path(options.tests))
        passed_over = {name: workshop.failing(area) for name, area in AREAS.items()}
        for name, failing in passed_over.items():
            for test in failing:
                print(f"left out, it fails without a mutant ({name}): {test}", flush=True)
        return _tried(chosen, lambda mutant: workshop.kills(mutant, passed_over[mutant.area]))


def _tried(mutants: Sequence[Mutant], kills: Callable[[Mutant], bool]) -> int:
    made, killed = Counter[str](), Counter[str]()
    for mutant in mutants:
        begun = time.monotonic()
        dead = kills(mutant)
        made[mutant.area] += 1
        killed[mutant.area] += dead
        verdict = "killed  " if dead else "SURVIVED"
        print(f"{verdict} {time.monotonic() - begun:5.1f} s  {mutant.name}", flush=True)
    for area in made:
        print(f"{area}: {killed[area]} of {made[area]} killed")
    print(f"all: {killed.total()} of {made.total()} killed")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=100, help="how many mutants (default: 100)")
    parser.add_argument("--seed", type=int, default=12, help="which ones (default: 12)")
    parser.add_argument(
        "--tests", default=str(ROOT), help="the project whose tests and fixtures run"
    )
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
