"""A learner's repository with the sandbox in it, where `pipeline run` takes up ISSUE-202."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from pipeline.bootstrap import ROOT
from tests.stubs.repositories import UserRepository, git

PROMPT = "work on issue ISSUE-202: page through the list of notes"
AGENT = Path(__file__).with_name("lesson_agent.py")
CLIENT = f"{shlex.join([sys.executable, str(AGENT)])} {{role}} {{root}} {{target}} {{artifact}}"
TESTED = ("--test-command", "true")  # its own tests need packages that are not installed here
RUN = ("run", PROMPT, "--driver", "command", "--command", CLIENT, *TESTED)


class Bench:
    """The repository, committed, and how to work in it."""

    def __init__(self, root: Path, environment: dict[str, str]) -> None:
        self.root = root
        self.user = user = UserRepository(root)
        ignored = shutil.ignore_patterns("node_modules", ".pipeline", ".cursor")
        shutil.copytree(os.path.join(ROOT, "sandbox"), root / "sandbox", ignore=ignored)
        user.commit()
        nobodys = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        self.environment = {**environment, **nobodys, "PYTHONPATH": ROOT}

    def python(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run Python in the repository."""
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.root,
            env=self.environment | more,
            capture_output=True,
            encoding="utf-8",
            timeout=240,
            check=False,
        )

    def pipeline(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run the command in the repository."""
        return self.python("-m", "pipeline", *words, **more)

    def started(self, *words: str, **options: Any) -> subprocess.Popen[str]:
        """Start a run of ISSUE-202 that tells its events."""
        return subprocess.Popen(
            [sys.executable, "-m", "pipeline", *RUN, "--json", *words],
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def git(self, *words: str) -> str:
        """Return what git prints in the repository."""
        return git(self.root, *words)

    def artifact(self, name: str) -> Any:
        """Return the JSON value of an artifact of ISSUE-202."""
        return json.loads((self.root / ".pipeline" / "ISSUE-202" / name).read_text())
