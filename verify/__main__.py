"""`python -m verify`: the console script, for where it is not on PATH."""

from __future__ import annotations

from pipeline.bootstrap import use_project_environment

if __name__ == "__main__":
    use_project_environment()
    from verify.cli import main

    raise SystemExit(main())
