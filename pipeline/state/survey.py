"""Which issues a target project has, by the folders of its `.pipeline`."""

from __future__ import annotations

import os
from typing import NamedTuple

from pipeline.files import unreadable
from pipeline.protocol.layout import in_target, is_issue_id
from pipeline.state.artifact import is_real_folder

FOLDER = ".pipeline"
_FORGE = "forge"  # the local forge keeps its repository and its pages there


class Survey(NamedTuple):
    """The names in a project's `.pipeline`: issue ids in natural order, and what is none."""

    issues: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def survey(project: str) -> Survey:
    """Return what stands in `<project>/.pipeline`; nothing where there is no such folder.

    The local forge's folder is left out, and names with a leading dot: other tools' bookkeeping.

    Raises:
        Unreadable: it is a link, is not a folder, or may not be read.
    """
    folder = in_target(project, FOLDER)
    if not is_real_folder(folder):
        return Survey()
    try:
        names = [name for name in os.listdir(folder) if name != _FORGE and name[0] != "."]
    except OSError as error:
        raise unreadable(error) from None
    issues = sorted(filter(is_issue_id, names), key=_natural)
    others = sorted(name for name in names if not is_issue_id(name))
    return Survey(tuple(issues), tuple(others))


def _natural(issue: str) -> tuple[str, int, str]:
    prefix, _, number = issue.partition("-")
    return prefix, int(number), number
