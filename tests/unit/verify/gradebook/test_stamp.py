"""Who and when, whatever the system knows of it."""

from __future__ import annotations

import os
import pwd
import re
from typing import TYPE_CHECKING

from verify.gradebook.stamp import now, user

if TYPE_CHECKING:
    import pytest


def test_the_present_is_told_in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.gmtime", lambda: (2026, 3, 1, 12, 0, 0, 6, 60, 0))

    assert now() == "2026-03-01T12:00:00Z"


def test_a_moment_sorts_as_text() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", now())


def test_a_user_is_told_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "somebody-else")

    assert user() == pwd.getpwuid(os.getuid()).pw_name


def test_a_user_without_an_account_is_told_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def getpwuid(uid: int) -> pwd.struct_passwd:
        raise KeyError(f"uid not found: {uid}")

    monkeypatch.setattr("pwd.getpwuid", getpwuid)

    assert user() == f"uid {os.getuid()}"
