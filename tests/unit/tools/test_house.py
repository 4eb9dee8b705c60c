"""The house is counted by its folders and imports, and a class name has one home."""

from __future__ import annotations

from graphlib import CycleError
from typing import TYPE_CHECKING

import pytest

from tools.house import arrows_of, faults_of_names, figures_of, homes_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def package(tmp_path: Path) -> Path:
    texts = {
        "cli.py": "from shop.sales import bill\nimport shop.store.shelf\n",
        "sales/bill.py": "from shop import store\nfrom shop.sales import tax\n",
        "sales/tax.py": "import os\n",
        "store/shelf.py": "def count():\n    from shop.units import one\n",
        "units.py": "class One: ...\n",
        "store/template/own.py": "import shop.cli\n",  # in no package
        **dict.fromkeys(("__init__.py", "sales/__init__.py", "store/__init__.py"), ""),
    }
    for name, text in texts.items():
        path = tmp_path / "shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "shop"


def test_arrows_lead_from_rooms_to_what_they_import(package: Path) -> None:
    arrows = arrows_of(package)

    assert arrows == {
        "cli": {"sales", "store"},
        "sales": {"store"},
        "store": {"units"},
        "units": set(),
    }
    assert figures_of(arrows) == {"rooms": 4, "floors": 4, "arrows": 4}


def test_an_arrow_that_points_back_up_is_a_circle(package: Path) -> None:
    (package / "units.py").write_text("import shop.cli\n", encoding="utf-8")

    with pytest.raises(CycleError) as circle:
        figures_of(arrows_of(package))
    assert {"cli", "store", "units"} <= {*circle.value.args[1]}


def test_a_class_name_with_two_homes_is_a_fault_with_and_without_an_underscore(
    tmp_path: Path,
) -> None:
    for name, text in (
        ("pipeline/a.py", "class _Bill: ...\n"),
        ("verify/b.py", "class Bill: ...\n"),
    ):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text, encoding="utf-8")
    homes = homes_of(tmp_path)

    assert homes["Bill"] == ["pipeline/a.py", "verify/b.py"]
    assert [*faults_of_names(homes)] == [
        "the class name Bill has 2 homes: pipeline/a.py, verify/b.py"
    ]
