"""Whose an entry is: each platform reads its name, and the roster decides."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from pipeline.files import FOLDER, MISSING, NOT_REGULAR, Unreadable
from pipeline.terminal.display import listed, named, visible
from verify.intake.collection import Entry, container_at, entry_name, raw_name, safe_name
from verify.intake.groups import Groups
from verify.intake.pattern import NamePattern
from verify.intake.platforms import PLATFORMS
from verify.intake.platforms.base import ParsedName, Plain, Surroundings, parsed_names
from verify.intake.roster import Roster, RosterColumns
from verify.intake.table import Table, Unusable
from verify.submissions.files import Unresolved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verify.intake.collection import Collection

    # the learners of entries, by collection (empty for any) and name: several of a group's entry
    Decisions = Mapping[tuple[str, str], tuple[str, ...]]

MAX_LEARNER = 200  # characters of what a learner is called without a roster
ALL = "all"  # the layout that is every platform's
LIKELY = "likely "  # before what made a match that a person has to confirm
GROUP = "group"  # the match of each member of a group
DECISION = "decision"  # the match that an instructor's own table makes
_PATTERNS = tuple(platform.name for platform in PLATFORMS if platform.has_pattern)
_WHOLE = tuple(platform.name for platform in PLATFORMS if platform.reads_whole_names)
_CAMPUS = (
    NamePattern.name,
    *(platform.name for platform in PLATFORMS if platform.has_campus_identities),
)
_PREFIXED = tuple(platform.name for platform in PLATFORMS if platform.has_prefix)


class Match(NamedTuple):
    """Whose an entry is."""

    learner: str  #: the key, empty without a match
    by: str  #: key, number, login, name, group, decision, also a likely one; empty without roster
    parsed: ParsedName
    why: str = ""  #: there is no match
    likely: str = ""  #: whom a person may confirm
    is_unclear: bool = False  #: which part of the name is a platform's, or which candidate is meant
    candidates: tuple[str, ...] = ()


class Matcher:
    """Matches the entries of one collection, each on its own.

    Without a roster a learner is called what the first platform reads whose pattern fits. `layout`
    is the name of one platform to use only that, `NAME:PREFIX` for one whose logins are behind a
    prefix, a pattern of names, `ALL` or empty for all platforms. `accepts_likely` matches are as
    good as certain ones. Raises `Unusable` for damaged metadata.
    """

    def __init__(
        self,
        collection: Collection,
        roster: Roster | None,
        decisions: Decisions,
        layout: str = "",
        groups: Groups | None = None,
        *,
        accepts_likely: bool = False,
    ) -> None:
        self.is_rostered, self._accepts_likely = roster is not None, accepts_likely
        self._roster = Roster((), RosterColumns(())) if roster is None else roster
        self._decisions, self._groups = decisions, groups or Groups({})
        self._collection = safe_name(collection.container)
        chosen, _, prefix = layout.partition(":")
        surroundings = Surroundings(
            collection.title,
            prefix,
            partial(_metadata, collection),
            self._roster.has_login,
            self._is_known,
            lambda name: self._roster.by_name(name) is not None,
        )
        classes = [p for p in reversed(PLATFORMS) if chosen in ("", ALL, p.name)]
        try:
            self._platforms = [platform(surroundings) for platform in classes]
            if is_pattern(layout):
                self._platforms = [NamePattern(layout)]
        except Unusable as error:
            raise Unusable(f"{visible(collection.container, 300)}: {error}") from None

    def _is_known(self, login: str) -> bool:
        return self._roster.has_login(login) or self._roster.by_key(login) is not None

    def match(self, entry: Entry) -> list[Match]:
        """Return whose an entry is: several learners only for a group's submission."""
        names = self._parsed(entry)
        decided = self._decisions.get((self._collection, entry.name))
        decided = decided or self._decisions.get(("", entry.name))
        if decided:
            return [self._decided(learner, names[0]) for learner in decided]
        if members := self._members(names):
            return members
        if entry.learner and self._roster.has(entry.learner):
            return [Match(entry.learner, "key", names[0])]
        matches = [self._matched(names)]
        matches += [self._matched([parsed]) for parsed in names[0].also]
        return list({match.learner or at: match for at, match in enumerate(matches)}.values())

    def _members(self, names: Sequence[ParsedName]) -> list[Match]:
        """Return each member's match of a group's entry, none where it is not a group's."""
        texts = {text for parsed in names for text in (parsed.key, parsed.person) if text}
        groups = {tuple(keys) for text in texts if (keys := self._groups.called(text))}
        stranger = groups and _stranger(names, self._roster)
        if not groups and (unknown := self._unknown_group(names)):
            return [unknown]
        if not groups or (stranger and not self._roster.export.numbers_need_names):
            return []  # a number that may be a group's is not on the roster
        first, keys = names[0], sorted(set().union(*groups))
        match = self._matched(names)
        if len(groups) == 1 and match.learner in ("", *keys) and not match.is_unclear:
            return [Match(key, GROUP, first) for key in keys]
        who = tuple(dict.fromkeys((*keys, *match.candidates, *filter(None, [match.learner]))))
        why = f"may be of a group or of somebody else ({listed(who)}): use --decisions"
        return [Match("", "", first, why, is_unclear=True, candidates=who)]

    def _unknown_group(self, names: Sequence[ParsedName]) -> Match | None:
        """Return the match of an entry with a member's number and another name than theirs."""
        for parsed in names if self._groups else ():
            key = self._roster.by_number(parsed.platform, parsed.number, parsed.person)
            is_called = key and self._roster.by_person(parsed.person) == key
            if key and parsed.person and self._groups.has(key) and not is_called:
                names_of = f"has the number of {visible(key, 60)}, but not their name or a group's"
                why = f"{names_of}: use --decisions"
                return Match("", "", parsed, why, is_unclear=True, candidates=(key,))
        return None

    def _decided(self, learner: str, parsed: ParsedName) -> Match:
        if not self.is_rostered or self._roster.has(learner):
            return Match(learner, DECISION, parsed)
        why = f"a decision names {visible(learner, 60)}, which is not on the roster"
        return Match("", "", parsed, why)

    def is_learners(self, name: str) -> bool:
        """Return whether a folder of this name is a learner's: a platform's, or on the roster."""
        entry = Entry(name, FOLDER)
        return self._parsed(entry)[0].platform in _PATTERNS or (
            self.is_rostered and any(match.learner or match.likely for match in self.match(entry))
        )

    def _parsed(self, entry: Entry) -> list[ParsedName]:
        if entry.learner:
            who = entry.learner
            account = who if entry.attempt else f"{who} {entry.name}"
            hints = ParsedName("manifest", account, key=who, person=who, learner=who)
            return [hints._replace(attempt=entry.attempt, submitted=entry.submitted)]
        # as text, even if the system's encoding is ASCII
        name = os.fsencode(raw_name(entry.name)).decode("utf-8", "surrogateescape")
        is_folder = entry.nature == FOLDER
        names = parsed_names(self._platforms, name, is_folder=is_folder)
        fitting = {parsed.platform for parsed in names}.intersection(_PATTERNS)
        if (
            fitting
        ):  # the roster's own platform wrote the name; what else it looks like is by chance
            written = fitting.intersection([self._roster.platform]) or fitting
            names = [parsed for parsed in names if parsed.platform in (*written, *_WHOLE)]
        names = names or parsed_names([Plain(Surroundings())], name, is_folder=is_folder)
        return [self._timed(parsed) for parsed in names]

    def _timed(self, parsed: ParsedName) -> ParsedName:
        """Return what a name says, with the time that the roster has of the submission."""
        at = self._roster.time_of(parsed.platform, parsed.number, parsed.person)
        return parsed._replace(submitted=at) if at and not parsed.submitted else parsed

    def _matched(self, names: Sequence[ParsedName]) -> Match:
        first = names[0]
        unclear = _unclear(names, self._roster.platform)
        if not (unclear or self.is_rostered):
            return Match(called(first.learner or first.account), "", first)
        stranger = unclear or _stranger(names, self._roster)
        if stranger:
            numbers = [
                (parsed.platform, n) for parsed in names for n in (parsed.number, *parsed.rivals)
            ]
            meant = {self._roster.by_number(*number) for number in numbers if unclear} - {None}
            keys = tuple(sorted(map(str, meant)))
            return Match("", "", first, stranger, is_unclear=bool(unclear), candidates=keys)
        found = _found(names, self._roster)
        if len(found) == 1:
            (match,) = found.values()
            why = f"may be {visible(match.likely, 60)}: to confirm"
            is_certain = self._accepts_likely or not match.likely
            return match if is_certain else match._replace(learner="", by="", why=why)
        for parsed in names if not found else ():
            for key in self._roster.namesakes(parsed.person):
                found[key] = Match(key, "name", parsed)
        if not found:
            why = "is not on the roster" + " and is not a group" * bool(self._groups)
            return Match("", "", first, why)
        several = [
            f"{visible(key, 60)} by {match.by.removeprefix(LIKELY)}"
            for key, match in sorted(found.items())[:4]
        ]
        why = f"matches more than one learner: {', '.join(several)}"
        return Match("", "", first, why, is_unclear=True, candidates=tuple(sorted(found)))


