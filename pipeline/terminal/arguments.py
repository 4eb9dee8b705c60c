"""How the commands read arguments: help at the terminal's width, a fault in one line."""

from __future__ import annotations

import argparse
import sys
from typing import Any, NoReturn

from pipeline.terminal.display import inert, visible
from pipeline.terminal.streams import columns


class Arguments(argparse.ArgumentParser):
    """A parser whose faults are one line and exit code 2, and whose epilog is kept as written."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=_formatter, **options)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong on stderr and exit with 2."""
        fault = f"{self.prog}: {visible(message, 1_000)}"
        self.exit(2, inert(f"{fault}; --help shows what is possible\n"))


def _formatter(prog: str) -> argparse.HelpFormatter:
    # With a given width, argparse does not import shutil to find it.
    return argparse.RawDescriptionHelpFormatter(prog, width=max(columns(sys.stdout) - 2, 38))
