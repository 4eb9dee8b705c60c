"""Cuts GitHub's own OpenAPI description to what the github forge uses, for the tests.

usage: python tools/github_openapi.py

The description is the one that GitHub publishes, as the npm package @octokit/openapi carries it:
393 MB unpacked, so the cut is what the project keeps. Nothing in it is rewritten: paths, operations
and schemas that are not used are left out, and so are texts and examples.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import tempfile
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CUT = ROOT / "tests/forges/github-openapi.json"
LICENCE = ROOT / "tests/forges/github-openapi.LICENSE"
PACKAGE = "@octokit/openapi@23.0.2"
OPERATIONS = {
    "/repos/{owner}/{repo}": ("get",),
    "/repos/{owner}/{repo}/pulls": ("get", "post"),
}
_TEXTS = ("description", "summary", "example", "examples", "externalDocs", "tags", "deprecated")


def main() -> int:
    """Fetch the package with npm, and write the cut and its licence."""
    with tempfile.TemporaryDirectory() as folder:
        whole, licence = _fetched(Path(folder))
    CUT.write_text(json.dumps(cut(whole), indent=1, sort_keys=True) + "\n", encoding="utf-8")
    LICENCE.write_text(licence, encoding="utf-8")
    print(f"{CUT.relative_to(ROOT)}: {CUT.stat().st_size:,} bytes of {PACKAGE}")
    return 0


def _fetched(folder: Path) -> tuple[dict[str, Any], str]:
    subprocess.run(  # noqa: S603  # npm, for the one package named above
        ["npm", "pack", "--silent", PACKAGE],  # noqa: S607  # the user's npm
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as package:
        description = package.extractfile("package/generated/api.github.com.json")
        licence = package.extractfile("package/LICENSE")
        if description is None or licence is None:
            raise SystemExit(f"{PACKAGE} has a different layout than expected")
        return json.load(description), licence.read().decode()


def cut(whole: dict[str, Any]) -> dict[str, Any]:
    """Return the description with the operations of OPERATIONS and what they refer to."""
    paths = {
        path: {method: whole["paths"][path][method] for method in methods}
        for path, methods in OPERATIONS.items()
    }
    kept: dict[str, Any] = {}
    pending = _references(paths)
    while pending:
        reference = pending.pop()
        kept[reference] = reduce(getitem, reference.split("/"), whole)
        pending |= _references(kept[reference]) - kept.keys()
    components: dict[str, dict[str, Any]] = {}
    for reference, part in kept.items():
        _, kind, name = reference.split("/")
        components.setdefault(kind, {})[name] = _bare(part)
    return {
        "openapi": whole["openapi"],
        "info": whole["info"],
        "paths": _bare(paths),
        "components": components,
    }


def _references(part: Any) -> set[str]:
    return set(re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(_bare(part))))


def _bare(part: Any, *, names: bool = False) -> Any:
    """Return a copy without texts; with `names` the keys are a schema's property names."""
    if isinstance(part, list):
        return [_bare(value) for value in part]
    if not isinstance(part, dict):
        return part
    return {
        key: _bare(value, names=key == "properties" and not names)
        for key, value in part.items()
        if names or not (key in _TEXTS or key.startswith("x-"))
    }


if __name__ == "__main__":
    sys.exit(main())
