"""Validates artifacts: parsed, compared with the model and the rules of their kind, located.

Also the command `python3 pipeline/schema.py --validate PATH …`: its reports and exit codes.
"""

from __future__ import annotations

import json
import os
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pipeline.files import TOO_LARGE, Unreadable, read_file, read_standard_input
from pipeline.protocol.json_text import NotStrictJson, locate, parse, text_of
from pipeline.terminal.arguments import Arguments
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import FAILED, PASSED, UNUSABLE
from pipeline.terminal.streams import deliver, guarded, printable_streams, tell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pydantic_core import SchemaValidator

    from pipeline.protocol.problems import Path, Problem

Profile = Literal["core", "exercise"]
CORE: Profile = "core"
EXERCISE: Profile = "exercise"
PROFILES = (CORE, EXERCISE)

SHOWN = 20

_EPILOG = """\
examples:
  python3 pipeline/schema.py --validate .pipeline/ISSUE-7/plan.json
  python3 pipeline/schema.py --validate .pipeline/ISSUE-7/*.json --profile exercise
  python3 pipeline/schema.py --validate - --kind plan < plan.json

exit codes: 0 valid (prints OK), 1 invalid, 2 cannot be read or wrong usage,
            3 the command itself failed or its output cannot be written, 130 interrupted
"""

COMPILED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compiled.json")


class Rule(NamedTuple):
    """A consistency rule and the fields that it reads (`*` is every index).

    It is applied only where those are well-typed; one that reads none is always applied.
    """

    check: Callable[[Any], Iterable[Problem]]
    reads: tuple[Path, ...]


class Kind(NamedTuple):
    """One kind of artifact: its model, a valid example with every field, its rules.

    `exercise_fields` are those that the `exercise` profile requires on top of the model.
    """

    name: str
    model: Any
    example: Any
    rules: tuple[Rule, ...] = ()
    exercise_fields: tuple[str, ...] = ()

    @property
    def ending(self) -> str:
        """The name of its file, which may have a prefix: `03-plan.json`."""
        return f"{self.name}.json"


def kind_named(file: str, kinds: Mapping[str, Kind]) -> Kind | None:
    """Return the kind that a file's name ends with, behind nothing or a prefix such as `03-`."""
    name = f"-{os.path.basename(file)}"
    for kind in kinds.values():
        if name.endswith(tuple(f"{mark}{kind.ending}" for mark in "-_.")):
            return kind
    return None


class Validation(NamedTuple):
    """What validation found: the parsed value (None if not JSON) and located problems in order.

    All of them: `MAX_ELEMENTS` bounds how many there can be.
    """

    value: Any
    problems: tuple[Problem, ...] = ()


def validate(
    data: bytes,
    kind: Kind,
    profile: Profile = CORE,
    parse: Callable[[bytes], Any] = parse,
) -> Validation:
    """Validate one artifact: fields and types first, then each rule whose fields are well-typed.

    The `core` profile asks for the fields that the specification marks "yes"; `exercise` also for
    those that it marks as required for the exercises.
    """
    try:
        value = parse(data)
    except NotStrictJson as error:
        return Validation(None, error.problems)
    problems = _field_problems(value, kind, profile)
    ill_typed = {_any_index(p.path) for p in problems if p.rule in ("fields", "count", "path")}
    for rule in kind.rules:
        if not ill_typed or not _reads_any(rule, ill_typed):
            problems += rule.check(value)
    if not problems:
        return Validation(value)
    from pipeline.protocol.wording import merged  # only on failure: a passing run does without

    return Validation(value, tuple(merged(locate(text_of(data), problems))))


def _field_problems(value: Any, kind: Kind, profile: Profile) -> list[Problem]:
    needed = kind.exercise_fields if profile == EXERCISE and isinstance(value, dict) else ()
    missing = [name for name in needed if name not in value]
    errors = _type_errors(value, kind)
    if not errors and not missing:
        return []
    from pipeline.protocol.wording import missing_field, mistaken_document, problem_of

    whole = mistaken_document(value, kind.name, _compiled()["kinds"])
    if whole is not None:
        return [whole]
    problems = [problem_of(error, kind.example) for error in errors]
    return problems + [missing_field((name,), value, kind.example) for name in missing]


