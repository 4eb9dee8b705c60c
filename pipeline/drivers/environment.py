"""Which variables of the environment an agent's client gets: never a forge's token."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.terminal.display import visible
from pipeline.terminal.fault import unusable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipeline.agents.clients.base import Profile


# Every agent gets these variables: paths, language, proxies.
COMMON = (
    *("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"),
    *("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"),
    *("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"),
    *("APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROGRAMDATA"),
    *("PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE"),
)

# A git command that only reads then writes no index, which would run hooks, and opens no pager.
_READ_ONLY_GIT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat"}

# No agent gets these, because only the runner opens the pull request.
FORGE_TOKENS = (
    *("GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"),
    *("GITLAB_TOKEN", "CI_JOB_TOKEN", "GITEA_TOKEN", "FORGEJO_TOKEN"),
)


def checked(passed: Sequence[str]) -> tuple[str, ...]:
    """Return the names that a user wants passed on.

    Raises:
        Fault: a variable holds a forge's token, or is not set.
    """
    for name in passed:
        if name.upper() in FORGE_TOKENS:
            raise unusable(
                f"--pass-env {name} is not allowed because only the runner opens the pull request"
            )
        if name not in os.environ:
            raise unusable(
                f"{visible(name)} cannot be passed to an agent because it is not set: "
                "export it, or leave out --pass-env"
            )
    return tuple(passed)


def chosen(profile: Profile | None, passed: Sequence[str]) -> dict[str, str]:
    """Return a client's environment: what all get, what its profile names, what the user passes."""
    names = (*COMMON, *(profile.keys if profile else ()), *passed)
    found = {name: os.environ[name] for name in names if name in os.environ}
    return {**_READ_ONLY_GIT, **(profile.environment if profile else {}), **found}


def without_tokens(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without the tokens of forges."""
    return {name: value for name, value in environment.items() if name.upper() not in FORGE_TOKENS}
