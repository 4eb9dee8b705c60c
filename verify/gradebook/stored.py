"""Texts of the gradebook that are read back: none is parsed that is larger than any of ours."""

from __future__ import annotations

import json
import re
from typing import Any

from pipeline.display import named
from pipeline.layout import is_issue_id
from verify.gradebook.values import CheckInfo

DIGEST = 16  # bytes of the digest of an answer: half of a SHA-256
MAX_DOCUMENT = 4 << 20  # characters: a learner's ids, an exercise's checks, the options of a run
MAX_QUESTIONS = 16 << 20  # characters: artifacts of the largest size name paths of so many
MOST_ASKED = 200_000  # questions: three artifacts of the most elements ask for a third of them
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
_BETWEEN = '"], ["'  # stands in no path: its second quote would be an escaped one


class NotOurs(ValueError):
    """A text that no grading has written; the message says what is wrong with it."""


def document(text: str) -> Any:
    """Return the value of a JSON text that we have written.

    Raises:
        NotOurs: it is none.
    """
    if len(text) > MAX_DOCUMENT:
        raise NotOurs(f"has more than {MAX_DOCUMENT:,} characters")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise NotOurs("is no JSON") from None


def questions_of(text: str) -> tuple[tuple[str, str], ...]:
    """Return what a text of questions asks: pairs of an operation and a path.

    It is JSON as `json.dumps` writes it, and taken apart without building anything else first: a
    text that says anything but questions costs no more memory than its own size a few times.

    Raises:
        NotOurs: it is no such text.
    """
    if text == "[]":
        return ()
    if len(text) > MAX_QUESTIONS or text.count(_BETWEEN) >= MOST_ASKED:
        raise NotOurs("asks more than any grading does")
    if len(text) < len('[["", ""]]') or not (text.startswith('[["') and text.endswith('"]]')):
        raise NotOurs("is no list of questions")
    return tuple(map(_question, text[3:-3].split(_BETWEEN)))


def _question(text: str) -> tuple[str, str]:
    operation, comma, path = text.partition('", "')
    if not comma or operation not in OPERATIONS:
        raise NotOurs("asks what no grading asks")
    try:
        return operation, str(json.loads(f'"{path}"'))
    except ValueError:
        raise NotOurs("is no list of questions") from None


def options_of(text: str) -> dict[str, Any]:
    """Return the options of a run.

    Raises:
        NotOurs: they are none.
    """
    options = document(text)
    if not isinstance(options, dict):
        raise NotOurs("is no JSON object")
    for name, value in options.items():
        if not isinstance(value, _OPTIONS.get(name, object)):
            raise NotOurs(f"has an option {named(name)} of the wrong type")
    issue, target = options.get("issue"), options.get("target")
    if issue is not None and not is_issue_id(issue):
        raise NotOurs("has an issue that is no issue's id")
    if target not in (None, ".") and not _is_within(target):
        raise NotOurs("has a target that is not within a submission")
    return options


def _is_within(target: str) -> bool:
    from pipeline.schema import PATH  # the options of nearly every run name none

    return re.fullmatch(PATH.pattern, target) is not None


def ids_of(text: str) -> dict[str, str]:
    """Return what a roster's columns say of a learner.

    Raises:
        NotOurs: it is nothing of that kind.
    """
    ids = document(text)
    if not isinstance(ids, dict) or not all(isinstance(value, str) for value in ids.values()):
        raise NotOurs("is no JSON object of texts")
    return ids


def checks_of(text: str) -> tuple[CheckInfo, ...]:
    """Return the checks of an exercise.

    Raises:
        NotOurs: they are none.
    """
    checks = document(text)
    if not isinstance(checks, list) or not checks or not all(map(_is_check, checks)):
        raise NotOurs("is no list of checks")
    return tuple(CheckInfo(**check) for check in checks)


def _is_check(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == _CHECK.keys()
        and all(type(value[name]) is kind for name, kind in _CHECK.items())
        and 0 <= value["points"] <= MOST_POINTS
    )
