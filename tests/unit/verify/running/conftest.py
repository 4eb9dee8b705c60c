"""Services of a few lines, and what starts them."""

from __future__ import annotations

import shutil
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from verify.acceptance.reading import LISTEN
from verify.acceptance.service import Request
from verify.grading.model import JAIL
from verify.running.service import Project, Starter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
def started() -> Iterator[Callable[..., Starter]]:
    """Return what makes the starter of a service whose one module has a text."""
    made: list[Starter] = []
    if shutil.which("node") is None:
        pytest.skip("a service needs Node.js")

    def start(text: str, way: str = JAIL, **more: bytes) -> Starter:
        files = {"main.mjs": text.encode(), **more}
        command = ("node", "--import", LISTEN, "main.mjs")
        made.append(Starter(Project("app", files, command, tools=(LISTEN,)), way))
        return made[-1]

    yield start
    for starter in made:
        with closing(starter):
            pass
