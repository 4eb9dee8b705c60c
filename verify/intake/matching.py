"""Whose an entry is: each platform reads its name, and the roster decides."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from pipeline.files import FOLDER, MISSING, NOT_REGULAR, Unreadable
from pipeline.terminal.display import listed, named, visible
from verify.intake.collection import Entry, raw_name, safe_name
from verify.intake.platforms import PLATFORMS
from verify.intake.platforms.base import Plain, Reading, Surroundings, readings_of
from verify.intake.roster import Roster
from verify.intake.table import Table, Unusable, headings
from verify.submissions.files import Unresolved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verify.intake.collection import Collection

    # the learners of entries, by collection (empty for any) and name: several of a group's entry
    Decisions = Mapping[tuple[str, str], tuple[str, ...]]

MAX_LEARNER = 200  # characters of what a learner is called without a roster
LIKELY = "likely "  # before what made a match that a person has to confirm
DECISION = "decision"  # the match that an instructor's own table makes
_FORMULA = tuple("=+-@")  # exports put an apostrophe before these
_PATTERNS = tuple(platform.name for platform in PLATFORMS if platform.has_pattern)
_WHOLE = tuple(platform.name for platform in PLATFORMS if platform.reads_whole_names)
_CAMPUS = tuple(platform.name for platform in PLATFORMS if platform.has_campus_identities)


class Match(NamedTuple):
    """The learner of an entry, empty without a match: then `why` gives the reason.

    `likely` is whom a person may confirm. It `is_unclear` which part of the name is a platform's,
    or which of the `candidates` is meant.
    """

    learner: str
    by: str  # key, number, login, name or decision, also a likely one; empty without a roster
    reading: Reading
    why: str = ""
    likely: str = ""
    is_unclear: bool = False
    candidates: tuple[str, ...] = ()


class Matcher:
    """Matches the entries of one collection, each on its own.

    Without a roster a learner is called what the first platform reads whose pattern fits. `layout`
    is the name of one platform to use only that, `classroom:PREFIX` for one whose logins are
    behind a prefix, empty for all. `accepts_likely` matches are as good as certain ones. Raises
    `Unusable` for damaged metadata.
    """

    def __init__(
        self,
        collection: Collection,
        roster: Roster | None,
        decisions: Decisions,
        layout: str = "",
        *,
        accepts_likely: bool = False,
    ) -> None:
        self.is_rostered, self._accepts_likely = roster is not None, accepts_likely
        self._roster = Roster((), ()) if roster is None else roster
        self._decisions = decisions
        self._collection = safe_name(collection.container)
        chosen, _, prefix = layout.partition(":")
        metadata, has_login = partial(_metadata, collection), self._roster.has_login
        surroundings = Surroundings(collection.title, prefix, metadata, has_login, self._is_known)
        classes = [each for each in reversed(PLATFORMS) if chosen in ("", each.name)]
        try:
            self._platforms = [platform(surroundings) for platform in classes]
        except Unusable as error:
            raise Unusable(f"{visible(collection.container, 300)}: {error}") from None

    def _is_known(self, login: str) -> bool:
        return self._roster.has_login(login) or self._roster.by_key(login) is not None

    def match(self, entry: Entry) -> list[Match]:
        """Return whose an entry is: several learners only for a group's submission."""
        readings = self._readings(entry)
        decided = self._decisions.get((self._collection, entry.name))
        decided = decided or self._decisions.get(("", entry.name))
        if decided:
            return [self._decided(learner, readings[0]) for learner in decided]
        matches = [self._matched(readings)]
        matches += [self._matched([reading]) for reading in readings[0].also]
        return list({match.learner or at: match for at, match in enumerate(matches)}.values())

    def _decided(self, learner: str, reading: Reading) -> Match:
        if not self.is_rostered or self._roster.has(learner):
            return Match(learner, DECISION, reading)
        why = f"a decision names {visible(learner, 60)}, which is not on the roster"
        return Match("", "", reading, why)

    def is_learners(self, name: str) -> bool:
        """Return whether a folder of this name is a learner's: a platform's, or on the roster."""
        entry = Entry(name, FOLDER)
        return self._readings(entry)[0].platform in _PATTERNS or (
            self.is_rostered and any(match.learner or match.likely for match in self.match(entry))
        )

    def _readings(self, entry: Entry) -> list[Reading]:
        if entry.learner:
            who = entry.learner
            account = who if entry.attempt else f"{who} {entry.name}"
            hints = Reading("manifest", account, key=who, person=who, learner=who)
            return [hints._replace(attempt=entry.attempt, submitted=entry.submitted)]
        # as text, even if the system's encoding is ASCII
        name = os.fsencode(raw_name(entry.name)).decode("utf-8", "surrogateescape")
        is_folder = entry.nature == FOLDER
        readings = readings_of(self._platforms, name, is_folder=is_folder)
        fitting = {reading.platform for reading in readings}.intersection(_PATTERNS)
        if (
            fitting
        ):  # the roster's own platform wrote the name; what else it looks like is by chance
            written = fitting.intersection([self._roster.platform]) or fitting
            readings = [one for one in readings if one.platform in (*written, *_WHOLE)]
        return readings or readings_of([Plain(Surroundings())], name, is_folder=is_folder)

    def _matched(self, readings: Sequence[Reading]) -> Match:
        first = readings[0]
        unclear = _unclear(readings, self._roster.platform)
        if not (unclear or self.is_rostered):
            return Match(called(first.learner or first.account), "", first)
        stranger = unclear or _stranger(readings, self._roster)
        if stranger:
            numbers = [(one.platform, n) for one in readings for n in (one.number, *one.rivals)]
            meant = {self._roster.by_number(*each) for each in numbers if unclear} - {None}
            keys = tuple(sorted(map(str, meant)))
            return Match("", "", first, stranger, is_unclear=bool(unclear), candidates=keys)
        found: dict[str, Match] = {}
        for match in _hits(readings, self._roster):
            found.setdefault(match.learner, match)
        if len(found) == 1:
            (match,) = found.values()
            why = f"may be {visible(match.likely, 60)}: to confirm"
            is_certain = self._accepts_likely or not match.likely
            return match if is_certain else match._replace(learner="", by="", why=why)
        for one in readings if not found else ():
            for key in self._roster.namesakes(one.person):
                found[key] = Match(key, "name", one)
        if not found:
            return Match("", "", first, "is not on the roster")
        several = [
            f"{visible(key, 60)} by {match.by.removeprefix(LIKELY)}"
            for key, match in sorted(found.items())[:4]
        ]
        why = f"matches more than one learner: {', '.join(several)}"
        return Match("", "", first, why, is_unclear=True, candidates=tuple(sorted(found)))


