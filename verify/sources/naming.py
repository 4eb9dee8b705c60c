"""Whose submission it is: what learning platforms write into the names of what they hand out.

Canvas (lib/content_zipper.rb): `name[_LATE]_userid_fileid_original name`, for an anonymous
assignment `anon_code` in place of name and user, for a text `name_userid_text.html`.
Moodle (mod/assign/classes/downloader.php): folders `Full name_participant_assignsubmission_file`,
with `_` behind it in older versions; without folders the file's name follows.
GitHub Classroom (gh classroom clone student-repos): `assignment-submissions/assignment-login`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from pipeline.display import visible
from verify.sources.archive_names import archive_suffix
from verify.sources.base import UnusableSource
from verify.sources.kept_names import kept

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

CANVAS, MOODLE, CLASSROOM, PLAIN = "canvas", "moodle", "classroom", "plain"
NAMINGS = (CANVAS, MOODLE, CLASSROOM, PLAIN)
MAX_LEARNER = 200  # characters of what a learner is called by a source

_CANVAS = re.compile(
    r"(?P<who>(?:(?P<name>[^_].{0,150}?)_)?(?:LATE_)?"
    r"(?:anon_(?P<code>[A-Za-z0-9]{1,20})|(?P<user>[0-9]{1,20})))"
    r"_(?:(?P<file>[0-9]{1,20})_(?P<original>.+)|(?P<text>(?:text|link)\.html))",
    re.DOTALL,
)
_MOODLE = re.compile(
    r"(?P<who>(?P<name>.{1,200}?)(?:_(?P<participant>[0-9]{1,20}))?)"
    r"_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<original>.*))?",
    re.DOTALL,
)
_SUBMISSIONS = "-submissions"


class Named(NamedTuple):
    """One submission as its name tells: `group` is what all its entries have in common.

    `path` is where the entry itself stands in the submission: empty for a folder, which is its
    root. `person` is a name that is an alias too where nobody else in the source has it.
    """

    group: str
    learner: str
    attempt: str = ""
    aliases: tuple[str, ...] = ()
    path: str = ""
    person: str = ""


class Naming(NamedTuple):
    """One rule for all names of a source; `prefix` is what GitHub Classroom puts before logins."""

    name: str
    prefix: str = ""

    def named(self, top: str, *, lone: bool) -> Named | None:
        """Return whose an entry is, None where it is nobody's: a loose file, or a hidden name.

        `lone` says that it is a file, else it is a folder.
        """
        top = kept(top)  # a disk's name may be no text
        found = _RULES[self.name](top, lone, self.prefix) or _plain(top, lone, "")
        if found is not None and "\\" in found.path:  # no submission has such a path
            return found._replace(path=found.path.replace("\\", "_"))
        return found


def _canvas(top: str, lone: bool, _: str) -> Named | None:  # noqa: FBT001  # a rule's form
    found = _CANVAS.fullmatch(top) if len(top) <= MAX_LEARNER * 2 else None
    if found is None:
        return None
    who, number, original = found["who"], found["user"] or found["code"], found["original"]
    name = "" if found["code"] else found["name"] or ""
    learner = f"{name}_{number}" if name else f"anon_{number}" if found["code"] else number
    path = original or found["text"]
    if not lone or archive_suffix(path):  # each archive is an attempt: the files' numbers grow
        attempt = (found["file"] or "").zfill(20)
        return Named(top, learner, attempt, (number,), path if lone else "")
    return Named(who, learner, "", (number,), path)


def _moodle(top: str, lone: bool, _: str) -> Named | None:  # noqa: FBT001  # a rule's form
    found = _MOODLE.fullmatch(top) if len(top) <= MAX_LEARNER * 2 else None
    if found is None or (lone and not found["original"]):
        return None
    participant = found["participant"]
    aliases = (participant, f"Participant {participant}") if participant else ()
    path = found["original"] if lone else ""
    return Named(found["who"], found["who"], "", aliases, path, found["name"])


def _classroom(top: str, lone: bool, prefix: str) -> Named | None:  # noqa: FBT001  # a rule's form
    plain = _plain(top, lone, prefix)
    if plain is None or not top.startswith(prefix) or len(plain.learner) <= len(prefix):
        return None
    return plain._replace(learner=plain.learner[len(prefix) :], aliases=(plain.learner,))


def _plain(top: str, lone: bool, _: str) -> Named | None:  # noqa: FBT001  # a rule's form
    suffix = archive_suffix(top) if lone else ""
    if (lone and not suffix) or top.startswith(".") or len(top) <= len(suffix):
        return None
    learner = top[: len(top) - len(suffix)]
    if len(learner) > MAX_LEARNER:  # cut, and still different from others that begin so
        learner = f"{learner[: MAX_LEARNER - 9]}~{crc32(learner.encode()):08x}"
    return Named(top, learner, "", (), top if lone else "")


_RULES: dict[str, Callable[[str, bool, str], Named | None]] = {
    CANVAS: _canvas,
    MOODLE: _moodle,
    CLASSROOM: _classroom,
    PLAIN: _plain,
}


def recognised(tops: Iterable[tuple[str, bool]], above: str, forced: str = "") -> Naming:
    """Return the rule that a source is named by: one for all of it.

    It is Canvas's or Moodle's where every folder and every archive has such a name, Classroom's
    where what holds them is called `assignment-submissions` and each begins with `assignment-`.
    `forced` is a rule that was asked for: names that it does not fit are taken as they are.

    Args:
        tops: the entries, each with whether it is a file.
        above: the name of what holds them.
        forced: one of `NAMINGS`, or empty.

    Raises:
        UnusableSource: `forced` is none of them.
    """
    if forced not in ("", *NAMINGS):
        raise UnusableSource(
            f"{visible(forced)} is no naming: expected one of {', '.join(NAMINGS)}"
        )
    survey = _Survey(above)
    for top, lone in tops:
        survey.look_at(top, lone=lone)
    if forced:
        return Naming(forced, survey.shared_prefix() if forced == CLASSROOM else "")
    return survey.naming()


class _Survey:
    def __init__(self, above: str) -> None:
        slug = above.removesuffix(_SUBMISSIONS)
        self._expected = f"{slug}-" if slug and slug != above else ""
        self._possible = [MOODLE, CANVAS, *([CLASSROOM] if self._expected else [])]
        self._met: set[str] = set()
        self._shared: str | None = None

    def look_at(self, top: str, *, lone: bool) -> None:
        if top.startswith("."):
            return
        counts = not lone or bool(archive_suffix(top))  # loose files may be anything
        for name in tuple(self._possible):
            if _RULES[name](top, lone, self._expected) is not None:
                self._met.add(name)
            elif counts:
                self._possible.remove(name)
        if counts:
            shared = top if self._shared is None else self._shared
            while not top.startswith(shared):
                shared = shared[:-1]
            self._shared = shared

    def naming(self) -> Naming:
        for name in self._possible:
            if name in self._met:
                return Naming(name, self._expected if name == CLASSROOM else "")
        return Naming(PLAIN)

    def shared_prefix(self) -> str:
        """Return what all names begin with, up to a hyphen."""
        return self._expected or (self._shared or "").rpartition("-")[0] + "-"
