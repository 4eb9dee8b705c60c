"""The platforms whose downloads and rosters can be read."""

from verify.intake.platforms.base import Plain, Platform
from verify.intake.platforms.blackboard import Blackboard
from verify.intake.platforms.brightspace import Brightspace
from verify.intake.platforms.canvas import Canvas
from verify.intake.platforms.classroom import Classroom
from verify.intake.platforms.google_drive import GoogleDrive
from verify.intake.platforms.gradescope import Gradescope
from verify.intake.platforms.ilias import Ilias
from verify.intake.platforms.moodle import Moodle
from verify.intake.platforms.sakai import Sakai
from verify.intake.platforms.teams import Teams

# The most general first: of those that fit, a table takes the first, and a name the last.
PLATFORMS: tuple[type[Platform], ...] = (
    *(Plain, Teams, GoogleDrive, Classroom, Canvas, Moodle, Brightspace),
    *(Blackboard, Sakai, Ilias, Gradescope),
)
METADATA = frozenset(platform.metadata for platform in PLATFORMS if platform.metadata)
