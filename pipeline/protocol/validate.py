"""Validates artifacts: parses them, applies the rules of their kind, and locates the problems.

Also the command `python3 pipeline/schema.py --validate PATH …`: its reports and exit codes.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pipeline.files import TOO_LARGE, Unreadable, read_file, read_standard_input
from pipeline.protocol.agreement import WRITERS, is_by
from pipeline.protocol.json_text import NotStrictJson, locate, parse, text_of
from pipeline.protocol.problems import Path, Problem, Wrong
from pipeline.terminal.arguments import Arguments
from pipeline.terminal.display import listed, named, visible
from pipeline.terminal.exit_codes import FAILED, PASSED, UNUSABLE
from pipeline.terminal.streams import deliver, guarded, printable_streams, tell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_core import SchemaValidator

Profile = Literal["core", "exercise"]
PROFILES: tuple[Profile, ...] = ("core", "exercise")

SHOWN = 20

_EPILOG = """\
examples:
  python3 pipeline/schema.py --validate .pipeline/ISSUE-7/plan.json
  python3 pipeline/schema.py --profile exercise --validate plan.json worker-result.json
  python3 pipeline/schema.py --validate - --kind plan < plan.json

exit codes: 0 valid (prints OK), 1 invalid, 2 cannot be read or wrong usage,
            3 the command itself failed or its output cannot be written, 130 interrupted