def is_pattern(layout: str) -> bool:
    """Return whether a layout is a pattern of names."""
    return "{" in layout


def called(name: str) -> str:
    """Return what a learner is called without a roster: a long name is cut, and stays unique."""
    text = safe_name(name)
    mark = f"~{crc32(text.encode()):08x}"
    return text if len(text) <= MAX_LEARNER else text[: MAX_LEARNER - len(mark)] + mark


def _unclear(names: Sequence[ParsedName], platform: str) -> str:
    """Return why it is unclear which part of a name a platform wrote, empty if it is clear."""
    fitting = [parsed.platform for parsed in names if parsed.platform in _PATTERNS]
    if len(fitting) > 1:
        return f"may be a name of {' or '.join(sorted(fitting))}: use --layout"
    for parsed in names:
        # the roster of the number's own platform knows which of them are learners
        if parsed.rivals and not (parsed.number and parsed.platform == platform):
            numbers = [parsed.number] * bool(parsed.number) + [*filter(None, parsed.rivals)]
            unnumbered = " or one without a number" * ("" in parsed.rivals)
            accounts = f"account{'s' * (len(numbers) > 1)} {' or '.join(numbers[:4])}"
            return f"the name may be of the {accounts}{unnumbered}: use --decisions"
    return ""


def _stranger(names: Sequence[ParsedName], roster: Roster) -> str:
    """Return which number or login of the roster's platform is not on it: a namesake's."""
    for parsed in names:
        account = parsed.number or parsed.login
        if parsed.platform == roster.platform and account and not parsed.is_guess:
            known = roster.by_number(parsed.platform, parsed.number, parsed.person)
            known = known or roster.by_login(parsed.platform, parsed.login)
            if not (known or any(map(roster.by_key, _exact(parsed)))):
                return f"names {visible(account, 60)}, which is not on the roster"
    return ""


