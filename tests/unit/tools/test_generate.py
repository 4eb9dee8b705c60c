"""tools/generate.py: what is generated is up to date, and drift is noticed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def generate(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "tools" / "generate.py", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_generated_file_is_up_to_date() -> None:
    done = generate("--check")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_schema_that_was_edited_by_hand_is_named(tmp_path: Path) -> None:
    code = (
        "import runpy, sys\n"
        f"module = runpy.run_path({str(ROOT / 'tools' / 'generate.py')!r})\n"
        "read = module['_read']\n"
        "plan = 'docs/reference/schemas/plan.schema.json'\n"
        "main = module['main']\n"
        "main.__globals__['_read'] = lambda path: '{}' if path == plan else read(path)\n"
        "main.__globals__['pages'] = tuple\n"  # what they quote is run, and was run just above
        "sys.exit(main(['--check']))\n"
    )
    script = tmp_path / "drifted.py"
    script.write_text(code, encoding="utf-8")

    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )

    assert (done.returncode, done.stdout) == (
        1,
        "docs/reference/schemas/plan.schema.json is out of date: run python tools/generate.py\n",
    )


def test_the_readmes_picture_loads_nothing_from_anywhere() -> None:
    picture = (ROOT / "docs" / "images" / "verify-table.svg").read_text(encoding="utf-8")

    assert "url(" not in picture.replace("url(#", "")
