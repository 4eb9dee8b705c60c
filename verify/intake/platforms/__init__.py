"""The platforms whose downloads and rosters can be read."""

from verify.intake.platforms.base import Plain, Platform
from verify.intake.platforms.blackboard import Blackboard
from verify.intake.platforms.brightspace import Brightspace
from verify.intake.platforms.canvas import Canvas
from verify.intake.platforms.classroom import Classroom
from verify.intake.platforms.gradescope import Gradescope
from verify.intake.platforms.moodle import Moodle

# The most general first: of those that fit, a table takes the first, and a name the last.
PLATFORMS: tuple[type[Platform], ...] = (
    *(Plain, Classroom, Canvas, Moodle, Brightspace),
    *(Blackboard, Gradescope),
)
METADATA = frozenset(platform.metadata for platform in PLATFORMS if platform.metadata)
