"""How the commands read arguments: help that fits a terminal, a fault in one line."""

from __future__ import annotations

import argparse
import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from pipeline.terminal.display import did_you_mean, inert, quoted, visible
from pipeline.terminal.streams import columns

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_LINES = 23  # of a terminal with 24, below the command itself


class Arguments(argparse.ArgumentParser):
    """A parser whose faults are one line and exit code 2, and whose epilog is kept as written.

    `--help` fits 24 lines of 80 columns: where not all does, it leaves out the end of the epilog,
    then all of it, then the options that are not among the `common` ones. `--help-all` shows all.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=_formatter, add_help=False, **options)
        self.common: Collection[str] = ()
        shown: dict[str, Any] = {"action": _Show, "nargs": 0, "default": argparse.SUPPRESS}
        self.add_argument("-h", "--help", **shown, help="show the common options and exit")
        self.add_argument("--help-all", **shown, help="show all options and exit")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return the arguments; a command says what it does not know before what it lacks."""
        words = sys.argv[1:] if args is None else [*args]
        options = words[: words.index("--")] if "--" in words else words
        for word in () if self._subparsers else options:
            name = word.partition("=")[0]
            if name.startswith("--") and not self._get_option_tuples(name):
                self._refuse([word])
        known, unknown = super().parse_known_args(words, namespace)
        if unknown:
            self._refuse(unknown)
        return known, unknown

    def _refuse(self, words: list[str]) -> NoReturn:
        options, name = self._option_string_actions, words[0].partition("=")[0]
        meant = did_you_mean(name, options)
        if not name.startswith("-") and "--exercise" in options:
            meant = f" (did you mean --exercise {name}?)"
        self.error(f"unrecognized arguments: {' '.join(words)}{meant}")

    def error(self, message: str) -> NoReturn:
        """Say what is wrong on stderr and exit with 2."""
        if choice := re.search(r"invalid choice: '?([^']+?)'? \(choose from (.*)\)", message):
            message += did_you_mean(choice[1], re.findall(r"[^\s,']+", choice[2]))
        fault = f"{self.prog}: {visible(message, 1_000)}"
        self.exit(2, inert(f"{fault}; --help shows the usage\n"))

    def shorten(self) -> None:
        """Leave out as much of the help as does not fit a terminal."""
        operands = " ".join(map(_operand, self._get_positional_actions()))
        usage = self.usage or f"%(prog)s [options] {operands}".rstrip()
        options, common = (
            (action for action in self._actions if action.option_strings),
            set(self.common),
        )
        rare = [option for option in options if common.isdisjoint(option.option_strings)]
        examples = (self.epilog or "").partition("\n\n")[0]
        for epilog, hidden in ((examples, []), ("", []), ("", rare)):
            if sum(1 + len(line) // 80 for line in self.format_help().splitlines()) <= _LINES:
                break
            self.usage, self.epilog = usage, f"{epilog}\n\nMore: {self.prog} --help-all".lstrip()
            for action in hidden:
                action.help = argparse.SUPPRESS


class _Show(argparse.Action):
    """Prints the help of a parser, short or whole."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print it and exit with 0."""
        if isinstance(parser, Arguments) and "--help" in self.option_strings:
            parser.shorten()
        sys.stdout.write(parser.format_help())
        parser.exit()


class Switch(argparse.Action):
    """An option that is on or off: `--draft` and `--no-draft`, `--no-jail` and `--jail`."""

    def __init__(self, option_strings: list[str], **rest: Any) -> None:
        on = option_strings[-1]
        off = f"--{on[5:]}" if on.startswith("--no-") else f"--no-{on[2:]}"
        super().__init__([*option_strings, off], nargs=0, **{**rest, "default": False})

    def __call__(
        self, _: object, namespace: argparse.Namespace, __: object, option: str | None = None
    ) -> None:
        """Keep which of the two was given."""
        setattr(namespace, self.dest, option != self.option_strings[-1])


class Between(NamedTuple):
    """The type of an option that is a number: a whole one, if `least` is; both ends are included.

    As a parser's `type`, it refuses what is not a number. Whether a number is within the ends is
    asked by `includes`, since a number can also come from a file.
    """

    least: float
    most: float

    def __str__(self) -> str:
        return f"{self.least} to {self.most}"

    def __call__(self, text: str) -> float:
        """Return the number that a word of the command line is."""
        try:
            return type(self.least)(text)
        except ValueError:
            expected = f"expected {self}, found {quoted(text)}"
            raise argparse.ArgumentTypeError(expected) from None

    def includes(self, number: float) -> bool:
        """Return whether the number is within the ends: NaN is not."""
        return self.least <= number <= self.most


class CommandOption(NamedTuple):
    """What an option of a command takes."""

    name: str  #: as on the command line, without hyphens at its start
    dest: str  #: the parameter of the command
    default: Any
    kind: type  #: `bool`, `int`, `float`, `str`, or `list` of texts where it can be repeated
    bounds: Between | None = None  #: of a number
    choices: tuple[str, ...] = ()
    help: str = ""


def options_of(parser: argparse.ArgumentParser) -> tuple[CommandOption, ...]:
    """Return the options of a parser, which from then on returns only those that are given."""
    found = []
    for action in parser._actions:  # noqa: SLF001  # as argparse itself lists them
        if action.option_strings and not isinstance(action, _Show):
            bounds = action.type if isinstance(action.type, Between) else None
            kind = (
                list if isinstance(action.default, list) else type(bounds.least if bounds else "")
            )
            if isinstance(action, Switch | argparse._StoreTrueAction):  # noqa: SLF001
                kind = bool
            names = [name for name in action.option_strings if name.startswith("--")]
            found.append(
                CommandOption(
                    name=names[0].lstrip("-"),
                    dest=action.dest,
                    default=action.default,
                    kind=kind,
                    bounds=bounds,
                    choices=tuple(action.choices or ()),
                    help=action.help or "",
                )
            )
            action.default = argparse.SUPPRESS
    return tuple(found)


def add_commands(
    parser: Arguments, lines: Mapping[str, str], package: str, chosen: str, **options: Any
) -> None:
    """Add the commands of a console script, each with its line of help, and the options of one.

    A command is a module of its name in the package, with `add_options`; only `chosen` is imported.
    """
    # as long a word as this lines up the commands alike on every version of Python
    commands = parser.add_subparsers(prog=parser.prog, metavar="COMMAND [...]", **options)
    for name, line in lines.items():
        command = commands.add_parser(name, help=line, description=f"{line[0].upper()}{line[1:]}.")
        if name == chosen:
            import_module(f"{package}.{name.replace('-', '_')}").add_options(command)


def subcommands(parser: Arguments) -> Any:
    """Return the subcommands of a command, of which one has to be chosen."""
    parser.usage = f"{parser.prog} [-h] COMMAND ..."  # versions of Python write it differently
    return parser.add_subparsers(prog=parser.prog, metavar="COMMAND ...", required=True)


def _operand(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    name += " ..." if action.nargs in {"+", "*"} else ""
    return f"[{name}]" if action.nargs in {"?", "*"} else name


def _formatter(prog: str) -> argparse.HelpFormatter:
    # With a given width, argparse does not import shutil to find it.
    return argparse.RawDescriptionHelpFormatter(prog, width=max(columns(sys.stdout) - 2, 38))
