"""Which stretches of an archive are whose: learners, found in one walk over its members' names."""

from __future__ import annotations

from array import array
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

from pipeline.display import visible
from verify.sources.archive_names import archive_suffix, clean_rest, is_noise
from verify.sources.base import Entry, UnusableSource
from verify.sources.naming import CANVAS, MOODLE, Naming, recognised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.sources.naming import Named

    # Goes over all members, from the first, by the folder around all learners (`name/` or empty);
    # of members side by side in a learner's folder one is enough, whose `end` is the last one's.
    Walk = Callable[[str], Iterator["Place"]]


class Place(NamedTuple):
    """A member: its path in the archive (empty for no path), and where the archive tells of it."""

    path: str
    is_folder: bool
    start: int
    end: int


class Payload(NamedTuple):
    """What a worker is sent: which submission, how it is named, and the stretches to look in.

    `stamp` tells the archive from one that took its place (`archive_bytes.Stamp`).
    """

    inner: str
    outer: str
    naming: Naming
    stretches: tuple[tuple[int, int], ...]
    stamp: tuple[int, ...] = ()


class _Stretches:
    """Neighbouring members with the same top name, in arrays: there may be a million of them."""

    def __init__(self) -> None:
        self.tops: list[str] = []
        self.lone = bytearray()
        self.starts, self.ends = array("Q"), array("Q")

    def add(self, top: str, lone: int, start: int, end: int) -> None:
        self.tops.append(top)
        self.lone.append(lone)
        self.starts.append(start)
        self.ends.append(end)

    def each(self) -> Iterator[tuple[str, bool]]:
        """Yield each top name, with whether it is a file's."""
        return zip(self.tops, map(bool, self.lone), strict=True)


class Layout:
    """The submissions of an archive, in its own order.

    A folder around all of them is passed over, unless `around` says that there can be none.
    The members are those of `walk`.

    Raises:
        UnusableSource: `forced` is no naming.
    """

    def __init__(self, walk: Walk, above: str, forced: str = "", *, around: bool = True) -> None:
        self.outer = ""
        found = _stretches(walk, "")
        if around and _is_around_all(found):
            within = _stretches(walk, f"{found.tops[0]}/")
            if _is_cohort(within):
                self.outer, above, found = f"{found.tops[0]}/", found.tops[0], within
        self.naming = recognised(found.each(), above, forced)
        units = _Units(found, self.naming)
        self._units, self._named, self._marks = units.merged, units.named, units.groups
        self._scattered = units.scattered()
        self._shared = units.shared(self._scattered)
        self._next = 0

    def entries(self) -> Iterator[Entry]:
        """Yield the submissions, in the archive's order."""
        for index in range(len(self._units.tops)):
            named = self._named(index)
            if named.group in self._scattered and self._scattered[named.group][0] != index:
                continue
            attempt, aliases = named.attempt, named.aliases
            if self._shared and hash((named.learner, attempt)) in self._shared:  # ada and ada.zip
                attempt = f"{attempt} {named.group}".strip()
            if named.person and hash(named.person) not in self._shared:
                aliases = (named.person, *aliases)
            yield Entry(named.learner, self.outer + named.group, attempt, aliases)

    def payload(self, inner: str) -> Payload:
        """Return where a submission stands; the quickest is to ask in the order of `entries`.

        Raises:
            UnusableSource: it is not there.
        """
        group = inner.removeprefix(self.outer)
        starts, ends = self._units.starts, self._units.ends
        mark = hash(group)
        for index in chain(range(self._next, len(starts)), range(self._next)):
            if self._marks[index] == mark and self._named(index).group == group:
                self._next = index + 1
                stretches: tuple[tuple[int, int], ...] = ((starts[index], ends[index]),)
                if group in self._scattered:
                    stretches = tuple((starts[i], ends[i]) for i in self._scattered[group])
                return Payload(inner, self.outer, self.naming, stretches)
        raise UnusableSource(f"{visible(inner)} is not in the archive any more")


