"""Mutants that are as right as the solution, or that no check of their exercise asks about."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple


class Excuse(NamedTuple):
    """Why the mutants whose names match may survive; `*` in the pattern is any text.

    It may match survivors only: what a check refuses today would otherwise be excused on the day
    that the check goes blind.
    """

    pattern: str
    reason: str

    def covers(self, name: str) -> bool:
        """Tell whether a mutant's name matches the pattern."""
        return _compiled(self.pattern).fullmatch(name) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))))


_PLAN_GRADED_BEFORE = (
    "The plan is what the worker reads. Who wrote it and whether it covers the issue is graded "
    "where it is written, in the exercise before."
)
_OPTIONAL_ADDRESS = (
    "The specification (2.4) shows pr_url in the run and leaves it out of the exercise; only "
    "foundation/03 asks for it."
)
_PLAN_OF_ANY_ISSUE = (
    "No field of a plan says which issue it is for, and criteria are matched by number, since the "
    "short names in labels may be reworded: a sound plan of as many criteria fits."
)
_ROUTING_ONLY = (
    "expert/02 is about who runs each tier. That a plan maps the criteria of its issue is graded "
    "by the exercises on a single issue."
)
_WITHOUT_PLAN = (
    "A trivial task has no plan, so there is nothing to hold the files of its worker against."
)
_FIT_EITHER = "Both are complex, across domains, and of six files or more: each record fits either."
_NOT_HANDED_IN = (
    "Git is held against the artifacts where a history was handed in, as advice; only expert/04 "
    "asks for one."
)
_ADVICE_OF_EXPERTS = (
    "How a commit is dated, merged and kept free of artifacts is advice of expert/04, where the "
    "history is graded."
)
EXCUSES: tuple[Excuse, ...] = (
    Excuse("foundation/01 *plan.json the one of *", _PLAN_OF_ANY_ISSUE),
    Excuse("foundation/02 *plan.json produced_by: says *", _PLAN_GRADED_BEFORE),
    Excuse("foundation/02 *plan.json AC*: not mapped", _PLAN_GRADED_BEFORE),
    Excuse("foundation/02 *plan.json AC*: with the number 5", _PLAN_GRADED_BEFORE),
    Excuse("foundation/04 *git-result.json pr_url: missing", _OPTIONAL_ADDRESS),
    Excuse("foundation/04 *history.bundle removed", _NOT_HANDED_IN),
    Excuse("foundation/04 *history.bundle main moved along", _ADVICE_OF_EXPERTS),
    Excuse("foundation/04 *history.bundle *: in the commit", _ADVICE_OF_EXPERTS),
    Excuse("foundation/04 *history.bundle * a day early", _ADVICE_OF_EXPERTS),
    Excuse("foundation/04 *history.bundle * a day late", _ADVICE_OF_EXPERTS),
    Excuse("practitioner/02 *plan.json the one of *", _PLAN_OF_ANY_ISSUE),
    Excuse("practitioner/03 *plan.json AC*: not mapped", _PLAN_GRADED_BEFORE),
    Excuse("practitioner/03 *plan.json AC*: with the number 7", _PLAN_GRADED_BEFORE),
    Excuse("practitioner/04 *git-result.json pr_url: missing", _OPTIONAL_ADDRESS),
    Excuse("practitioner/04 *history.bundle removed", _NOT_HANDED_IN),
    Excuse("practitioner/04 *history.bundle main moved along", _ADVICE_OF_EXPERTS),
    Excuse("practitioner/04 *history.bundle *: in the commit", _ADVICE_OF_EXPERTS),
    Excuse("practitioner/04 *history.bundle * a day early", _ADVICE_OF_EXPERTS),
    Excuse("practitioner/04 *history.bundle * a day late", _ADVICE_OF_EXPERTS),
    Excuse(
        "expert/01 *classifications.json *.signals: empty",
        "The specification (2.5) asks for an array of texts and for no least number of them.",
    ),
    Excuse("expert/01 *classifications.json chat and access-control: swapped", _FIT_EITHER),
    Excuse("expert/01 *classifications.json access-control and chat: swapped", _FIT_EITHER),
    Excuse("expert/02 *git-result.json pr_url: missing", _OPTIONAL_ADDRESS),
    Excuse("expert/02 *plan.json AC*: not mapped", _ROUTING_ONLY),
    Excuse("expert/02 *plan.json AC*: with the number 7", _ROUTING_ONLY),
    Excuse("expert/02 *ISSUE-301/worker-result.json files_changed: empty", _WITHOUT_PLAN),
    Excuse("expert/02 *ISSUE-301/worker-result.json files_changed: one more", _WITHOUT_PLAN),
    Excuse("expert/02 *ISSUE-301/worker-result.json files_changed.0: another file", _WITHOUT_PLAN),
    Excuse("expert/02 *ISSUE-301/worker-result.json files_changed.0: in another *", _WITHOUT_PLAN),
    Excuse("expert/02 *ISSUE-301/worker-result.json files_changed.0: with a space*", _WITHOUT_PLAN),
    Excuse("expert/04 *git-result.json pr_url: missing", _OPTIONAL_ADDRESS),
)
