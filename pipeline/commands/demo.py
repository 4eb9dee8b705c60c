"""`pipeline demo`: plays a recorded run in a copy of the sandbox as it was shipped."""

from __future__ import annotations

import os
import shlex
import tempfile
from typing import TYPE_CHECKING, Any

from pipeline.bootstrap import ROOT, from_here, interruptible
from pipeline.drivers.replay import RECORDINGS, TROUBLED, Replay, recordings
from pipeline.files import is_inside
from pipeline.forges.local import Local
from pipeline.git import GitFault, Repository
from pipeline.run.progress import Lines
from pipeline.terminal.display import did_you_mean, visible
from pipeline.terminal.exit_codes import FAILED, PASSED
from pipeline.terminal.fault import unusable
from pipeline.terminal.streams import deliver

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipeline.terminal.arguments import Arguments

    Recordings = Mapping[str, Mapping[str, Any]]

ARCHIVE = os.path.join(ROOT, "fixtures", "sandbox.bundle")
_SETTINGS = {  # of the copy: the user's own settings could stop a demonstration
    "user.name": "Demonstration",
    "user.email": "demonstration@example.org",
    "commit.gpgSign": "false",
    "core.autocrlf": "false",
    "core.excludesFile": "",
    "core.hooksPath": ".git/hooks",
}
_EPILOG = """\
examples:
  python3 -m pipeline demo
  python3 -m pipeline demo ISSUE-202
  python3 -m pipeline demo ISSUE-302 --troubled
  python3 -m pipeline demo ISSUE-301 ISSUE-302 ISSUE-303 --to ../tiers
"""


def add_options(parser: Arguments) -> None:
    """Add the options of `pipeline demo`."""
    parser.description = (
        "Play recorded runs in a copy of the original sandbox.\n"
        "No agent runs, and your files do not change. The copy is kept: look at it,\n"
        "grade it, or delete it."
    )
    parser.epilog = _EPILOG
    parser.set_defaults(command=_demo)
    recorded = "an issue with a recording (default: list the recordings)"
    parser.add_argument("issues", metavar="ISSUE", nargs="*", help=recorded)
    troubled = "play a run in which tests fail, a review finds a fault and a tier gives up"
    parser.add_argument("--troubled", action="store_true", help=troubled)
    place = "the copy: a new folder outside the course (default: a new temporary folder)"
    parser.add_argument("--to", metavar="DIR", default="", help=place)


def _demo(*, issues: Sequence[str], to: str, troubled: bool) -> int:
    interruptible()
    recorded = recordings()
    chosen = tuple(dict.fromkeys(issues))
    _check(chosen, recorded, to)
    hard = [name for name in chosen if os.path.isfile(os.path.join(RECORDINGS, name, TROUBLED))]
    if troubled and not hard:
        raise unusable("--troubled: there is no such recording (try ISSUE-302)")
    if not chosen:
        deliver(_listed(recorded))
        return PASSED
    copy = to or tempfile.mkdtemp(prefix=f"demo-{chosen[0]}-")
    try:
        _clone(copy)
    except (GitFault, OSError) as error:
        raise unusable(str(error)) from None
    deliver(
        f"This is a recording of {' and '.join(chosen)}: no agent runs, and your files do not "
        "change.\nIt replays the course's own solution in a copy of the original sandbox: "
        f"{visible(copy, 300)}\n"
    )
    codes = [
        _played(issue, recorded[issue], copy, troubled=troubled and issue in hard)
        for issue in chosen
    ]
    deliver("\n".join(_outcome(shlex.quote(copy), chosen, recorded)) + "\n")
    return FAILED if any(codes) else PASSED


def _check(chosen: Sequence[str], recorded: Recordings, to: str) -> None:
    if not recorded or not os.path.isfile(ARCHIVE):
        raise unusable(f"{ROOT} has no recordings: use python3 -m pipeline in the course's folder")
    for issue in chosen:
        if issue not in recorded:
            raise unusable(
                f"there is no recording of {visible(issue)} (expected one of {', '.join(recorded)})"
                f"{did_you_mean(issue, recorded, 0.8)}"
            )
    if to and os.path.lexists(to):
        raise unusable(f"--to {visible(to)}: already exists (choose a new folder)")
    where = os.path.realpath(to or tempfile.gettempdir())
    if is_inside(where, os.path.realpath(ROOT)):
        raise unusable(
            f"{visible(where)} is inside the course (choose a folder outside it with --to)"
        )


def _listed(recorded: Recordings) -> str:
    lines = [
        f"{issue}  {about['task']} ({', '.join(about['exercises']) or 'no exercise'})"
        for issue, about in recorded.items()
    ]
    shown = "\n".join(lines)
    example = "Play one in a copy: python3 -m pipeline demo ISSUE-202"
    return f"Recorded runs of the course's own solutions:\n\n{shown}\n\n{example}\n"


def _clone(copy: str) -> None:
    """Clone the archive, on the branch `main`, without a remote."""
    settings = [word for key, value in _SETTINGS.items() for word in ("-c", f"{key}={value}")]
    words = ("--quiet", "--template=", "--origin=origin", "--branch=main", *settings)
    Repository(".").run("clone", *words, "--", ARCHIVE, copy)
    Repository(copy).run("remote", "remove", "origin")


def _played(issue: str, about: Mapping[str, Any], copy: str, *, troubled: bool) -> int:
    """Play one recording from the copy's first commit, and return the exit code of its run."""
    from pipeline.run.assignment import Prompt, assign
    from pipeline.run.context import Run
    from pipeline.run.runner import run_issue

    deliver("\n")
    repository = Repository(os.path.realpath(copy))
    repository.run("switch", "--quiet", "main")
    project = os.path.join(repository.root, about["project"])
    assignment = assign(Prompt(issue, about["task"]), repository.root, project)
    lines, driver = Lines(), Replay(issue if troubled else "")
    run = Run(
        about=assignment,
        repository=repository,
        driver=driver,
        forge=Local(),
        listen=lines,
        test_command="npm test" if troubled else "",
        tested=driver.tested if troubled else None,
    )
    try:
        return run_issue(run)
    finally:
        lines.close()


def _outcome(copy: str, chosen: Sequence[str], recorded: Recordings) -> list[str]:
    """Return where the copy is, and the commands that grade it."""
    graded, incomplete = [], []
    for exercise in dict.fromkeys(n for name in chosen for n in recorded[name]["exercises"]):
        needed = [issue for issue, about in recorded.items() if exercise in about["exercises"]]
        level, _, number = exercise.partition("/")
        script = from_here(os.path.join(ROOT, "docs", level, "tutorials", "verify.py"))
        if set(needed) <= set(chosen):
            graded.append(f"  python3 {shlex.quote(script)} --exercise {number} --project {copy}")
        else:
            command = f"python3 -m pipeline demo {' '.join(needed)}"
            incomplete.append(f"To grade {exercise}, play all its recordings: {command}")
    if graded:
        return ["", f"The copy is in {copy}. Grade it with:", *graded, *incomplete]
    return ["", f"The copy is in {copy}. Look at it: git -C {copy} show --stat", *incomplete]
