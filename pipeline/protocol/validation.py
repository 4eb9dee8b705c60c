"""Validates the bytes of one artifact: parsed, checked against its model and rules, located."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic_core import ValidationError

from pipeline.protocol.strict_json import NotStrictJson, parse, text_of
from pipeline.protocol.validators import validator

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.protocol.problems import Path, Problem
    from pipeline.schema import Kind

Profile = Literal["core", "exercise"]
CORE: Profile = "core"
EXERCISE: Profile = "exercise"
PROFILES = (CORE, EXERCISE)


class Validation(NamedTuple):
    """What validation found: the parsed value (None if not JSON) and located problems in order.

    All of them: `MAX_ELEMENTS` bounds how many there can be.
    """

    value: Any
    problems: tuple[Problem, ...] = ()


def validate(data: bytes, kind: Kind, profile: Profile = CORE) -> Validation:
    """Validate one artifact: fields and types first, then each rule whose fields are well-typed.

    The `core` profile asks for the fields that the specification marks "yes"; `exercise` also for
    those that it marks as required for the exercises.
    """
    try:
        value = parse(data)
    except NotStrictJson as error:
        return Validation(None, error.problems)
    if judge_of(kind, profile)(value):
        return Validation(value)
    return _with_problems(value, data, kind, profile)


@lru_cache(maxsize=32)  # a few kinds, two profiles
def judge_of(kind: Kind, profile: Profile) -> Callable[[Any], bool]:
    """Return the fast test of a value: most values have no problem, and need nothing else."""
    validate_python = validator(kind.name).validate_python
    needed = kind.exercise_fields if profile == EXERCISE else ()
    rules = tuple(rule.check for rule in kind.rules)

    def is_valid(value: Any) -> bool:
        try:
            validate_python(value)
        except ValidationError:
            return False
        for name in needed:
            if name not in value:
                return False
        for rule in rules:  # noqa: SIM110  # a generator would cost more than most rules do
            if rule(value):
                return False
        return True

    return is_valid


def _with_problems(value: Any, data: bytes, kind: Kind, profile: Profile) -> Validation:
    """Return all problems of a value that has some, each located in its document."""
    from pipeline.protocol.positions import locate  # only on failure: a passing run does without
    from pipeline.protocol.wording import merged, mistaken_document, problem_of

    whole = mistaken_document(value, kind)
    if whole is not None:
        return Validation(value, tuple(locate(text_of(data), [whole])))
    problems: list[Problem] = []
    try:
        validator(kind.name).validate_python(value)
    except ValidationError as error:
        problems += [problem_of(each, kind.name) for each in error.errors(include_url=False)]
    if profile == EXERCISE:
        problems += _missing(value, kind)
    problems += _broken_rules(value, kind, problems)
    return Validation(value, tuple(merged(locate(text_of(data), problems))))


def _broken_rules(value: Any, kind: Kind, problems: list[Problem]) -> list[Problem]:
    """Return what breaks the rules whose fields have no problem of their own."""
    ill_typed = {_any_index(p.path) for p in problems if p.rule in ("fields", "count", "path")}
    return [
        problem
        for rule in kind.rules
        if not any(_touches(path, reads) for path in ill_typed for reads in rule.reads)
        for problem in rule.check(value)
    ]


def _any_index(path: Path) -> Path:
    return tuple("*" if isinstance(step, int) else step for step in path)


def _missing(value: Any, kind: Kind) -> list[Problem]:
    from pipeline.protocol.wording import missing_field

    if not isinstance(value, dict):
        return []
    missing = [name for name in kind.exercise_fields if name not in value]
    return [missing_field((name,), value, kind.name) for name in missing]


def _touches(path: Path, pattern: Path) -> bool:
    """Tell whether one path leads to or through the other; `*` in the pattern is any index."""
    return all(step in ("*", own) for own, step in zip(path, pattern, strict=False))