"""

COMPILED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compiled.json")


Check = Callable[[Any], Iterable[Wrong]]


class Rule(NamedTuple):
    """What the fields of an artifact must be besides well-typed."""

    name: str  #: that of its problems
    reads: tuple[Path, ...]  #: fields, `*` for every index and key
    check: Check

    def problems(self, value: Any) -> Iterator[Problem]:
        """Yield the problems of a value, without their lines and columns."""
        for path, message, expected, found, action in self.check(value):
            yield Problem(self.name, path, message, expected, found, action=action)

    def reads_any(self, paths: Iterable[Path]) -> bool:
        """Return whether one of some paths leads to or through a field that the rule reads."""
        pairs = (zip(path, field, strict=False) for path in paths for field in self.reads)
        return any(all(step in ("*", found) for found, step in pair) for pair in pairs)


class Kind:
    """One kind of artifact: its model, and rules and notes in the order in which they are written.

    `example` is a valid one with every field. The `exercise` profile requires the
    `exercise_fields`, too.
    """

    def __init__(
        self, name: str, model: Any, example: Any, exercise_fields: tuple[str, ...] = ()
    ) -> None:
        self.name, self.model, self.example = name, model, example
        self.exercise_fields = exercise_fields
        self.ending = f"{name}.json"  # of its file's name, which may have a prefix: `03-plan.json`
        self.rules: list[Rule] = []
        self.notes: list[Rule] = []  # find what a valid artifact probably does not mean

    def rule(self, name: str, *reads: str) -> Callable[[Check], Check]:
        """Add a function as a rule; it is applied where the fields that it `reads` are well-typed.

        A field is written as its path: `steps.*.file`.
        """
        return self._added(self.rules, name, reads)

    def note(self, name: str) -> Callable[[Check], Check]:
        """Add a function as a note; it is applied to valid artifacts."""
        return self._added(self.notes, name, ())

    @staticmethod
    def _added(to: list[Rule], name: str, reads: tuple[str, ...]) -> Callable[[Check], Check]:
        def add(check: Check) -> Check:
            to.append(Rule(name, tuple(tuple(field.split(".")) for field in reads), check))
            return check

        return add


def kind_of(file: str, kinds: Mapping[str, Kind]) -> Kind | None:
    """Return the kind that a file's name says, also with more before it or behind it.

    So do `03-plan.json`, `ISSUE-7-plan.json`, `plan-final.json`, `plan (1).json` and `plan.JSON`.
    """
    name = f"-{os.path.basename(file)}"
    for more in ("", r"[-_. (][^/]*"):
        for kind in kinds.values():
            if re.search(rf"[-_. ]{kind.name}{more}\.json\Z", name, re.IGNORECASE):
                return kind
    return None


class Validation(NamedTuple):
    """What there is to say about a document."""

    value: Any  #: parsed, None if it is not JSON
    problems: tuple[Problem, ...] = ()  #: with their places, in document order


def validate(data: bytes, kind: Kind, profile: Profile = "core") -> Validation:
    """Validate one artifact: fields and types first, then each rule whose fields are well-typed.

    The `core` profile asks for the fields that the specification marks "yes"; `exercise` also for
    those that it marks as required for the exercises.
    """
    try:
        value = parse(data)
    except NotStrictJson as error:
        return Validation(None, _about_fields(error))
    problems = _field_problems(value, kind, profile)
    wrong = (p.path for p in problems if p.rule in ("fields", "count", "path", "pr-url"))
    fields = {tuple("*" if isinstance(step, int) else step for step in path) for path in wrong}
    for rule in kind.rules:
        if not (fields and rule.reads_any(fields)):
            problems += rule.problems(value)
    return Validation(value, locate(text_of(data), problems) if problems else ())


def _about_fields(error: NotStrictJson) -> tuple[Problem, ...]:
    """Return why a text is not JSON; where a word is in place of a value, what belongs there."""
    from pipeline.protocol.advice import content  # most artifacts are right
    from pipeline.protocol.json_faults import NO_WORD

    *before, last = error.problems
    wanted = content(error.path) if last.message == NO_WORD else ""
    return (*before, last._replace(action=f"Write {wanted}.")) if wanted else error.problems


def notes_on(data: bytes, value: Any, kind: Kind, profile: Profile) -> tuple[Problem, ...]:
    """Return what a valid artifact probably does not mean, with its places."""
    found = [problem for note in kind.notes for problem in note.problems(value)]
    writers = WRITERS.get(kind.name, ())
    if profile == "exercise" and writers and not is_by(value, writers):
        message, expected = "no agent of this name writes such an artifact", listed(writers)
        marker = named(value["produced_by"])
        found.append(Problem("produced-by", ("produced_by",), message, expected, marker))
    notes = [problem._replace(message=f"note: {problem.message}") for problem in found]
    return locate(text_of(data), notes) if notes else ()


def _field_problems(value: Any, kind: Kind, profile: Profile) -> list[Problem]:
    errors: list[Any] = []
    try:
        validator(kind).validate_python(value)
    except extension().ValidationError as error:
        errors += error.errors(include_url=False)
    if profile == "exercise" and isinstance(value, dict):
        lost = (name for name in kind.exercise_fields if name not in value)
        errors += [{"type": "missing", "loc": (name,), "input": value} for name in lost]
    if not errors:
        return []
    from pipeline.protocol.advice import mistaken, problem_of  # most artifacts are right

    wrong = mistaken(value, kind.name, _compiled()["kinds"])
    return [wrong] if wrong else [problem_of(error, kind.example) for error in errors]


_VALIDATORS: dict[str, SchemaValidator] = {}


@cache
def _compiled() -> Any:
    with open(COMPILED, encoding="utf-8") as file:
        return json.load(file)


def validator(kind: Kind) -> SchemaValidator:
    """Return the validator of a kind's model: the compiled one, or one built from the model.

    Core schemas belong to one version of pydantic-core. With any other the model itself is
    compiled: the same verdicts, for the price of importing pydantic. `schema.py --validate` then
    takes 162 ms of CPU instead of 46, `verify.py --exercise 02` 159 instead of 74.
    """
    if kind.name not in _VALIDATORS:
        schema = _compiled()["kinds"][kind.name]
        if extension().__version__ != _compiled()["pydantic_core"]:
            from pydantic import TypeAdapter

            schema = TypeAdapter(kind.model).core_schema
        _VALIDATORS[kind.name] = extension().SchemaValidator(schema)
    return _VALIDATORS[kind.name]


@cache
def extension() -> Any:
    """Return pydantic_core's compiled module, without the package around it.

    `schema.py --validate` then takes 46 ms of CPU instead of 53, `verify.py --exercise 02` 67
    instead of 73.
    """
    name = "pydantic_core"
    if name not in sys.modules and (package := find_spec(name)):
        sys.modules[name] = module_from_spec(package)  # it finds its own modules, and runs nothing
        with suppress(ImportError):  # a version that is built differently
            import_module(f"{name}._{name}")
        del sys.modules[name]
    return sys.modules.get(f"{name}._{name}") or import_module(name)


# --- the command --------------------------------------------------------------------------------


def main(kinds: Mapping[str, Kind], argv: list[str] | None = None) -> int:
    """Validate the artifacts that the arguments name and return the exit code."""
    printable_streams()
    options = _parser(kinds).parse_args(argv)

    def validate_all() -> int:
        kind = kinds.get(options.kind)
        codes = [_report(path, kind, kinds, options.profile) for path in options.paths]
        if max(codes) == PASSED:
            deliver("OK\n")
        return max(codes)

    return guarded(validate_all, "schema.py")


def _parser(kinds: Mapping[str, Kind]) -> Arguments:
    purpose = "Validate the JSON artifacts that agents exchange."
    artifacts = "an artifact; - is standard input and needs --kind"
    kind = f"the kind of the artifacts (default: from their file names): {', '.join(kinds)}"
    profile = "core (default): the required fields; exercise: also acceptance_mapping, produced_by"
    parser = Arguments(prog="schema.py", description=purpose, epilog=_EPILOG)
    # a flag, so that other options may be between it and the paths
    parser.add_argument("--validate", action="store_true", required=True, help="validate artifacts")
    parser.add_argument("paths", metavar="PATH", nargs="+", help=artifacts)
    parser.add_argument("--kind", metavar="KIND", choices=list(kinds), help=kind)
    parser.add_argument("--profile", choices=PROFILES, default="core", help=profile)
    return parser


def _report(path: str, kind: Kind | None, kinds: Mapping[str, Kind], profile: Profile) -> int:
    name = "<stdin>" if path == "-" else path or '""'
    shown, kind = visible(name, 300), kind or kind_of(path, kinds)
    if kind is None:
        tell(_why_no_kind(path, shown, kinds))
        return UNUSABLE
    try:
        data = read_standard_input() if path == "-" else read_file(path)
    except Unreadable as error:
        tell(f"{shown}: {error}")
        return FAILED if error.reason == TOO_LARGE else UNUSABLE
    value, problems = validate(data, kind, profile)
    for problem in problems[:SHOWN] or notes_on(data, value, kind, profile):
        tell(problem.line_for(name))
    if len(problems) > SHOWN:
        tell(f"{shown}: and {len(problems) - SHOWN} more problems")
    return FAILED if problems else PASSED


def _why_no_kind(path: str, shown: str, kinds: Mapping[str, Kind]) -> str:
    if os.path.isdir(path):
        names = [file for file in sorted(os.listdir(path)) if kind_of(file, kinds)] or ["plan.json"]
        files = ", ".join(visible(os.path.join(path, file), 300) for file in names[:SHOWN])
        return f"{shown} is a folder: give the artifacts in it, such as {files}"
    endings = ", ".join(kind.ending for kind in kinds.values())
    advice = f"rename it to one of {endings}, or use --kind {'|'.join(kinds)}"
    return f"{shown}: the file name does not show the kind of artifact: {advice}"
