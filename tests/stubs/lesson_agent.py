"""An agent for `--driver command` that does a role's part of an issue from the course's solution.

    python lesson_agent.py ROLE ROOT TARGET ARTIFACT < prompt

It works on whatever the learner's project has become: a change is merged into the files, it is not
played over them.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SOLUTIONS = Path(__file__).parents[2] / "fixtures" / "solutions"


def solution(issue: str, name: str) -> Any:
    """Return a JSON document of the solution of an issue."""
    return json.loads((SOLUTIONS / issue / name).read_text(encoding="utf-8"))


def written(issue: str, target: str, name: str) -> Any:
    """Return an artifact of the solution, its paths as they are from the target project."""
    prefix = "sandbox/" if target == "." else ""

    def moved(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: moved(part) for key, part in value.items()}
        if isinstance(value, list):
            return [moved(part) for part in value]
        is_path = isinstance(value, str) and value.removeprefix("sandbox/") in paths
        return prefix + value.removeprefix("sandbox/") if is_path else value

    paths = {path.removeprefix("sandbox/") for path in _files(issue)}
    return moved(solution(issue, name))


def _files(issue: str) -> list[str]:
    files: list[str] = solution(issue, "worker-result.json")["files_changed"]
    return files


def change(root: Path, issue: str) -> None:
    """Merge the change of an issue into the sandbox, lines of both sides kept where they meet."""
    paths = [path.removeprefix("sandbox/") for path in _files(issue)]
    first = _git(root, "rev-list", "--max-parents=0", "HEAD").split()[0]
    with tempfile.TemporaryDirectory() as folder:
        shipped = Path(folder)
        for path in paths:
            _shipped(root, first, path, shipped / "before")
            _shipped(root, first, path, shipped / "after")
        patch = SOLUTIONS / issue / "changes.patch"
        parts = "-p2" if _files(issue)[0].startswith("sandbox/") else "-p1"
        _git(shipped / "after", "apply", parts, str(patch))
        for path in paths:
            _merge(root / "sandbox" / path, shipped / "before" / path, shipped / "after" / path)


def _shipped(root: Path, commit: str, path: str, folder: Path) -> None:
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    found = subprocess.run(
        ["git", "show", f"{commit}:sandbox/{path}"], cwd=root, capture_output=True, check=False
    )
    if found.returncode == 0:
        place.write_bytes(found.stdout)


def _merge(ours: Path, before: Path, after: Path) -> None:
    if not ours.exists():
        ours.parent.mkdir(parents=True, exist_ok=True)
        ours.write_bytes(after.read_bytes())
    elif not after.exists():
        ours.unlink()
    else:
        before.touch()
        _git(ours.parent, "merge-file", "--quiet", "--union", str(ours), str(before), str(after))


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def main(role: str, root: Path, target: str, artifact: str) -> str:
    """Take one turn; return the answer."""
    (issue, *_) = re.findall(r"ISSUE-[0-9]+", artifact or sys.stdin.read())
    if role.startswith("x-reviewer"):
        return "approved"
    if role == "x-git":
        return str(solution(issue, "recording.json")["message"])
    name = Path(artifact).name
    if name == "worker-result.json":
        change(root, issue)
    value = written(issue, target, name) | {"produced_by": role}
    (root / artifact).parent.mkdir(parents=True, exist_ok=True)
    (root / artifact).write_text(json.dumps(value, indent=2), encoding="utf-8")
    return f"{artifact} is written"


if __name__ == "__main__":
    role, root, target, artifact = sys.argv[1:]
    sys.stdout.write(main(role, Path(root), target, artifact))
