"""Reads which statements the tests show: `@pytest.mark.spec("2.2.3")`, from the tests' syntax."""

from __future__ import annotations

import ast
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK = "pytest.mark.spec"
_PARAM = "pytest.param"
_NO_TEST = "a spec marker is not on a test"
_NO_TEXTS = "a spec marker names its statements as texts"


class Marker(NamedTuple):
    """One statement that a test shows; `statement` is empty if the marker is `wrong`."""

    path: str
    line: int
    test: str = ""
    statement: str = ""
    wrong: str = ""


def read_markers(root: str, folder: str = "tests") -> tuple[Marker, ...]:
    """Return every marker of the tests below a folder, by path and line; imports none of them."""
    return tuple(
        marker
        for path in sorted(Path(root, folder).rglob("*.py"))
        for marker in markers_in(
            path.read_text(encoding="utf-8"), path.relative_to(root).as_posix().replace(os.sep, "/")
        )
    )


def markers_in(source: str, path: str) -> tuple[Marker, ...]:
    """Return the markers of one test file, on tests and on single cases of `parametrize`."""
    tree = ast.parse(source)
    on_tests: set[ast.AST] = set()
    markers: list[Marker] = []
    for test in ast.walk(tree):
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test_"):
            for call, case in _calls(test):
                on_tests.add(call.func)
                name = f"{test.name}[{case}]" if case else test.name
                markers += _named(call, path, name)
    markers += [
        Marker(path, node.lineno, wrong=_NO_TEST)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node) == MARK and node not in on_tests
    ]
    return tuple(sorted(markers, key=lambda marker: marker.line))


def _calls(test: ast.FunctionDef) -> Iterator[tuple[ast.Call, str]]:
    """Yield a test's calls of the marker, each with the id of its case."""
    nodes = [node for decorator in test.decorator_list for node in ast.walk(decorator)]
    cases = {
        mark: _id_of(param)
        for param in nodes
        if isinstance(param, ast.Call) and ast.unparse(param.func) == _PARAM
        for mark in ast.walk(param)
    }
    for node in nodes:
        if isinstance(node, ast.Call) and ast.unparse(node.func) == MARK:
            yield node, cases.get(node, "")


def _id_of(param: ast.Call) -> str:
    values = (keyword.value for keyword in param.keywords if keyword.arg == "id")
    return next((str(v.value) for v in values if isinstance(v, ast.Constant)), "")


def _named(call: ast.Call, path: str, test: str) -> Iterator[Marker]:
    """Yield the statements that a marker names, or what is wrong with it."""
    for argument in call.args or [ast.Constant(None)]:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            yield Marker(path, call.lineno, test, argument.value)
        else:
            yield Marker(path, call.lineno, test, wrong=_NO_TEXTS)
