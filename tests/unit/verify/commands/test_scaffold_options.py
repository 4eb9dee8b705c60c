"""`verify new-course` takes a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from verify.commands.scaffold_options import add_new_course

if TYPE_CHECKING:
    from collections.abc import Callable


def test_one_folder_is_named(parsed: Callable[..., dict[str, Any]]) -> None:
    assert parsed(add_new_course, "new-course", "mine") == {"folder": "mine"}
    with pytest.raises(SystemExit):
        parsed(add_new_course, "new-course")
