"""Replays a recorded run: plan, changes, review and words of a folder, with no model at all."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from pipeline.bootstrap import ROOT
from pipeline.display import visible
from pipeline.drivers.base import DriverFault, Reply
from pipeline.git.repository import Repository
from pipeline.layout import PLAN, WORKER_RESULT, in_target
from pipeline.reading import Unreadable, read_file
from pipeline.writing import write_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.drivers.base import Turn

RECORDINGS = os.path.join(ROOT, "fixtures", "solutions")
RECORDING = "recording.json"
CHANGES = "changes.patch"
_VERSION = 1


class Replay:
    """Plays `<folder>/<issue>/`, or `folder` itself where it is a recording.

    A recording has `recording.json` (version, issue, target, review, message), `plan.json` unless
    the task is trivial, `worker-result.json` and `changes.patch`; its paths are relative to its
    target.
    """

    name = "replay"
    client = ""

    def __init__(self, folder: str = "") -> None:
        self._folder = folder or RECORDINGS

    def take(self, turn: Turn, tell: Callable[[str], None]) -> Reply:
        """Do what the recorded agent of the turn's stage did.

        Raises:
            DriverFault: there is no recording of the issue, or it cannot be read or applied here.
        """
        recording = _Recording(self._place(turn.issue), turn)
        if turn.stage == "plan":
            recording.require_plan()
            recording.write(PLAN)
            return Reply(text=f"The plan is written: {turn.artifact}")
        if turn.stage == "implement":
            return Reply(text=recording.implement(tell))
        return Reply(text=recording.said("review" if turn.stage == "review" else "message"))

    def close(self) -> None:
        """Nothing was started."""

    def _place(self, issue: str) -> str:
        if os.path.isfile(os.path.join(self._folder, RECORDING)):
            return self._folder
        place = os.path.join(self._folder, issue)
        if os.path.isfile(os.path.join(place, RECORDING)):
            return place
        raise DriverFault(
            f"there is no recorded run of {issue} in {visible(self._folder, 300)}: choose an agent "
            "with --driver acp, or another folder with --recording",
            usage=True,
        )


class _Recording:
    """One recorded run, its paths as they are from the turn's target project."""

    def __init__(self, folder: str, turn: Turn) -> None:
        self._folder = folder
        self._turn = turn
        about = self._json(RECORDING)
        if about.get("version") != _VERSION:
            raise DriverFault(f"{self._at(RECORDING)}: expected version {_VERSION}", usage=True)
        if about.get("issue", turn.issue) != turn.issue:
            raise DriverFault(
                f"{self._at(RECORDING)}: is a run of {visible(str(about['issue']))}, not of "
                f"{turn.issue}",
                usage=True,
            )
        self._about = about
        self._prefix = self._from_target(str(about.get("target", ".")))

    def require_plan(self) -> None:
        """Refuse to plan where nothing was planned."""
        if not os.path.lexists(self._at(PLAN)):
            raise DriverFault(
                f"{visible(self._folder, 300)}: the recorded task is trivial and has no plan: give "
                "--tier trivial",
                usage=True,
            )

    def said(self, key: str) -> str:
        """Return recorded words, empty where there are none."""
        text = self._about.get(key, "")
        return text if isinstance(text, str) else ""

    def write(self, name: str) -> None:
        """Write a recorded artifact as the turn's."""
        write_json(self._artifact, self._artifact_value(name))

    def implement(self, tell: Callable[[str], None]) -> str:
        """Apply the recorded changes, those that are not there yet, and write the result."""
        result = self._artifact_value(WORKER_RESULT)
        in_the_way = self._apply(result["files_changed"], tell)
        if in_the_way:
            blocker = f"the recorded change does not apply to {', '.join(in_the_way)}"
            result |= {
                "status": "blocked",
                "files_changed": [],
                "blockers": [blocker],
                "summary": "Stopped: the project differs from the one that was recorded",
            }
        write_json(self._artifact, result)
        return f"{result['status']}: {self._turn.artifact}"

    def _apply(self, files: list[str], tell: Callable[[str], None]) -> list[str]:
        """Apply the patch file by file and return the files to which it applies neither way.

        Nothing is changed where one of them is in the way; a file that has its change already is
        left as it is, since an earlier run may have been cut short.
        """
        repository = Repository(self._turn.root)
        state = {file: self._state(repository, file) for file in files}
        in_the_way = [file for file, is_open in state.items() if is_open is None]
        if in_the_way:
            return in_the_way
        for file, is_open in state.items():
            if is_open:
                tell(f"changes {file}")
                repository.run(*self._words(file))
        return []

    def _state(self, repository: Repository, file: str) -> bool | None:
        """Return whether a file's change is still to be made, None where it cannot be."""
        if repository.attempt(*self._words(file, "--check")).returncode == 0:
            return True
        back = repository.attempt(*self._words(file, "--check", "--reverse"))
        return False if back.returncode == 0 else None

    def _words(self, file: str, *options: str) -> list[str]:
        whole = in_target(self._turn.target, file)
        folder = in_target(self._turn.target, self._prefix).rstrip("/")
        where = [] if folder in ("", ".") else [f"--directory={folder}"]
        return ["apply", *options, *where, f"--include={whole}", os.path.abspath(self._at(CHANGES))]

    def _artifact_value(self, name: str) -> dict[str, Any]:
        """Return a recorded artifact, its paths relative to the turn's target."""
        value = self._json(name)
        try:
            return self._moved(value, ("status", "files_changed") if name == WORKER_RESULT else ())
        except (AttributeError, KeyError, TypeError):
            shown = visible(self._at(name), 300)
            raise DriverFault(f"{shown}: is no artifact of its name", usage=True) from None

    def _moved(self, value: dict[str, Any], needed: tuple[str, ...]) -> dict[str, Any]:
        for key in needed:
            value[key]
        for key in ("affected_files", "files_changed"):
            if key in value:
                value[key] = [self._prefix + path for path in value[key]]
        for step in value.get("steps", ()):
            step["file"] = self._prefix + step["file"]
        mapping = value.get("acceptance_mapping")
        if mapping:
            value["acceptance_mapping"] = {k: self._prefix + path for k, path in mapping.items()}
        return value

    @property
    def _artifact(self) -> str:
        return os.path.join(self._turn.root, *self._turn.artifact.split("/"))

    def _at(self, name: str) -> str:
        return os.path.join(self._folder, name)

    def _json(self, name: str) -> dict[str, Any]:
        path = self._at(name)
        try:
            value = json.loads(read_file(path))
        except Unreadable as error:
            raise DriverFault(f"{visible(path, 300)}: {error}", usage=True) from None
        except (ValueError, RecursionError):
            raise DriverFault(f"{visible(path, 300)}: is no JSON", usage=True) from None
        if not isinstance(value, dict):
            raise DriverFault(f"{visible(path, 300)}: expected an object", usage=True)
        return value

    def _from_target(self, recorded: str) -> str:
        """Return what the recorded paths begin with, seen from the turn's target."""
        target = self._turn.target
        if target == recorded:
            return ""
        if target == ".":
            return f"{recorded}/"
        if recorded.startswith(f"{target}/"):
            return recorded[len(target) + 1 :] + "/"
        raise DriverFault(
            f"{visible(self._at(RECORDING), 300)}: is a run of {visible(recorded)}, not of "
            f"{visible(target)} (choose --project {visible(recorded)}, or none)",
            usage=True,
        )
