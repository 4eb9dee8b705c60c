"""Forges by name: each imported only when it is asked for, an unknown one lists the choices."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pipeline.forges.base import ForgeFault
from pipeline.forges.registry import NAMES, forge


def test_the_names_are_known() -> None:
    assert NAMES == ("local", "github", "gitlab", "gitea")


@pytest.mark.parametrize("name", NAMES)
def test_each_name_makes_its_forge(name: str) -> None:
    assert forge(name, remote="origin").name == name


def test_an_unknown_name_lists_the_choices() -> None:
    with pytest.raises(ForgeFault) as refused:
        forge("gerrit", remote="origin")

    assert refused.value.usage
    assert str(refused.value) == ('no forge is named "gerrit": choose local, github, gitlab, gitea')


def test_the_default_forge_imports_no_other() -> None:
    program = (
        "import sys; from pipeline.forges.registry import forge; forge('local', remote='');"
        "print([n for n in sys.modules if n == 'httpx' or n.startswith('pipeline.forges.g')])"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"
