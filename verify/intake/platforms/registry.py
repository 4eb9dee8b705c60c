"""The platforms, the most specific first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.intake.platforms.blackboard import Blackboard
from verify.intake.platforms.canvas import Canvas
from verify.intake.platforms.classroom import Classroom, prefix_of
from verify.intake.platforms.gradescope import Gradescope
from verify.intake.platforms.moodle import Moodle
from verify.intake.platforms.plain import Plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from verify.intake.platforms.base import Platform, Reading

PLATFORMS = (Gradescope, Blackboard, Moodle, Canvas, Classroom, Plain)
LAYOUTS = tuple(platform.name for platform in PLATFORMS)


def platforms(
    above: str,
    has_login: Callable[[str], bool] | None,
    metadata: Mapping[str, Reading],
    layout: str = "",
) -> tuple[Platform, ...]:
    """Return the platforms that read a collection's entries, the most specific first.

    `above` is the name of the collection; `has_login` is asked whether the roster has a login;
    `metadata` is what Gradescope's says. `layout` leaves one platform and plain: its name, or
    `classroom:PREFIX`; empty for all.

    Raises:
        ValueError: no such layout; the message is one line.
    """
    name, _, prefix = layout.partition(":")
    if (layout and name not in LAYOUTS) or (prefix and name != Classroom.name):
        expected = ", ".join(LAYOUTS)
        raise ValueError(f"no such layout: {layout!a}: use one of {expected}, classroom:PREFIX")
    every: tuple[Platform, ...] = (
        Gradescope(metadata),
        Blackboard(above, has_login),
        Moodle(),
        Canvas(),
        Classroom(prefix or prefix_of(above), has_login),
        Plain(),
    )
    return tuple(one for one in every if not name or one.name in (name, Plain.name))


def readings(entry: str, known: tuple[Platform, ...], *, is_folder: bool) -> tuple[Reading, ...]:
    """Return what an entry's name says, the most specific first, each on its own."""
    read = (platform.read(entry, is_folder=is_folder) for platform in known)
    return tuple(reading for reading in read if reading is not None)
