"""Which paths of an artifact are surely no files of the work, and which are listed twice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.protocol.json_faults import advice
from pipeline.protocol.layout import composed, is_artifact_path
from pipeline.protocol.patterns import UNSEEN
from pipeline.terminal.display import named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pipeline.protocol.problems import Path, Wrong

# A path of plain words with an ending: nothing else looks like it.
_PLAIN = re.compile(r"(?:\w[\w-]*(?:\.[\w-]+)*/)*\w[\w-]*(?:\.[\w-]+)*\.[A-Za-z]\w*", re.ASCII)


def no_path(text: str) -> tuple[str, str] | None:
    """Return why a text in the form of a path is not one, and what to do; None if it may be one.

    Names may have blanks, brackets and most other characters, so only what is surely something
    else is found: a placeholder, a URL, a glob, line numbers, an arrow, a note behind the path.
    """
    if _PLAIN.fullmatch(text):
        return None
    if (bare := text.strip(UNSEEN)) != text:
        return "this path has a blank or an invisible character at an end", f"Write {named(bare)}."
    faults = (fault for form, *fault in advice()["paths"] if re.search(form, text))
    return next(((message, action) for message, action in faults), None)


def not_of_the_work(found: Iterable[tuple[Path, str]]) -> Iterator[Wrong]:
    """Yield the places of paths that are surely not those of one file, or are of an artifact."""
    places: dict[str, list[Path]] = {}  # a plan names a file up to three times
    for place, file in found:
        places.setdefault(file, []).append(place)
    for file, at in places.items():
        if fault := no_path(file):
            (message, action), expected = fault, "the path of one file, such as src/app.js"
        elif is_artifact_path(file):
            message, expected = "this is an artifact of the pipeline", "a file of the work"
            action = f"Remove every entry for {named(file)}."
        else:
            continue
        yield from ((place, message, expected, named(file), action) for place in at)


def named_twice(field: str, files: list[str], *, in_any_case: bool = False) -> Iterator[Wrong]:
    """Yield the paths that a list has again; if wanted, also those in a different letter case."""
    first: dict[str, str] = {}
    for index, file in enumerate(files):
        form = composed(file)
        before = first.get(form.casefold())
        if before is None:
            first[form.casefold()] = file
        elif composed(before) == form:
            message, action = (
                "this file is already in the list",
                f"Remove this entry for {named(file)}.",
            )
            yield (field, index), message, "each file once", named(file), action
        elif in_any_case:  # on many systems one file
            message = "this path differs from another path only in letter case"
            action = "Write the path everywhere as the file is called."
            yield (field, index), message, f"one spelling of {named(before)}", named(file), action
