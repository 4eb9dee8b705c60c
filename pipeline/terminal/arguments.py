"""How the commands read arguments: help that fits a terminal, a fault in one line."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from pipeline.terminal.display import inert, visible
from pipeline.terminal.streams import columns

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

_LINES = 23  # of a terminal with 24, below the command itself


class Arguments(argparse.ArgumentParser):
    """A parser whose faults are one line and exit code 2, and whose epilog is kept as written.

    `--help` fits 24 lines of 80 columns: where not all does, it leaves out the epilog, then the
    options that are not among the `common` ones. `--help-all` shows everything.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=_formatter, add_help=False, **options)
        self.common: Collection[str] = ()
        self.add_argument("-h", "--help", action=_Show, help="show the common options and exit")
        self.add_argument("--help-all", action=_Show, help="show all options and exit")

    def error(self, message: str) -> NoReturn:
        """Say what is wrong on stderr and exit with 2."""
        fault = f"{self.prog}: {visible(message, 1_000)}"
        self.exit(2, inert(f"{fault}; --help shows what is possible\n"))

    def short_help(self) -> str:
        """Return the help that fits a terminal, as far as it can be made to."""
        found = ""
        for found in self._ever_shorter():
            if sum(1 + max(len(line) - 1, 0) // 80 for line in found.splitlines()) <= _LINES:
                break
        return found

    def _ever_shorter(self) -> Iterator[str]:
        yield self.format_help()
        examples = (self.epilog or "").partition("\n\n")[0]
        yield self._page(lambda _: True, examples)
        yield self._page(lambda _: True)
        yield self._page(self._is_common)

    def _is_common(self, action: argparse.Action) -> bool:
        return not action.option_strings or not set(action.option_strings).isdisjoint(self.common)

    def _page(self, is_shown: Callable[[argparse.Action], bool], examples: str = "") -> str:
        formatter = self._get_formatter()
        operands = " ".join(map(_operand, self._get_positional_actions()))
        formatter.add_usage(self.usage or f"%(prog)s [options] {operands}".rstrip(), [], [])
        formatter.add_text(self.description)
        for group in self._action_groups:
            formatter.start_section(group.title)
            shown = filter(is_shown, group._group_actions)  # noqa: SLF001  # as argparse itself does
            formatter.add_arguments(shown)
            formatter.end_section()
        formatter.add_text(examples)
        return f"{formatter.format_help()}\nMore: {self.prog} --help-all\n"


class _Show(argparse.Action):
    """Prints the help of a parser, short or whole."""

    def __init__(self, option_strings: list[str], dest: str, help: str) -> None:  # noqa: A002  # argparse's
        super().__init__(option_strings, argparse.SUPPRESS, 0, default=argparse.SUPPRESS, help=help)
        del dest

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print it and exit with 0."""
        is_short = isinstance(parser, Arguments) and "--help" in self.option_strings
        text = parser.short_help() if is_short else parser.format_help()  # type: ignore[attr-defined]  # is_short
        sys.stdout.write(text)
        parser.exit()


def _operand(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    name += " ..." if action.nargs in {"+", "*"} else ""
    return f"[{name}]" if action.nargs in {"?", "*"} else name


def _formatter(prog: str) -> argparse.HelpFormatter:
    # With a given width, argparse does not import shutil to find it.
    return argparse.RawDescriptionHelpFormatter(prog, width=max(columns(sys.stdout) - 2, 38))
