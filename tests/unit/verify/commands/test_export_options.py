"""The words of `verify export` become what it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verify.commands.export_options import add_export

if TYPE_CHECKING:
    from collections.abc import Callable


def test_exports_are_asked_for_as_of_a_batch(parsed: Callable[..., dict[str, Any]]) -> None:
    words = ["--gradebook", "g.db", "--quiet", "--csv", "a.csv"]

    assert parsed(add_export, "export") == {
        "gradebook": "gradebook.db",
        "quiet": False,
        "exports": [],
    }
    assert parsed(add_export, "export", *words) == {
        "gradebook": "g.db",
        "quiet": True,
        "exports": [("csv", "a.csv")],
    }
