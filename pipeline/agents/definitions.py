"""The agent, rule and skill files of the IDE, as read: their fields, their body, what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pipeline.agents.front_matter import Field, read_front_matter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.protocol.problems import Problem

__all__ = ["Definition", "Field", "Kind", "read_definition"]

Kind = Literal["agent", "rule", "skill"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Definition:
    """One definition file as far as it could be read.

    `name` is the file's name without its suffix, for a skill its folder's name. `fields` holds the
    front matter by key, without the keys that could not be read: `problems` names those, in
    document order. `body` is the text below the front matter and starts on line `body_line`
    (1-based, one more than the file has where nothing follows the front matter). A file whose
    front matter does not open or close is all body.
    """

    kind: Kind
    name: str
    fields: Mapping[str, Field]
    body: str
    body_line: int
    problems: tuple[Problem, ...]


def read_definition(text: str, kind: Kind, name: str) -> Definition:
    """Read the text of one definition file, in linear time and without ever raising.

    The format is Cursor's: front matter between two `---` lines, then Markdown
    (cursor.com/docs/subagents, /rules, /skills). Cursor's own examples are not always YAML
    (`globs: *.ts`), so the front matter is read as the subset of
    `pipeline.agents.front_matter.read_front_matter`, not by a YAML parser.

    Args:
        text: the decoded file without a byte order mark.
        kind: what the file defines.
        name: the file's name without its suffix, for a skill the name of its folder.
    """
    read = read_front_matter(text)
    return Definition(
        kind=kind,
        name=name,
        fields=read.fields,
        body=read.body,
        body_line=read.body_line,
        problems=read.problems,
    )
