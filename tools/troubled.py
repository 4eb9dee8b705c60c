"""Records what the sandbox's tests say in the troubled run of an issue, in its `troubled.json`.

usage: python tools/troubled.py      (needs `npm --prefix sandbox ci`)
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from pipeline.drivers.base import Turn
from pipeline.drivers.replay import RECORDINGS, TROUBLED, Replay
from pipeline.git import Repository
from pipeline.tiers import Selection
from tools.shipped import ARCHIVE

if TYPE_CHECKING:
    from collections.abc import Iterator

ISSUE = "ISSUE-302"
PLACE = Path(RECORDINGS, ISSUE, TROUBLED)
_TOLD = re.compile(r"\s*not ok .*|# (?:tests|pass|fail|skipped) \d+")


def recorded() -> dict[str, Any]:
    """Return the recording of the troubled run."""
    value: dict[str, Any] = json.loads(PLACE.read_text(encoding="utf-8"))
    return value


def tested(modules: Path) -> list[dict[str, Any]]:
    """Return what the tests say before the work and after each turn that completes it.

    They really run, in a copy of the original sandbox with these `node_modules`.
    """
    with tempfile.TemporaryDirectory() as folder:
        Repository(".").run(
            "clone", "--quiet", "--branch=main", os.path.join(ROOT, ARCHIVE), folder
        )
        sandbox = Path(folder, "sandbox")
        (sandbox / "node_modules").symlink_to(modules, target_is_directory=True)
        return [_ran(sandbox), *_turns(folder, sandbox)]


def _turns(root: str, sandbox: Path) -> Iterator[dict[str, Any]]:
    driver = Replay(ISSUE)
    for entry in recorded()["implement"]:
        turn = Turn(
            session="",
            role="x-worker",
            stage="implement",
            issue=ISSUE,
            prompt="",
            root=root,
            target="sandbox",
            artifact=f"sandbox/.pipeline/{ISSUE}/worker-result.json",
            writes="project",
            selection=Selection(),
        )
        driver.take(turn, lambda _, **__: None)
        if "result" not in entry:
            yield _ran(sandbox)


def _ran(sandbox: Path) -> dict[str, Any]:
    words = ("npm", "test", "--silent", "--", "--test-reporter=tap")
    done = subprocess.run(  # noqa: S603  # the tests of a solution, as a learner runs them
        words,
        cwd=sandbox,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if _TOLD.fullmatch(line)]
    return {"exit_code": done.returncode, "output": lines}


def main() -> None:
    """Write the recording anew."""
    found = {**recorded(), "test": tested(Path(ROOT, "sandbox", "node_modules"))}
    PLACE.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
