"""Who does something to a gradebook, and when."""

from __future__ import annotations

import os


def now() -> str:
    """Return the present second, ISO 8601, UTC. Nothing is ordered by it: a clock may go back."""
    import time

    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def user() -> str:
    """Return the user as the system names them; where it has no name, their number."""
    if not hasattr(os, "getuid"):  # Windows
        return os.environ.get("USERNAME") or "unknown"
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container's user without an account
        return f"uid {os.getuid()}"
