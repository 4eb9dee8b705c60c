"""The command `python3 pipeline/schema.py --validate PATH …`: reports and exit codes."""

from __future__ import annotations

from pipeline.files import TOO_LARGE, Unreadable, read_file, read_standard_input
from pipeline.protocol.validation import CORE, PROFILES, Profile, validate
from pipeline.schema import KINDS, Kind, kind_of
from pipeline.terminal.arguments import Arguments
from pipeline.terminal.crash import fenced
from pipeline.terminal.display import inert, visible
from pipeline.terminal.exit_codes import FAILED, PASSED, UNUSABLE
from pipeline.terminal.streams import deliver, guarded, printable_streams, tell

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
