"""One page of a run in HTML: its stages, artifacts, diff, tests, cost, and what agents said."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader

from pipeline.files import Unreadable, is_inside
from pipeline.git import GitFault, Repository
from pipeline.protocol.layout import artifact_folder, in_target
from pipeline.run import history
from pipeline.run.artifacts import is_real_path
from pipeline.run.assignment import target_of
from pipeline.run.stages import STAGES
from pipeline.run.turns import TRANSCRIPT, parts_of, turns_of
from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from pipeline.run.status import State

MARK = b"<!-- A page of pipeline status. It may be replaced by the next one. -->"
_TEMPLATE = "page.html"  # with its style, beside this file
_MOST = 200_000  # characters of one text
_MOST_LINES = 4_000


def page_of(state: State) -> bytes:
    """Return the page of an issue: whole, without a script; every text in it is escaped."""
    folder = os.devnull
    with suppress(Unreadable):
        place = artifact_folder(state.project, state.issue)
        folder = place if is_real_path(place) else folder
    here = FileSystemLoader(os.path.dirname(os.path.abspath(__file__)))
    environment = Environment(loader=here, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"text": _text, "json": _json, "parts": parts_of}
    values = {artifact.name: artifact for artifact in state.artifacts}
    found = {stage.name: values.get(stage.artifact) for stage in STAGES}
    page = environment.get_template(_TEMPLATE).render(
        state=state,
        stages=[(stage, found[stage.name]) for stage in STAGES],
        tests=_valid(found["test"]),
        review=_valid(found["review"]),
        diff=_diff(state),
        refused=[(turn, text) for turn in turns_of(folder) for text in _list(turn.get("refused"))],
        returned=[entry for entry in history.entries(folder) if "value" in entry],
        talk=history.entries(folder, TRANSCRIPT),
    )
    return MARK + b"\n" + page.encode("utf-8", "backslashreplace")


def _valid(artifact: Any) -> Any:
    return artifact.value if artifact and artifact.is_valid else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    """Return a text of any length and any characters as one that can be shown."""
    lines = str(value)[:_MOST].split("\n")
    cut = ["… (cut)"] * (len(str(value)) > _MOST or len(lines) > _MOST_LINES)
    return "\n".join([*(visible(line, _MOST) for line in lines[:_MOST_LINES]), *cut])


def _json(value: Any) -> str:
    return _text(json.dumps(value, indent=1, ensure_ascii=False))


def _diff(state: State) -> str:
    """Return the diff of the commit, or of the files that the worker has named."""
    files = next((a.says("files_changed") for a in state.artifacts if a.says("files_changed")), ())
    safe = ("--no-color", "--no-ext-diff", "--no-textconv")
    try:
        root = Repository.toplevel(state.project)
        repository = Repository(root)
        if state.commit_sha:
            return repository.attempt("show", "--format=", *safe, state.commit_sha, "--").stdout
        target = target_of(root, state.project)
        paths = [in_target(target, file) for file in files]
        known = repository.attempt("diff", *safe, "HEAD", "--", *paths).stdout if paths else ""
        new = repository.attempt("ls-files", "--others", "-z", "--", *paths).stdout.split("\0")
    except GitFault:
        return ""
    for path in new if paths else ():
        if path and is_inside(os.path.realpath(f"{root}/{path}"), os.path.realpath(root)):
            words = ("diff", "--no-index", *safe, "--", os.devnull, path)
            known += repository.attempt(*words).stdout
    return known
