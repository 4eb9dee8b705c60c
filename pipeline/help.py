"""How the commands print their `--help`: as written, at the width of the terminal."""

from __future__ import annotations

import argparse
import sys

from pipeline.streams import columns


def help_formatter(prog: str) -> argparse.HelpFormatter:
    """Return the formatter of a parser; knowing the width, argparse does not import shutil."""
    return argparse.RawDescriptionHelpFormatter(prog, width=max(columns(sys.stdout) - 2, 38))
