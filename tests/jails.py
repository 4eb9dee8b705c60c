"""The mark of a test that needs a jail: it is skipped where none can start, and fails so in CI."""

from __future__ import annotations

import os

import pytest

from pipeline.jail import missing

needs_jail = pytest.mark.skipif(bool(missing()) and "CI" not in os.environ, reason=missing())
