"""The corpus of hostile inputs: what each case is made of, and what must come of it."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from pipeline.bootstrap import ROOT

CORPUS = os.path.join(ROOT, "fixtures", "hostile")
PLAN = "sandbox/.pipeline/ISSUE-101/plan.json"
SOLVED = os.path.join(ROOT, "fixtures", "submissions", "foundation", "01-plan", "solved", PLAN)
KINDS = ("plan", "tree", "archive", "source", "repository", "learner", "words")


class Case(NamedTuple):
    """One case of a file of the corpus.

    `kind` is what is built, by `recipe`. `validate` is what `pipeline/schema.py --validate` of the
    artifact ends with: exit code and line. `grade` is what grading comes to, by whatever entry:
    outcome, check and message; `differs` has what another entry says instead, None where it cannot
    be handed in that way.
    """

    family: str
    name: str
    why: str
    kind: str
    recipe: Any
    validate: tuple[int, str] | None
    grade: tuple[str, ...]
    differs: dict[str, Any]

    def graded(self, entry: str) -> tuple[str, ...] | None:
        """Return what an entry says, None where the case cannot be handed in that way."""
        said = self.differs.get(entry, self.grade)
        return None if said is None else tuple(said)


def corpus() -> list[Case]:
    """Return every case, file by file."""
    families = sorted(name[:-5] for name in os.listdir(CORPUS) if name.endswith(".json"))
    return [case for family in families for case in _cases(family)]


def _cases(family: str) -> list[Case]:
    with open(os.path.join(CORPUS, f"{family}.json"), encoding="utf-8") as file:
        return [_case(family, entry) for entry in json.load(file)["cases"]]


def _case(family: str, entry: dict[str, Any]) -> Case:
    (kind,) = (kind for kind in KINDS if kind in entry)
    code_and_line = entry.get("validate")
    return Case(
        family,
        entry["name"],
        entry["why"],
        kind,
        entry[kind],
        None if code_and_line is None else (code_and_line[0], code_and_line[1]),
        tuple(entry["grade"]),
        entry.get("differs", {}),
    )
