"""Texts of the gradebook that are read back: none is parsed that is larger than any of ours."""

from __future__ import annotations

import json
import re
from typing import Any

from pipeline.protocol.layout import is_issue_id
from pipeline.terminal.display import named
from verify.model import CheckInfo, Outcome

DIGEST = 16  # bytes of the digest of an answer: half of a SHA-256
MAX_DOCUMENT = 4 << 20  # characters: a learner's ids, an exercise's checks, the options of a run
MAX_READS = 16 << 20  # characters: artifacts of the largest size name paths of so many
OPERATIONS = ("read", "is_file", "names", "history")
MOST_POINTS = 1_000_000  # of a check, or of a score
SHORT = 4_096  # characters of a text of questions: a longer one is one submission's alone
_CHECK = {"code": str, "title": str, "points": int, "advisory": bool, "page": str}
_OPTIONS: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("course", "attempts", "naming", "witness_key"), str),
    **dict.fromkeys(("target", "issue"), (str, type(None))),
    "exercises": list,
    **dict.fromkeys(("strict", "provenance"), bool),
}
OUTCOMES = {
    "p": Outcome.PASS,
    "f": Outcome.FAIL,
    "s": Outcome.SKIP,
    "e": Outcome.ERROR,
    "u": Outcome.UNASKED,
}  # of checks, by their letters
LETTERS = {outcome: letter for letter, outcome in OUTCOMES.items()}


class NotOurs(ValueError):
    """A text that no grading has written; the message says what is wrong with it."""


def document(text: str, most: int = MAX_DOCUMENT) -> Any:
    """Return the value of a JSON text that we have written.

    Raises:
        NotOurs: it is not JSON, or larger than any of ours.
    """
    if len(text) > most:
        raise NotOurs(f"has more than {most:,} characters")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise NotOurs("is not JSON") from None


def reads_of(text: str) -> tuple[tuple[str, str], ...]:
    """Return what was read, of its JSON text: pairs of an operation and a path.

    Raises:
        NotOurs: it is not such a text.
    """
    asked = document(text, MAX_READS)
    if not isinstance(asked, list) or not all(map(_is_read, asked)):
        raise NotOurs("is not a list of reads")
    return tuple((operation, path) for operation, path in asked)


def _is_read(value: Any) -> bool:
    return (
        isinstance(value, list)
        and [type(each) for each in value] == [str, str]
        and value[0] in OPERATIONS
    )


def outcomes_of(letters: str, checks: int) -> tuple[Outcome, ...]:
    """Return the outcome of each check.

    Raises:
        NotOurs: there is not one letter of ours for each check.
    """
    if len(letters) != checks or not OUTCOMES.keys() >= set(letters):
        raise NotOurs("is not a list of outcomes")
    return tuple([OUTCOMES[letter] for letter in letters])


def options_of(text: str) -> dict[str, Any]:
    """Return the options of a run.

    Raises:
        NotOurs: it is not such a text.
    """
    options = document(text)
    if not isinstance(options, dict):
        raise NotOurs("is not a JSON object")
    for name, value in options.items():
        if not isinstance(value, _OPTIONS.get(name, object)):
            raise NotOurs(f"has an option {named(name)} of the wrong type")
    issue, target = options.get("issue"), options.get("target")
    if issue is not None and not is_issue_id(issue):
        raise NotOurs("has an issue that is not an issue's id")
    if target not in (None, ".") and not _is_within(target):
        raise NotOurs("has a target that is not within a submission")
    return options


def _is_within(target: str) -> bool:
    from pipeline.protocol.patterns import PATH  # the options of nearly every run name none

    return re.fullmatch(PATH.pattern, target) is not None


def ids_of(text: str) -> dict[str, str]:
    """Return what a roster's columns say of a learner.

    Raises:
        NotOurs: it is not such a text.
    """
    ids = document(text)
    if not isinstance(ids, dict) or not all(isinstance(value, str) for value in ids.values()):
        raise NotOurs("is not a JSON object of texts")
    return ids


def checks_of(text: str) -> tuple[CheckInfo, ...]:
    """Return the checks of an exercise.

    Raises:
        NotOurs: it is not such a text.
    """
    checks = document(text)
    if not isinstance(checks, list) or not checks or not all(map(_is_check, checks)):
        raise NotOurs("is not a list of checks")
    return tuple(CheckInfo(**check) for check in checks)


def _is_check(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == _CHECK.keys()
        and all(type(value[name]) is kind for name, kind in _CHECK.items())
        and 0 <= value["points"] <= MOST_POINTS
    )
