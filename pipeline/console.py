"""The entry of the console script: Ctrl-C is answered from the first import on."""

from __future__ import annotations

from pipeline.bootstrap import end_at_once_on_interrupt


def main() -> int:
    """Run the console script and return the exit code."""
    end_at_once_on_interrupt()
    from pipeline.cli import main as run

    return run()