def _stretches(walk: Walk, outer: str) -> _Stretches:
    found = _Stretches()
    before, was_lone = "", False
    for place in walk(outer):
        if not place.path.startswith(outer):
            continue
        top, deeper, _ = place.path[len(outer) :].partition("/")
        lone = not deeper and not place.is_folder
        if not top or is_noise(top):
            continue
        if top == before and lone == was_lone and not lone:
            found.ends[-1] = place.end
            continue
        before, was_lone = top, lone
        found.add(top, lone, place.start, place.end)
    return found


def _is_around_all(found: _Stretches) -> bool:
    if len(found.tops) != 1 or found.lone[0]:
        return False
    return recognised(found.each(), "").name not in (CANVAS, MOODLE)


def _is_cohort(within: _Stretches) -> bool:
    """Tell submissions from the one submission of a single learner, which has hidden folders."""
    visible = [top for top, lone in within.each() if not lone or archive_suffix(top)]
    return bool(visible) and not any(top.startswith(".") for top in within.tops)


class _Units:
    """The stretches of an archive that are somebody's, those of one submission put together.

    Of what they are called, hashes are kept: of a million names most are met once.
    """

    def __init__(self, found: _Stretches, naming: Naming) -> None:
        self.merged = _Stretches()
        self._naming = naming
        self.groups, self._called, self._persons = array("q"), array("q"), array("q")
        before = ""
        for (top, lone), start, end in zip(found.each(), found.starts, found.ends, strict=True):
            named = naming.named(top, lone=lone)
            if named is None:
                continue
            if self.merged.tops and named.group == before:
                self.merged.ends[-1] = end
                continue
            before = named.group
            self.merged.add(top, lone, start, end)
            self.groups.append(hash(before))
            self._called.append(hash((named.learner, named.attempt)))
            self._persons.append(hash(named.person) if named.person else len(self._persons))

    def named(self, index: int) -> Named:
        """Return whose a unit is."""
        named = self._naming.named(self.merged.tops[index], lone=bool(self.merged.lone[index]))
        if named is None:
            raise AssertionError("a unit is somebody's")
        return named

    def scattered(self) -> dict[str, list[int]]:
        """Return the submissions that are several units: other members stand between them."""
        repeated = _repeated(self.groups)
        found: dict[str, list[int]] = {}
        for index in (i for i, group in enumerate(self.groups) if group in repeated):
            found.setdefault(self.named(index).group, []).append(index)
        return {group: where for group, where in found.items() if len(where) > 1}

    def shared(self, scattered: dict[str, list[int]]) -> set[int]:
        """Return the hashes of what several submissions are called."""
        for where in scattered.values():
            for index in where[1:]:  # the same submission once more
                self._called[index] = self._persons[index] = hash((index, "again"))
        return _repeated(self._called) | _repeated(self._persons)


def _repeated(hashes: array[int]) -> set[int]:
    return {one for one, other in pairwise(sorted(hashes)) if one == other}


class Within:
    """Tells the paths of one submission's members, within the submission, by a payload."""

    def __init__(self, payload: Payload) -> None:
        self._outer = payload.outer
        self._group = payload.inner.removeprefix(payload.outer)
        self._naming = payload.naming
        self._known: dict[tuple[str, bool], str | None] = {}

    def folder(self, path: str) -> bytes:
        """Return the folder that holds a path, where all that lies in it is the submission's own.

        As the archive spells it, in UTF-8; empty where there is none, or none that is spelt so.
        """
        top, deeper, _ = path[len(self._outer) :].partition("/")
        if not deeper or self._known.get((top, False)) is None:
            return b""
        return f"{self._outer}{top}/".encode("utf-8", "surrogateescape")

    def path(self, path: str, *, is_folder: bool) -> str:
        """Return a member's path in the submission, empty where it is none of its own."""
        if not path.startswith(self._outer):
            return ""
        top, deeper, rest = path[len(self._outer) :].partition("/")
        lone = not deeper and not is_folder
        try:
            alone = self._known[top, lone]
        except KeyError:
            named = None if is_noise(top) else self._naming.named(top, lone=lone)
            alone = named.path if named is not None and named.group == self._group else None
            self._known[top, lone] = alone
        if alone is None:
            return ""
        return alone if lone else clean_rest(rest.encode("utf-8", "surrogateescape"))
