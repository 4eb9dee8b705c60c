"""A user's own pattern of names, such as `{id}-{any} - {name} - {date}`, as a platform.

Text between fields is searched for from the left and from the right. Where both find the same
places, there is one reading. Else only a number that begins or ends at the same place in both is
certain. So a name is read in linear time, whatever a learner put into it.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from pipeline.terminal.display import listed, visible
from verify.intake.platforms.base import ParsedName, Platform, Surroundings, time_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from verify.intake.platforms.base import Name

IDS = ("id", "login", "email")  # any identifying column of the roster
NAMES = ("name", "first", "last")
FIELDS = (*IDS, *NAMES, "date", "any")
_FIELD = re.compile(r"\{([^{}]*)\}")
_NOT_TEXT = re.compile(r"[][*?+|^$\\{}/]")  # of other kinds of patterns, or in no name
_WORD = re.compile(r"[^\s_.,()-]+")
_SEPARATES_LAST = re.compile(r"[\s_.,()-]+\Z")
_SEPARATES_FIRST = re.compile(r"\A[\s_.,()-]+")
_LONGEST = 200
_MOST, _MOST_WORDS, _NAME_WORDS = 100, 24, 6  # of names that are looked at, and in each


class NamePattern(Platform):
    """Reads names by a pattern; raises `ValueError` for one that cannot be used."""

    name = "pattern"

    def __init__(self, pattern: str) -> None:
        super().__init__(Surroundings())
        pieces = _FIELD.split(pattern)
        self._texts, self._fields = pieces[::2], pieces[1::2]
        for wrong in _wrong(pattern, self._texts, self._fields):
            raise ValueError(wrong)

    def read(self, name: Name) -> ParsedName | None:
        """Return what the fields say: ids and a full name, certain or as a guess."""
        fields = self._fields_of(name.title)
        at = time_of(fields["date"][0]) if fields and "date" in fields else ""
        if not fields or ("date" in fields and not at):
            return None
        ids = [fields[field] for field in IDS if field in fields]
        named = [fields[field] for field in NAMES if field in fields]
        is_full = "name" in fields or len(named) > 1
        is_sure = is_full and all(certain for _, certain in named)
        keys = tuple(text for text, certain in ids if certain)
        learner = " ".join(text for text, _ in ids or named)
        is_guess = not (keys or is_sure)
        return ParsedName(
            *(self.name, name.text if is_guess else learner),
            login=ids[0][0] if ids and not keys else "",
            person=" ".join(text for text, _ in named) if is_full and (is_sure or not keys) else "",
            keys=keys,
            attempt=at,
            submitted=at,
            learner=learner,
            is_guess=is_guess,
        )

    def _fields_of(self, stem: str) -> dict[str, tuple[str, bool]]:
        """Return what each field is in a name, and whether it can be nothing else."""
        first, *inner, last = self._texts
        if not (stem.startswith(first) and stem.endswith(last)):
            return {}
        stem = stem[len(first) : len(stem) - len(last)]
        left = _cut(stem, inner)
        flipped = _cut(stem[::-1], [text[::-1] for text in reversed(inner)])
        right = [text[::-1] for text in reversed(flipped)]
        found = {}
        for at, (field, *texts) in enumerate(zip(self._fields, left, right, strict=False)):
            begins, ends = left[:at] == right[:at], left[at + 1 :] == right[at + 1 :]
            text = texts[ends and not begins].strip()
            if field == "date" and not (begins or ends):
                text = self._date_in(at, texts)
            found[field] = text, (begins and ends) or ((begins or ends) and text.isdecimal())
        return found

    def _date_in(self, at: int, texts: Sequence[str]) -> str:
        """Return the reading of a date from the side without `{any}`; empty if both have one.

        A learner may write another date into the text of `{any}`.
        """
        before, behind = "any" in self._fields[:at], "any" in self._fields[at + 1 :]
        return "" if before and behind else texts[before].strip()


def _cut(stem: str, texts: Sequence[str]) -> list[str]:
    """Return what is before, between and behind texts, each found as early as possible."""
    found = []
    for text in texts:
        field, sign, stem = stem.partition(text)
        found += [field] if sign else []
    return [*found, stem] if len(found) == len(texts) and all((*found, stem)) else []


def suggested(
    names: Iterable[str], is_id: Callable[[str], bool], is_name: Callable[[str], bool]
) -> tuple[str, int]:
    """Return a pattern for names that have an id or a full name in them, and for how many.

    It is empty where fewer than two have one at the same place.
    """
    held = [found for name in islice(names, _MOST) if (found := _held(name, is_id, is_name))]
    shapes = Counter((_edge(a, last=True), f, _edge(b, last=False)) for a, f, b in held)
    for (before, field, after), count in shapes.most_common(1):
        ours = [(a, b) for a, f, b in held if f == field]
        heads, tails = ({pair[side] for pair in ours} for side in (0, 1))
        head, tail = (
            "".join(sides) if len(sides) == 1 and not _NOT_TEXT.search("".join(sides)) else more
            for sides, more in ((heads, f"{{any}}{before}"), (tails, f"{after}{{any}}"))
        )
        pattern = f"{head}{{{field}}}{tail}"
        if count > 1 and not any(
            _wrong(pattern, (parts := _FIELD.split(pattern))[::2], parts[1::2])
        ):
            return pattern, count
    return "", 0


def _held(
    name: str, is_id: Callable[[str], bool], is_name: Callable[[str], bool]
) -> tuple[str, str, str] | None:
    """Return what is before the longest id or name in a text, which it is, and what is behind."""
    words = list(islice(_WORD.finditer(name[:_LONGEST]), _MOST_WORDS))
    spans = [
        (words[first].start(), words[first + length - 1].end())
        for length in range(min(_NAME_WORDS, len(words)), 0, -1)
        for first in range(len(words) - length + 1)
    ]
    for begin, end in spans:
        for field, has in (("name", is_name), ("id", is_id)):
            if has(name[begin:end]):
                return name[:begin], field, name[end:]
    return None


def _edge(text: str, *, last: bool) -> str:
    """Return what separates a text from the field behind it, or before it."""
    found = (_SEPARATES_LAST if last else _SEPARATES_FIRST).search(text)
    return found[0] if found else ""


def _wrong(pattern: str, texts: Sequence[str], fields: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong with a pattern."""
    known = listed([f"{{{field}}}" for field in FIELDS], len(FIELDS))
    unknown = [field for field in fields if field not in FIELDS]
    twice = [field for field in FIELDS if field != "any" and fields.count(field) > 1]
    signs = _NOT_TEXT.search("".join(texts))
    if len(pattern) > _LONGEST:
        yield f"it has more than {_LONGEST} characters"
    if unknown:
        yield f"there is no field {{{visible(unknown[0], 40)}}} (expected {known})"
    if signs:
        yield f"{visible(signs[0])} between fields is not searched for: use {{any}} for any text"
    if twice:
        yield f"{{{twice[0]}}} is there twice"
    if not ({"name", *IDS} & {*fields} or {"first", "last"} <= {*fields}):
        expected = "{id}, {login}, {email}, {name}, or {first} and {last}"
        yield f"no field identifies a learner (expected {expected})"
    for before, after in pairwise(range(len(fields))):
        if not texts[after]:
            yield f"nothing separates {{{fields[before]}}} from {{{fields[after]}}}"
