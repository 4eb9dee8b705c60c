"""The command of one level: `python3 docs/<level>/tutorials/verify.py`."""

from __future__ import annotations

from pipeline.bootstrap import from_here
from pipeline.terminal.arguments import Arguments
from pipeline.terminal.streams import printable_streams
from verify.command import execute
from verify.request import Request, add_options

_EPILOG = """\
examples:
  python3 {script}                            the level's exercises and the next one
  python3 {script} --exercise 02              grade exercise 02
  python3 {script} --exercise 02 --hint       a hint at the first failure; twice: more
  python3 {script} --exercise 02 --watch      grade it again whenever you save
  python3 {script} --exercise 02 --project ../work --format json

To begin again, move your attempt aside: python3 -m verify reset {level}/02
What a check asks, and how to fix it: python3 -m verify explain {code}02.1

exit codes: 0 all passed, 1 something failed, 2 wrong usage or nothing to grade,
3 the harness itself failed, 130 interrupted
"""


def main(level: str, script: str, argv: list[str] | None = None) -> int:
    """Grade as the arguments say and return the exit code; `script` is the path that was run."""
    printable_streams()
    script = from_here(script)
    parser = Arguments(
        prog=f"python3 {script}",
        description=f"Grade the {level} exercises. Without --exercise, list them with their state.",
        epilog=_EPILOG.format(script=script, level=level, code=level[0].upper()),
    )
    parser.add_argument("--exercise", metavar="NN", help="the exercise to grade, such as 02")
    add_options(parser, one_exercise=True)
    options = vars(parser.parse_args(argv))
    number = options.pop("exercise")
    if number:  # foundation/02, as the table writes it, is 02 to the script of its level
        number = number.removeprefix(f"{level}/")
    return execute(Request(level=level, number=number, **options))
