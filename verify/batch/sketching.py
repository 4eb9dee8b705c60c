"""What of a submission is compared for near copies: its artifacts, and the sources it changes."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT
from pipeline.files import Unreadable
from pipeline.protocol.layout import GIT_RESULT
from verify.grading.artifacts import actual_path
from verify.running.sources import shipped, sources_in
from verify.submissions.files import Unresolved
from verify.submissions.winnowing import hashes_of, sketch_of, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.grading.artifacts import Context
    from verify.grading.model import Exercise, Located

_OURS = ("fixtures/solutions", "fixtures/submissions", "sandbox/issues", "docs")
_OF_COURSE = ("fixtures", "issues", "docs")
_TEXTS = (".js", ".json", ".md", ".mjs", ".patch", ".py", ".ts")
_JSON = re.compile(r"```json\n(.*?)```", re.DOTALL)
_MARGIN = re.compile(r"^[-+ ]", re.MULTILINE)  # of a patch


def sketch_in(
    compared: Sequence[Located], course: str, handed_out: frozenset[int], context: Context
) -> bytes:
    """Return the sketch of a submission; what cannot be read within the limits is left out."""
    return sketch_of(_texts_in(compared, course, context), handed_out)


def _texts_in(
    compared: Sequence[Located], course: str, context: Context
) -> Iterator[tuple[str, bytes]]:
    for source in compared:
        path = source.located(context.exercise)
        if not path.endswith(GIT_RESULT):  # it describes a commit of the learner's own
            with suppress(Unreadable):
                yield path, context.submission.read(actual_path(context.submission, path))
    folder = folder_of(context.exercise)
    with suppress(Unreadable, Unresolved):
        ours = shipped(course, folder)
        for path, data in sorted(sources_in(context.submission, folder).files.items()):
            if data != ours.get(path) and b"\0" not in data:
                yield path, data


def folder_of(exercise: Exercise) -> str:
    """Return the folder of the sources that learners of an exercise change."""
    return exercise.service if exercise.target in (None, ".") else str(exercise.target)


@cache
def handed_out(course: str, folder: str) -> frozenset[int]:
    """Return the hashes of what the course comes with: pages, fixtures, solutions and sources."""
    found: set[int] = set()
    for name, data in _shipped_texts(course, folder):
        found.update(hashes_of(list(tokens_of(name, data))))
    return frozenset(found)


def _shipped_texts(course: str, folder: str) -> Iterator[tuple[str, bytes]]:
    yield from shipped(course, folder).items()
    for below in _OF_COURSE if course else _OURS:
        for at, _, names in os.walk(os.path.join(course or ROOT, below)):
            for name in names:
                if name.endswith(_TEXTS):
                    with open(os.path.join(at, name), encoding="utf-8", errors="replace") as file:
                        yield from _parts(name, file.read())


def _parts(name: str, text: str) -> Iterator[tuple[str, bytes]]:
    """Yield a file, and the documents that a page prints, as a submission has them."""
    if name.endswith(".patch"):
        name, text = f"{name}.js", _MARGIN.sub("", text)
    blocks = _JSON.findall(text) if name.endswith(".md") else ()
    yield from ((f"{name}.json", block.encode()) for block in blocks)
    yield name, text.encode()
