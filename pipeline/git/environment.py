"""What git is told by its environment: the user's settings, but no other repository than ours."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# A run that begins inside a hook inherits these of that hook's repository (git-rev-parse(1),
# --local-env-vars, and githooks(5)); settings such as GIT_CONFIG_COUNT are the user's and stay.
_OF_ANOTHER_REPOSITORY = {
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REFLOG_ACTION",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
}
# These change what an answer or a path means.
_OF_ANOTHER_MEANING = {
    "GIT_DIFF_OPTS",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
}
_OURS = {
    "GIT_EDITOR": ":",
    "GIT_NO_REPLACE_OBJECTS": "1",  # what is compared and committed is what will be pushed
    "GIT_LITERAL_PATHSPECS": "1",  # a file may be named `*` or `:(glob)**`
    "GIT_OPTIONAL_LOCKS": "0",  # a question takes no lock from the user's own git
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the variables that git runs with: this process's, cleaned, and `more` on top."""
    foreign = _OF_ANOTHER_REPOSITORY | _OF_ANOTHER_MEANING
    kept = {name: value for name, value in os.environ.items() if name not in foreign}
    return {**kept, **_OURS, **(more or {})}
