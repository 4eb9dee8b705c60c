"""tools/conformance.py: the page of a toy specification, and everything that keeps it unwritten."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tools.conformance import DECISIONS, NotConformant, conformance_page

if TYPE_CHECKING:
    from collections.abc import Callable

    Toy = Callable[..., str]

TOY = Path(__file__).parent / "toy"
FILES = {
    "tools/specification/all.txt": (TOY / "specification.txt").read_text(encoding="utf-8"),
    "agents/planner.md": "It comes\n  first, always.\n\nWrite `files`.\n",
    "docs/explanation/decisions/README.md": "| Whenever it likes | why not |\n",
    "toy/plan.py": "class Plan:\n    files: list[str]\n\n\nfolder, other = 'plans', 1\n",
    "tests/unit/test_plan.py": """\
import pytest


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(1, id="early", marks=pytest.mark.spec("2.1.2")),
        pytest.param(2, id="late", marks=[pytest.mark.spec("2.1.2"), pytest.mark.slow]),
    ],
)
@pytest.mark.spec("2.1.1", "1.2")
def test_a_plan_has_its_files(case): ...


class TestPlanner:
    @pytest.mark.spec("1.1")
    @pytest.mark.spec("1.1", "2.1.3")
    def test_it_comes_first(self): ...


def test_that_shows_nothing(): ...
""",
    "tests/acceptance/test_run.py": """\
import pytest

@pytest.mark.spec("1.2")
def test_run(): ...
""",
}


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    """Return a function that makes the toy repository, with some files' texts changed."""

    def make(**changes: tuple[str, str]) -> str:
        for path, text in FILES.items():
            name = path.rpartition("/")[2].partition(".")[0]
            target = tmp_path / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text.replace(*changes.pop(name, ("", ""))), encoding="utf-8")
        assert changes == {}
        return str(tmp_path)

    return make


def test_the_page_of_a_toy_specification(toy: Toy) -> None:
    assert conformance_page(toy()) == (TOY / "page.md").read_text(encoding="utf-8")


RUN = "tests/acceptance/test_run.py"
ALL = "tools/specification"


@pytest.mark.parametrize(
    ("name", "change", "complaint"),
    [
        ("test_run", ('"1.2"', ""), f"{RUN}:3: a spec marker names its statements as texts"),
        ("test_run", ("def test_run", "def run"), f"{RUN}:3: a spec marker is not on a test"),
        ("all", ("plan.py::folder", "no.py::folder"), f"{ALL}: 2.1.1: toy/no.py does not exist"),
        ("plan", ("files:", "paths:"), f"{ALL}: 1.2: toy/plan.py defines no Plan.files"),
        (
            "test_plan",
            ('"2.1.1", ', ""),
            f"{ALL}: 2.1.1: no test shows it: mark one with pytest.mark.spec",
        ),
        (
            "all",
            (f"when.\n    {DECISIONS}::Whenever it likes", "when.\n    toy/plan.py::folder"),
            f"{ALL}: 2.1.2: what is not shown needs a decision in {DECISIONS}",
        ),
        ("all", ("2.1.2", "2.1.1"), f"{ALL}/all.txt:14: 2.1.1 is there twice"),
        ("all", ("2.1.2", "2.2.1"), f"{ALL}/all.txt:14: 2.2.1 is not a number of section 2.1"),
        ("all", ("1.2 A plan", "    A plan"), f"{ALL}/all.txt:7: 1.1 has text after its places"),
    ],
)
def test_what_does_not_fit_is_one_clear_line_instead_of_a_page(
    toy: Toy, name: str, change: tuple[str, str], complaint: str
) -> None:
    with pytest.raises(NotConformant) as refusal:
        conformance_page(toy(**{name: change}))

    assert complaint in str(refusal.value).splitlines()


def test_everything_that_does_not_fit_is_reported_at_once(toy: Toy) -> None:
    root = toy(test_run=('"1.2"', '"9.9"'), planner=("always", "sometimes"), plan=("folder", "f"))

    with pytest.raises(NotConformant) as refusal:
        conformance_page(root)

    assert str(refusal.value).splitlines() == [
        "tests/acceptance/test_run.py:3: tools/specification has no statement 9.9",
        "tools/specification: 1.1: agents/planner.md has no comes first, always",
        "tools/specification: 2.1.1: toy/plan.py defines no folder",
    ]
