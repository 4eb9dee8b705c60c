"""Services of a few lines, and what starts them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from verify.acceptance.reading import LISTEN
from verify.acceptance.service import Request
from verify.grading.ways import JAIL
from verify.running.service import BOUNDS, Bounds, Project, Starter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GET = Request(method="GET", target="/")
ANSWER = """
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
let count = 0;
createServer((request, response) => {
  count += 1;
  response.end(`${count} ${request.socket.remoteAddress} ${process.env.WORD}`);
}).listen(3000);
"""
Started = "Callable[..., Starter]"


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Starter]:
    """Return what makes the starter of a service whose one module has a text."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    if shutil.which("node") is None:
        pytest.skip("a service needs Node.js")

    def start(text: str, way: str = JAIL, bounds: Bounds = BOUNDS, **more: bytes) -> Starter:
        files = {"main.mjs": text.encode(), **more}
        command = ("node", "--import", LISTEN, "main.mjs")
        return Starter(Project("app", files, command, tools=(LISTEN,)), way, bounds)

    return start