def _type_errors(value: Any, kind: Kind) -> list[Any]:
    from pydantic_core import ValidationError  # a quarter of a start: not without an artifact

    try:
        validator(kind).validate_python(value)
    except ValidationError as error:
        return error.errors(include_url=False)
    return []


def _reads_any(rule: Rule, paths: set[Path]) -> bool:
    return any(_touches(path, reads) for path in paths for reads in rule.reads)


def _any_index(path: Path) -> Path:
    return tuple("*" if isinstance(step, int) else step for step in path)


def _touches(path: Path, pattern: Path) -> bool:
    """Return whether one path leads to or through the other; `*` in the pattern is any index."""
    return all(step in ("*", own) for own, step in zip(path, pattern, strict=False))


_VALIDATORS: dict[str, SchemaValidator] = {}


@cache
def _compiled() -> Any:
    with open(COMPILED, encoding="utf-8") as file:
        return json.load(file)


def validator(kind: Kind) -> SchemaValidator:
    """Return the validator of a kind's model: the compiled one, or one built from the model.

    Core schemas belong to one version of pydantic-core. With any other the model itself is
    compiled: the same verdicts, for the price of importing pydantic.
    """
    if kind.name not in _VALIDATORS:
        import pydantic_core  # as above

        schema: Any = _compiled()["kinds"].get(kind.name)
        if schema is None or pydantic_core.__version__ != _compiled()["pydantic_core"]:
            from pydantic import TypeAdapter

            schema = TypeAdapter(kind.model).core_schema
        _VALIDATORS[kind.name] = pydantic_core.SchemaValidator(schema)
    return _VALIDATORS[kind.name]


def main(kinds: Mapping[str, Kind], argv: list[str] | None = None) -> int:
    """Validate the artifacts that the arguments name and return the exit code."""
    printable_streams()
    options = _parser(kinds).parse_args(argv)

    def validate_all() -> int:
        kind = kinds.get(options.kind)
        codes = [_report(path, kind, kinds, options.profile) for path in options.validate]
        if max(codes) == PASSED:
            deliver("OK\n")
        return max(codes)

    return guarded(validate_all, "schema.py")


def _parser(kinds: Mapping[str, Kind]) -> Arguments:
    parser = Arguments(
        prog="schema.py",
        description="Validate the JSON artifacts that agents exchange.",
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
        choices=list(kinds),
        help="the kind of the artifacts (default: from their file names)",
    )
    parser.add_argument(
        "--profile",
        choices=PROFILES,
        default=CORE,
        help="core (the default): the required fields; exercise: also acceptance_mapping and "
        "produced_by",
    )
    return parser


def _report(path: str, kind: Kind | None, kinds: Mapping[str, Kind], profile: Profile) -> int:
    name = "<stdin>" if path == "-" else path or '""'
    kind = kind or kind_named(path, kinds)
    if kind is None:
        endings = ", ".join(each.ending for each in kinds.values())
        tell(
            f"{visible(name, 300)}: the file name does not show the kind (expected one of "
            f"{endings}; or give it with --kind {'|'.join(kinds)})"
        )
        return UNUSABLE
    try:
        data = read_standard_input() if path == "-" else read_file(path)
    except Unreadable as error:
        tell(f"{visible(name, 300)}: {error}")
        return FAILED if error.reason == TOO_LARGE else UNUSABLE
    problems = validate(data, kind, profile).problems
    for problem in problems[:SHOWN]:
        tell(problem.line_for(name))
    if len(problems) > SHOWN:
        tell(f"{visible(name, 300)}: and {len(problems) - SHOWN} more problems")
    return FAILED if problems else PASSED
