"""Draws the README's picture from a real run: what a terminal of 80 columns shows."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys

from rich.console import Console
from rich.text import Text

from pipeline.bootstrap import ROOT

SCRIPT = "docs/practitioner/tutorials/verify.py"
EXAMPLE = "fixtures/submissions/practitioner/02-delegate/broken-files-and-steps"
COLUMNS = 80

_COLOUR_RUN = "import sys; sys.argv = sys.argv[1:]; sys.stdout.isatty = lambda: True; "
_COLOUR_RUN += "import runpy; runpy.run_path(sys.argv[0], run_name='__main__')"


def readme_picture() -> str:
    """Return an SVG of a broken submission being graded; it loads nothing from anywhere."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    words = ["python3", SCRIPT, "--exercise", "02"]
    console.print(Text(f"$ {' '.join(words)}", style="bold"))
    console.print(Text.from_ansi(_output()), soft_wrap=True)
    svg = console.export_svg(title="verify", unique_id="verify-table")
    # rich's template loads its font from a web host: the reader's own monospace font will do
    return re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL).replace(
        "Fira Code, monospace", "ui-monospace, monospace"
    )


def _output() -> str:
    """Return what the run prints to a terminal, without the folder that picks the fixture."""
    command = [sys.executable, "-c", _COLOUR_RUN, SCRIPT, "--exercise", "02", "--project", EXAMPLE]
    environment = {"COLUMNS": str(COLUMNS), "PATH": os.environ["PATH"], "PYTHONUTF8": "1"}
    done = subprocess.run(  # noqa: S603  # our own script
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout.replace(f" --project {EXAMPLE}", "")
