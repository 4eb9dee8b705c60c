"""A format's reporter is imported when it is asked for."""

from __future__ import annotations

import pytest

from verify.reporters.registry import FORMATS, reporter


@pytest.mark.parametrize(
    ("name", "module"),
    [("table", "table"), ("json", "json_report"), ("junit", "junit"), ("github", "github")],
)
def test_a_format_has_its_reporter(name: str, module: str) -> None:
    assert name in FORMATS
    assert reporter(name).__module__ == f"verify.reporters.{module}"
