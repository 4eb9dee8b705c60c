"""Writes the page of conformance: each statement, where it is implemented, which tests show it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tools.markdown import code, table
from tools.markers import MARK, read_markers
from tools.specification import FOLDER, MalformedSpecification, read_specification

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tools.markers import Marker
    from tools.specification import Section, SpecifiedPlace, SpecStatement

PAGE = "docs/reference/conformance.md"
DECISIONS = "docs/explanation/decisions/README.md"

CODE, BOTH, TEXT, DECISION = "code", "code and text", "text", "decision"
_KINDS = (CODE, BOTH, TEXT, DECISION)
_HEAD = """\
# Conformance to the specification

This page lists every statement of the specification in our own words, where it is implemented,
and the tests that show it. It is generated from `tools/specification/` and the tests' `spec`
markers. A statement without a test, or with a place that does not exist, stops the generator.

The label after each statement shows what implements it:

- *code*: code of this repository, which the tests run;
- *text*: only the words of a definition, a rule, a skill or a project file. The tests show that
  the words are there and agree with the rest, not that an agent follows them;
- *code and text*: both;
- *decision*: the specification does not say what to do, or leaves a choice. The
  [decisions](../explanation/decisions/README.md) describe our choice, and the tests show it."""


class NotConformant(Exception):
    """What keeps the page from being written, one line each."""


def conformance_page(root: str) -> str:
    """Return the page for a repository.

    Raises:
        NotConformant: a statement has no test or no place, a marker names no statement or is on
            no test, a place does not exist, or the file of statements cannot be read.
    """
    try:
        sections = read_specification(root)
    except MalformedSpecification as error:
        raise NotConformant(str(error)) from None
    markers = read_markers(root)
    problems = [*_problems(root, sections, markers)]
    if problems:
        raise NotConformant("\n".join(problems))
    lines = [*_HEAD.split("\n"), "", _summary(sections), ""]
    for section in sections:
        lines += _section(section, markers)
    return "\n".join(lines).rstrip() + "\n"


def _problems(root: str, sections: Sequence[Section], markers: Sequence[Marker]) -> Iterator[str]:
    known = {statement.id for section in sections for statement in section.statements}
    proven = {marker.statement for marker in markers}
    for marker in markers:
        if marker.wrong:
            yield f"{marker.path}:{marker.line}: {marker.wrong}"
        elif marker.statement not in known:
            yield f"{marker.path}:{marker.line}: {FOLDER} has no statement {marker.statement}"
    for section in sections:
        for statement in section.statements:
            if statement.id not in proven:
                yield f"{FOLDER}: {statement.id}: no test shows it: mark one with {MARK}"
            yield from (f"{FOLDER}: {statement.id}: {text}" for text in _misplaced(root, statement))


def _misplaced(root: str, statement: SpecStatement) -> Iterator[str]:
    if not statement.places:
        yield "no place says where it is implemented"
    if statement.is_silent and all(place.path != DECISIONS for place in statement.places):
        yield f"what is not shown needs a decision in {DECISIONS}"
    yield from filter(None, (place.fault(root) for place in statement.places))


def implemented_in(statement: SpecStatement) -> str:
    """Return what implements a statement: code, text, both, or a decision if it is silent."""
    paths = [place.path for place in statement.places]
    if DECISIONS in paths:
        return DECISION
    in_code = {path.endswith(".py") for path in paths}
    return BOTH if len(in_code) > 1 else CODE if in_code == {True} else TEXT


def _summary(sections: Sequence[Section]) -> str:
    kinds = {
        f"{s.id} {s.title}": [implemented_in(statement) for statement in s.statements]
        for s in sections
    }
    kinds["all"] = [kind for of_section in kinds.values() for kind in of_section]
    counts = ("statements", *_KINDS)
    rows = [
        (title, str(len(of_section)), *(str(of_section.count(kind)) for kind in _KINDS))
        for title, of_section in kinds.items()
    ]
    return table(("section", *counts), rows, right=counts)


def _section(section: Section, markers: Sequence[Marker]) -> Iterator[str]:
    yield f"## {section.id} {section.title}"
    yield ""
    for statement in section.statements:
        anchor = f"s{statement.id.replace('.', '-')}"
        yield f'### <a id="{anchor}"></a>{statement.id}'
        yield ""
        yield f"{statement.text} (*{implemented_in(statement)}*)"
        yield ""
        decided = [_place(place) for place in statement.places if place.path == DECISIONS]
        done = [_place(place) for place in statement.places if place.path != DECISIONS]
        yield from [f"- decided in {'; '.join(decided)}"] * bool(decided)
        yield from [f"- implemented in {'; '.join(done)}"] * bool(done)
        yield f"- shown by {'; '.join(_tests(statement, markers))}"
        yield ""


def _place(place: SpecifiedPlace) -> str:
    return f"[{place.path}]({_link(place.path)}) {code(place.symbol)}"


def _tests(statement: SpecStatement, markers: Sequence[Marker]) -> list[str]:
    """Return a link for each test that shows a statement, each test once."""
    found = {(m.path, m.test): None for m in markers if m.statement == statement.id}
    return [f"[{code(test)}]({_link(path)})" for path, test in found]


def _link(path: str) -> str:
    return os.path.relpath(path, os.path.dirname(PAGE)).replace(os.sep, "/")
