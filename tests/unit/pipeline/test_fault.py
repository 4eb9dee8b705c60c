"""The exceptions of the pipeline are one tree, and one page lists all of them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from pipeline.bootstrap import ROOT
from pipeline.terminal import fault


def test_g3_every_exception_is_on_the_page_below_its_base() -> None:
    listed, bases = {}, ["Exception"]
    for indent, name in re.findall(r"^( *)- `(\w+)`: ", fault.__doc__ or "", re.MULTILINE):
        bases = [*bases[: 1 + len(indent) // 2], name]
        listed[name] = bases[-2]
    defined = {
        node.name: ast.unparse(node.bases[0])
        for path in Path(ROOT, "pipeline").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and node.bases
        and ast.unparse(node.bases[0]) in {"Exception", *listed}
    }

    assert listed == defined
