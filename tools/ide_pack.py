"""The trees of the IDE pack that the repository keeps: Cursor's own, and copies in fixtures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.agents.clients import CLIENTS
from pipeline.agents.export import tree
from pipeline.agents.source import pack
from verify.course.exercises.practitioner.ex01_setup import PACK

if TYPE_CHECKING:
    from collections.abc import Iterator

SUBMISSIONS = "fixtures/submissions/practitioner/01-setup"
# What each submission changes, by path: a line more, or, after a hyphen, the field that it lacks.
VARIANTS: dict[str, dict[str, str]] = {
    "solved": {},
    "broken-agents-held-back": {
        ".cursor/agents/x-worker.md": "readonly: true",
        ".cursor/agents/x-git.md": "is_background: true",
    },
    "broken-rule-never-applies": {".cursor/rules/x-tier-routing.mdc": "-description:"},
}


def files() -> Iterator[tuple[str, str]]:
    """Yield path and text of what `pipeline agents export --ide cursor --to .` writes, and copies.

    The submissions have the files that the exercise asks for.
    """
    exported = {file.path: file.text for file in tree(CLIENTS["cursor"], pack())}
    yield from exported.items()
    definitions = {file.path: exported[file.path] for file in PACK}
    for submission, changed in VARIANTS.items():
        for path, text in definitions.items():
            yield f"{SUBMISSIONS}/{submission}/sandbox/{path}", _changed(text, changed.get(path))


def _changed(text: str, line: str | None) -> str:
    """Return a definition with a line put in at the end of its front matter, or taken out of it."""
    if line is None:
        return text
    front, closing, body = text.partition("\n---\n")
    if line.startswith("-"):
        lines = [field for field in front.split("\n") if not field.startswith(line[1:])]
        return "\n".join(lines) + closing + body
    return f"{front}\n{line}{closing}{body}"
