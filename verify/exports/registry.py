"""The formats of exports: which there are, and the export of each, imported when asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verify.exports.base import Export

_MODULES = {
    "csv": "long_csv",
    "csv-wide": "wide_csv",
    "json": "json_file",
    "jsonl": "json_lines",
    "gradescope": "gradescope",
    "canvas": "canvas",
    "moodle": "moodle",
    "feedback": "feedback",
    "html": "html",
}
FORMATS = tuple(_MODULES)
FOLDERS = frozenset({"feedback", "html"})  # what is written is a folder of files


def exporter(name: str) -> Export:
    """Return the export of a format of `FORMATS`."""
    write: Export = import_module(f"verify.exports.{_MODULES[name]}").write
    return write
