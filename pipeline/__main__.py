"""`python -m pipeline`: the console script, for where it is not on PATH."""

from __future__ import annotations

from pipeline.console import main

if __name__ == "__main__":
    raise SystemExit(main())
