"""The forms in which names and identities are compared: spaces, letter case, accents, order."""

from __future__ import annotations

import re
import unicodedata

_MAX_WORDS = 8  # of a name that is also known in other orders
_ACCENTS = re.compile("[\u0300-\u036f]+")
_LETTERS = str.maketrans(
    {**dict(zip("łøđðħŧıĸ", "loddhtik", strict=True)), "æ": "ae", "œ": "oe", "þ": "th"}
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})


def folded(text: str) -> str:
    """Return a text in the form that is compared: Unicode's composed one, lower case, one blank."""
    text = text.lower() if text.isascii() else unicodedata.normalize("NFC", text).lower()
    return " ".join(text.split())


def identity_form(text: str) -> str:
    """Return an identity as it is compared: the letter case of an address never matters."""
    return folded(text) if "@" in text else unicodedata.normalize("NFC", text)


def written(name: str) -> str:
    """Return a full name, folded, with the first name first if a comma shows the order."""
    last, comma, first = folded(name).partition(",")
    return (
        f"{first.strip()} {last.strip()}" if comma and "," not in first else f"{last}{comma}{first}"
    )


def bare(text: str) -> str:
    """Return a name's letters (with vowel marks) and digits, in lower case and without accents."""
    text = text.lower()
    if text.isascii():
        return text if text.isalnum() else "".join(filter(str.isalnum, text))
    apart = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return "".join(sign for sign in apart if sign.isalnum() or unicodedata.category(sign)[0] == "M")


def spelt_out(name: str) -> tuple[str, ...]:
    """Return a name in the letters of English: with ł as l, and with ä as a and as ae."""
    if name.isascii():
        return (name,)
    text = unicodedata.normalize("NFC", name).casefold()
    return text.translate(_LETTERS), text.translate(_UMLAUTS).translate(_LETTERS)


def orders(name: str) -> set[str]:
    """Return a name in all orders of its first and last names."""
    words = [bare(word) for word in name.replace(",", " ").split()]
    if len(words) > _MAX_WORDS:
        return {"".join(words)}
    return {"".join(words[at:] + words[:at]) for at in range(len(words))}