def _found(names: Sequence[ParsedName], roster: Roster) -> dict[str, Match]:
    """Return whom the hints mean; what several learners have counts unless a hint settles it."""
    hits = list(_hits(names, roster))
    found: dict[str, Match] = {}
    for match in hits:
        if not match.is_unclear:
            found.setdefault(match.learner, match)
    shared = {match.learner: match for match in hits if match.is_unclear}
    return found if len(found) == 1 and found.keys() <= shared.keys() else {**shared, **found}


def _hits(names: Sequence[ParsedName], roster: Roster) -> Iterator[Match]:
    """Yield whom each hint means, the most certain first."""
    exact = [
        Match(key, "key", parsed, is_unclear=len(holders) > 1)
        for parsed in names
        for text in _exact(parsed)
        for holders in [roster.holders(text)]
        for key in holders
    ]
    yield from exact
    for parsed in names:
        if exact and parsed.platform in _PREFIXED:
            continue  # the name is a key: a part of it is not a login
        for number in (parsed.number, *parsed.rivals) if parsed.number else ():
            if key := roster.by_number(parsed.platform, number, parsed.person):
                yield Match(key, "number", parsed)
        if key := roster.by_login(parsed.platform, parsed.login):
            yield _likely(key, "login", parsed) if parsed.is_guess else Match(key, "login", parsed)
        elif (
            parsed.is_guess and parsed.platform in _CAMPUS and (key := roster.by_key(parsed.login))
        ):
            yield _likely(key, "key", parsed)
        yield from _named(parsed, roster, is_known=bool(parsed.key and exact))


def _named(parsed: ParsedName, roster: Roster, *, is_known: bool) -> Iterator[Match]:
    """Yield whose full name a name has, or may have unless the name is known as a key."""
    if key := roster.by_name(parsed.person):
        yield _likely(key, "name", parsed) if parsed.is_guess else Match(key, "name", parsed)
    elif not is_known and (key := roster.by_person(parsed.person)):
        yield _likely(key, "name", parsed)


def _likely(key: str, by: str, parsed: ParsedName) -> Match:
    return Match(key, f"{LIKELY}{by}", parsed, likely=key)


def _exact(parsed: ParsedName) -> list[str]:
    """Return the texts that may be a key of any roster: all that is not a platform's own number."""
    is_campus = parsed.platform in _CAMPUS and not parsed.is_guess
    identities = (parsed.login, parsed.number) if is_campus else ()
    return [text for text in (parsed.key, *parsed.keys, *identities) if text]


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
    if not {"entry", "learner"} <= table.headings.keys():
        raise table.wrong(1, f"has the columns {listed(table.columns)} (expected entry,learner)")
    found = []
    for row in table.rows():
        place, entry, learner, why = table.cells_of(row, "collection", "entry", "learner", "why")
        if not learner:
            continue
        key = roster.by_own_key(learner) if roster is not None else learner
        if key is None:
            raise table.wrong(row[0], f"{named(learner)} is not on the roster")
        place = safe_name(container_at(raw_name(place))) if place else ""
        found.append((place, entry_name(entry), key, why))
    return found
