"""Who and when, whatever the system knows of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from verify.gradebook.stamp import user

if TYPE_CHECKING:
    import pwd

    import pytest


def test_a_user_without_an_account_is_told_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def getpwuid(uid: int) -> pwd.struct_passwd:
        raise KeyError(f"uid not found: {uid}")

    monkeypatch.setattr("pwd.getpwuid", getpwuid)

    assert user() == f"uid {os.getuid()}"
