"""How a request's answer is shown: in which format, for which screen, with which commands."""

from __future__ import annotations

import os
import re
import shlex
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT, called, from_here
from pipeline.files import is_inside
from pipeline.terminal.display import inert, visible
from pipeline.terminal.streams import can_show, columns
from verify.course import catalog
from verify.reporters import REPORTERS
from verify.reporters.base import View

if TYPE_CHECKING:
    from verify.learner.request import GradingRequest
    from verify.reporters.base import GradedRun, Rendered, Reporter


def rendered(
    request: GradingRequest, run: GradedRun, *, rows: int = 0, keys: bool = False
) -> Rendered:
    """Return a run in the format of its request; `rows` and `keys` are as in `View`."""
    last = run.reports[-1]
    following = catalog.following(last.exercise, request.course) if last.passed else None
    view = view_of(request)._replace(following=following, rows=rows, keys=keys)
    return reporter(request.format)(run, view)


def view_of(request: GradingRequest) -> View:
    """Return how stdout shows what a request is answered by."""
    out = sys.stdout
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    course = ["--course", request.course] if request.course else []
    return View(
        command=lambda *selection: shown(request.words_for(*selection)),
        explain=lambda code: shown([*called("verify"), "explain", code, *course]),
        width=columns(out),
        colour=out.isatty() and not plain,
        symbols=can_show(out, "✓✗\u2013"),
        hints=request.hint,
        verbose=request.verbose,
        provenance=request.verbose or request.provenance or bool(request.witness_key),
        solution=lambda exercise: _solution(exercise.solution, request.course),
        prefix=_prefix(request),
    )


def reporter(name: str) -> Reporter:
    """Return the reporter of a format of `REPORTERS`, which is imported for that."""
    render: Reporter = import_module(f"verify.reporters.{REPORTERS[name]}").render
    return render


def shown(words: list[str]) -> str:
    """Return a command line as it may be shown and typed."""
    return " ".join(map(_typed, words))


def _typed(word: str) -> str:
    """Return a word for a shell; what cannot be shown as it is becomes escapes within $'…'."""
    text = shlex.quote(word)
    if visible(text, len(text)) == text == inert(text):
        return text
    kept = (c if re.fullmatch("[ -~]", c) and c not in "'\\#:" else _bytes(c) for c in word)
    return f"$'{''.join(kept)}'"


def _bytes(character: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(character))


def in_course(path: str, course: str = "") -> str:
    """Return a path in the course as the reader can open it, empty for none."""
    return from_here(os.path.join(course or ROOT, *path.split("/"))) if path else ""


def _solution(path: str, course: str) -> str:
    """Return the path of a solution, empty for none: a learner's copy may be without."""
    found = in_course(path, course)
    return found if os.path.lexists(found) else ""


def _prefix(request: GradingRequest) -> str:
    """Return what leads from the workspace to the submission, empty where it is elsewhere."""
    workspace = os.environ.get("GITHUB_WORKSPACE") or os.curdir
    try:
        root, workspace = os.path.abspath(request.root), os.path.abspath(workspace)
    except OSError:  # the working directory is gone
        return ""
    below = root.removeprefix(workspace).strip(os.sep) if is_inside(root, workspace) else ""
    return f"{below.replace(os.sep, '/')}/" if below else ""
