"""The examination: everything that is looked at, in the order in which it is fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.doctor.finding import OK, Finding

if TYPE_CHECKING:
    from pipeline.doctor.machine import Machine


def examine(project: str, machine: Machine) -> list[Finding]:
    """Return what was found of all that the pipeline needs, or can make use of.

    Args:
        project: the target project's folder.
        machine: where to look.
    """
    from pipeline.doctor.clients import clients
    from pipeline.doctor.node_modules import node_modules
    from pipeline.doctor.packages import packages
    from pipeline.doctor.programs import programs
    from pipeline.doctor.work_tree import work_tree

    tools = programs(machine)
    has_git = any(each.code == "git" and each.standing == OK for each in tools)
    return [
        *tools,
        *packages(machine),
        *work_tree(project, has_git=has_git),
        *node_modules(project),
        *clients(machine),
    ]
