"""Columns with letters or JSON: what grading cannot have written is refused when it is read."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, TypeVar

from pipeline.protocol.layout import is_issue_id
from pipeline.protocol.patterns import PATH
from pipeline.terminal.display import visible
from verify.grading.model import CheckInfo, Outcome
from verify.grading.ways import RUN_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

OUTCOMES = {
    "p": Outcome.PASS,
    "f": Outcome.FAIL,
    "s": Outcome.SKIP,
    "e": Outcome.ERROR,
    "u": Outcome.NOT_CHECKED,
}  # of checks, by their letters
LETTERS = {outcome: letter for letter, outcome in OUTCOMES.items()}
_EXERCISE = re.compile(r"[\w .-]+/[0-9]{1,9}")
OPERATIONS = ("read", "is_file", "names", "history")
# what the options of a run may be, as far as regrading uses them
_FITS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("course", "witness_key"), lambda value: isinstance(value, str)),
    **dict.fromkeys(("strict", "provenance", "near_copies"), lambda value: isinstance(value, bool)),
    "platforms": lambda value: isinstance(value, list),
    "run": lambda value: value in RUN_WORDS,
    "issue": lambda value: value is None or is_issue_id(value),
    "target": lambda value: value in (None, ".") or bool(re.fullmatch(PATH.pattern, value)),
}


class NotOurs(ValueError):
    """A value that grading cannot have written; the message says what is wrong with it."""


def stored(text: str, what: str, read: Callable[[Any], T]) -> T:
    """Return what `read` makes of a JSON text; raises `NotOurs` if it is not `what`."""
    try:
        return read(json.loads(text))
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        raise NotOurs(f"is not {what}") from None


def reads_of(text: str) -> tuple[tuple[str, str], ...]:
    """Return what was read, from its JSON text: pairs of an operation and a path."""
    return stored(text, "a list of reads", lambda reads: tuple(_read(*read) for read in reads))


def _read(operation: str, path: str) -> tuple[str, str]:
    if operation not in OPERATIONS or not isinstance(path, str):
        raise ValueError(operation)
    return operation, path


def letters_of(text: str, checks: int) -> str:
    """Return the letters of the outcomes of checks; raises NotOurs unless there is one for each."""
    if len(text) != checks or not OUTCOMES.keys() >= set(text):
        raise NotOurs("is not a list of outcomes")
    return text


def options_of(text: str) -> dict[str, Any]:
    """Return the options of a run; a regrading uses them, so each is checked."""
    return stored(text, "the options of a run", _options)


def _options(options: dict[str, Any]) -> dict[str, Any]:
    wrong = [name for name in _FITS.keys() & options.keys() if not _FITS[name](options[name])]
    if wrong:
        raise ValueError(wrong)
    return options


def ids_of(text: str) -> dict[str, str]:
    """Return what a roster's columns say of a learner."""
    return stored(
        text, "a JSON object", lambda ids: {name: str(value) for name, value in ids.items()}
    )


def exercise_of(name: str) -> str:
    """Return the name of an exercise; raises `NotOurs` for what is none."""
    if not _EXERCISE.fullmatch(name):
        raise NotOurs("is not the name of an exercise")
    return name


def checks_of(text: str) -> tuple[CheckInfo, ...]:
    """Return the checks of an exercise."""
    return stored(
        text, "a list of checks", lambda checks: tuple(_check(**check) for check in checks)
    )


def _check(*, code: str, title: str, points: int, page: str, **more: Any) -> CheckInfo:
    """Return a check; what another program wrote into a gradebook drives no terminal."""
    if type(points) is not int or not isinstance(page, str):
        raise TypeError(points, page)
    texts = visible(code, 60), visible(title, 1_000)
    return CheckInfo(*texts, points=points, page=page, **more)
