"""Validates artifacts: parsed, compared with the model and the rules of their kind, located."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import pydantic_core
from pydantic_core import ValidationError

from pipeline.files import TOO_LARGE, Unreadable, read_file, read_standard_input
from pipeline.protocol.compiled import CORE_SCHEMAS, PYDANTIC_CORE
from pipeline.protocol.json_text import NotStrictJson, locate, parse, text_of
from pipeline.schema import KINDS, Kind, kind_of
from pipeline.terminal.arguments import Arguments
from pipeline.terminal.crash import fenced
from pipeline.terminal.display import inert, visible
from pipeline.terminal.exit_codes import FAILED, PASSED, UNUSABLE
from pipeline.terminal.streams import deliver, guarded, printable_streams, tell

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic_core.core_schema import CoreSchema

    from pipeline.protocol.problems import Path, Problem


@cache
def validator(kind: str) -> pydantic_core.SchemaValidator:
    """Return the validator of a kind's model.

    Core schemas belong to one version of pydantic-core. With any other the model itself is
    compiled: the same verdicts, for the price of importing pydantic.
    """
    schema: Any = CORE_SCHEMAS[kind]
    if pydantic_core.__version__ != PYDANTIC_CORE:
        from pipeline.protocol.published import core_schema_of

        schema = core_schema_of(KINDS[kind])
    return pydantic_core.SchemaValidator(cast("CoreSchema", schema))


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


SHOWN = 20

_EPILOG = """\
examples:
  python3 pipeline/schema.py --validate .pipeline/ISSUE-7/plan.json
  python3 pipeline/schema.py --validate .pipeline/ISSUE-7/*.json --profile exercise
  python3 pipeline/schema.py --validate - --kind plan < plan.json

exit codes: 0 valid (prints OK), 1 invalid, 2 cannot be read or wrong usage,
            3 the command itself failed or its output cannot be written, 130 interrupted
"""


def main(argv: list[str] | None = None) -> int:
    """Validate the artifacts that the arguments name and return the exit code."""
    printable_streams()
    options = _parser().parse_args(argv)
    asked = options.validate, options.kind, options.profile
    return guarded(lambda: fenced(lambda: _validate_all(*asked), "schema.py"))


def _parser() -> Arguments:
    parser = Arguments(
        prog="schema.py",
        description="Validate the JSON artifacts that agents hand to each other.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "--validate",
        metavar="PATH",
        nargs="+",
        required=True,
        help="the artifacts; - is standard input and needs --kind",
    )
    parser.add_argument(
        "--kind",
        choices=list(KINDS),
        help="what the artifacts are (default: by their file names)",
    )
    parser.add_argument(
        "--profile",
        choices=PROFILES,
        default=CORE,
        help="core (the default): the required fields; exercise: also acceptance_mapping and "
        "produced_by",
    )
    return parser


def _validate_all(paths: list[str], kind: str | None, profile: Profile) -> int:
    codes = [_validate_one(path, KINDS[kind] if kind else kind_of(path), profile) for path in paths]
    if max(codes) == PASSED:
        deliver("OK\n")
    return max(codes)


def _validate_one(path: str, kind: Kind | None, profile: Profile) -> int:
    name = "<stdin>" if path == "-" else path or '""'
    if kind is None:
        endings = ", ".join(kind.ending for kind in KINDS.values())
        _complain(
            f"{visible(name, 300)}: the name does not tell what this is (expected one of {endings};"
            f" or name it with --kind {'|'.join(KINDS)})"
        )
        return UNUSABLE
    try:
        data = read_standard_input() if path == "-" else read_file(path)
    except Unreadable as error:
        _complain(f"{visible(name, 300)}: {error}")
        return FAILED if error.reason == TOO_LARGE else UNUSABLE
    result = validate(data, kind, profile)
    for problem in result.problems[:SHOWN]:
        _complain(problem.line_for(name))
    if len(result.problems) > SHOWN:
        _complain(f"{visible(name, 300)}: and {len(result.problems) - SHOWN} more problems")
    return FAILED if result.problems else PASSED


def _complain(line: str) -> None:
    tell(inert(line))
