"""The values of one run: drawn at random, saved from answers, filled in where they are named."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

_NAME = re.compile(r"\{([a-z][a-z0-9_]*)(:upper)?\}")
_STEP = re.compile(r"\.([\w-]+)|\[([0-9]+|\*)\]")
_CHARACTERS = {
    "letters": "abcdefghijklmnopqrstuvwxyz",
    "digits": "123456789",  # an id made of them is a number, too
    "hex": "0123456789abcdef",
}
_CONSONANTS, _VOWELS = "bdfgklmnprstv", "aeiou"
_WORDS = 3


def drawn(kind: str, random: Random) -> str | int:
    """Return a random value of a kind, such as `words` or `integer 1..999`."""
    name, _, size = kind.partition(" ")
    if name == "integer":
        low, high = size.split("..")
        return random.randint(int(low), int(high))
    if name in _CHARACTERS:
        return "".join(random.choices(_CHARACTERS[name], k=int(size)))
    # a word can be read, and is part of no other one, all being of one length
    words = range(_WORDS if name == "words" else 1)
    pairs = [[random.choice(_CONSONANTS) + random.choice(_VOWELS) for _ in range(4)] for _ in words]
    return " ".join(map("".join, pairs))


def names_in(value: Any) -> list[str]:
    """Return the names that texts anywhere in a value contain, such as `id` of `{id}`."""
    return [match[1] for match in _NAME.finditer(json.dumps(value))]


def filled(value: Any, values: Mapping[str, Any]) -> Any:
    """Return a value with what its names stand for; a text that is only a name keeps the type."""
    if isinstance(value, str):
        whole = _NAME.fullmatch(value)
        return values[whole[1]] if whole and not whole[2] else filled_text(value, values)
    if isinstance(value, dict):
        return {filled_text(key, values): filled(member, values) for key, member in value.items()}
    return [filled(member, values) for member in value] if isinstance(value, list) else value


def filled_text(text: str, values: Mapping[str, Any], escape: Callable[[str], str] = str) -> str:
    """Return a text with what its names stand for, each escaped."""

    def shown(match: re.Match[str]) -> str:
        value = values[match[1]]
        told = value if isinstance(value, str) else json.dumps(value)
        return escape(told.upper() if match[2] else told)

    return _NAME.sub(shown, text)


def selected(value: Any, place: str) -> Any:
    """Return what is at a place of a value: `$[*].id` is the list of all ids.

    Raises:
        LookupError: there is nothing.
    """
    found, is_many = [value], False
    for name, index in _STEP.findall(place):
        if any(not isinstance(holder, dict if name else list) for holder in found):
            raise LookupError
        if index == "*":
            found, is_many = [member for holder in found for member in holder], True
        else:
            found = [holder[name or int(index)] for holder in found]
    return found if is_many else found[0]
