"""Names are compared by one form, and every name is read a fixed number of times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.protocol import names
from pipeline.protocol.names import Known, composed
from pipeline.protocol.validate import validate
from pipeline.schema import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

E_ACUTE, E_COMBINED = "\u00e9", "e\u0301"


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("plain", "plain"),
        (f"{E_COMBINED}/a", f"{E_ACUTE}/a"),
        # the longest name that a file can have, in a long path
        (f"a/{E_COMBINED * 382}/{'b' * 999}", f"a/{E_ACUTE * 382}/{'b' * 999}"),
        # longer than any file's name
        (E_COMBINED * 383 + f"/{E_COMBINED}", E_COMBINED * 383 + f"/{E_ACUTE}"),
    ],
)
def test_a_name_that_a_file_can_have_is_composed(name: str, form: str) -> None:
    assert composed(name) == form


def test_an_unknown_name_is_answered_by_the_one_that_is_near() -> None:
    known = Known(["src/App.js", f"{E_COMBINED}.js"])

    assert f"{E_ACUTE}.js" in known
    assert "src/app.js" not in known
    assert known.near("src/app.js") == "src/App.js"
    assert known.near(f"{E_ACUTE.upper()}.js") == f"{E_COMBINED}.js"
    assert known.near("sandbox/src/App.js") == "src/App.js"
    assert known.instead(known.near("b.js")) == 'one of "src/App.js", "e\\u0301.js"'
    assert known.instead(known.near("src/Apps.js")) == '"src/App.js"'


@pytest.fixture
def composed_names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names that have been composed so far."""
    seen: list[str] = []
    original: Callable[[str], str] = names.composed

    def noted(name: str) -> str:
        seen.append(name)
        return original(name)

    monkeypatch.setattr(names, "composed", noted)
    return seen


def test_lists_that_share_no_name_are_compared_in_linear_time(composed_names: list[str]) -> None:
    files, planned = ([f"{head}{number}" for number in range(300)] for head in "ab")
    steps = [f'{{"order":{n},"file":"{file}","description":"d"}}' for n, file in enumerate(planned)]
    affected = ",".join(f'"{file}"' for file in files)
    plan = f'{{"affected_files":[{affected}],"steps":[{",".join(steps)}]}}'

    assert len(validate(plan.encode(), KINDS["plan"]).problems) == 600
    assert len(composed_names) <= 20 * 300  # the rule is asked twice