def called(name: str) -> str:
    """Return what a learner is called without a roster: a long name is cut, and stays unique."""
    text = safe_name(name)
    mark = f"~{crc32(text.encode()):08x}"
    return text if len(text) <= MAX_LEARNER else text[: MAX_LEARNER - len(mark)] + mark


def _unclear(readings: Sequence[Reading], platform: str) -> str:
    """Return why it is unclear which part of a name a platform wrote, empty if it is clear."""
    fitting = [one.platform for one in readings if one.platform in _PATTERNS]
    if len(fitting) > 1:
        return f"may be a name of {' or '.join(sorted(fitting))}: use --layout"
    for one in readings:
        # the roster of the number's own platform knows which of them are learners
        if one.rivals and not (one.number and one.platform == platform):
            numbers = [one.number] * bool(one.number) + [*filter(None, one.rivals)]
            unnumbered = " or one without a number" * ("" in one.rivals)
            accounts = f"account{'s' * (len(numbers) > 1)} {' or '.join(numbers[:4])}"
            return f"the name may be of the {accounts}{unnumbered}: use --decisions"
    return ""


def _stranger(readings: Sequence[Reading], roster: Roster) -> str:
    """Return which number or login of the roster's platform is not on it: a namesake's."""
    for one in readings:
        if one.platform == roster.platform and (one.number or one.login) and not one.is_guess:
            known = roster.by_number(one.platform, one.number, one.person)
            known = known or roster.by_login(one.platform, one.login)
            if not (known or any(map(roster.by_key, _exact(one)))):
                return f"names {visible(one.number or one.login, 60)}, which is not on the roster"
    return ""


def _hits(readings: Sequence[Reading], roster: Roster) -> Iterator[Match]:
    """Yield whom each hint means, the most certain first."""
    exact = [
        Match(key, "key", one)
        for one in readings
        for text in _exact(one)
        if (key := roster.by_key(text))
    ]
    yield from exact
    for one in readings:
        if exact and one.platform == "classroom":
            continue  # the name is a key: the part after its hyphen is not a login
        for number in (one.number, *one.rivals) if one.number else ():
            if key := roster.by_number(one.platform, number, one.person):
                yield Match(key, "number", one)
        if key := roster.by_login(one.platform, one.login):
            yield _likely(key, "login", one) if one.is_guess else Match(key, "login", one)
        elif one.is_guess and one.platform in _CAMPUS and (key := roster.by_key(one.login)):
            yield _likely(key, "key", one)
        yield from _named(one, roster, is_known=bool(one.key and exact))


def _named(one: Reading, roster: Roster, *, is_known: bool) -> Iterator[Match]:
    """Yield whose full name a reading has, or may have unless the name is known as a key."""
    if key := roster.by_name(one.person):
        yield Match(key, "name", one)
    elif not is_known and (key := roster.by_person(one.person)):
        yield _likely(key, "name", one)


def _likely(key: str, by: str, reading: Reading) -> Match:
    return Match(key, f"{LIKELY}{by}", reading, likely=key)


def _exact(reading: Reading) -> list[str]:
    """Return the texts that may be a key of any roster: all that is not a platform's own number."""
    is_campus = reading.platform in _CAMPUS and not reading.is_guess
    own = (reading.login, reading.number) if is_campus else ()
    return [text for text in (reading.key, *own) if text]


def _metadata(collection: Collection, name: str) -> bytes | None:
    """Return a file at the top of a collection, None if there is none; raises `Unusable`."""
    try:
        return collection.metadata(name)
    except (OSError, Unreadable, Unresolved) as error:
        if getattr(error, "reason", "") in (MISSING, NOT_REGULAR):
            return None
        raise Unusable(f"{name} {error}") from None


def read_decisions(path: str, roster: Roster | None) -> list[tuple[str, str, str, str]]:
    """Return an instructor's own table: collection, entry, learner, why; raises `Unusable`."""
    table = Table(path)
    names = headings(table.columns)
    if not {"entry", "learner"} <= names.keys():
        raise table.wrong(1, f"has the columns {listed(table.columns)} (expected entry,learner)")
    found = []
    for line, cells in table.rows():
        columns = ("collection", "entry", "learner", "why")
        place, entry, learner, why = (cells.get(names.get(name, ""), "") for name in columns)
        if not learner:
            continue
        if entry[:1] == "'" and entry[1:2] in _FORMULA:  # as exports write it
            entry = entry[1:]
        key = roster.by_key(learner) if roster is not None else learner
        if key is None:
            raise table.wrong(line, f"{named(learner)} is not on the roster")
        found.append((place, entry, key, why))
    return found
