"""What is wrong where a text cannot be read on as JSON, and what to do about it.

Each action of `advice.json` is safe to follow literally: what it removes is not part of the
document, and an edit of brackets has been tried. Where only the author can decide, it says so.
"""

from __future__ import annotations

import json
import os
import re
from functools import cache
from itertools import islice
from typing import Any

Fault = tuple[str, str, str]  # the message, what is expected, and what to do about it
NO_WORD = "this word is not valid in JSON"
_STRING = r'"(?:[^"\\\n]|\\.)*"'
_PREFIX = r"[ \t]*(?:([0-9]{1,6})(?:[ \t]*[→|:.)]|(?=[ \t\r]|$))|[+>|])"
_LINES, _TRIES = 3, 20  # lines that have one prefix; brackets at which a document may begin


@cache
def advice() -> Any:
    """Return the tables of `advice.json`, read where something is wrong."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "advice.json")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def fault(name: str, closers: str = "", found: str = "") -> Fault:
    """Return a fault by its name, with the bracket that is missing and what is found."""
    words = advice()["faults"][name]
    message, expected, action = (
        word.replace("{close}", closers[:1]).replace("{found}", found) for word in words
    )
    return message, expected, action


def fault_at(text: str, at: int, where: str, closers: str) -> tuple[int, Fault]:
    """Return the place and the fault of a text that cannot be read on.

    `where` says what is expected there; `closers` close what is open, the innermost first.
    """
    if where in ("start", "end", "key") and (prefix := _prefix(text)):
        return 0, fault("prefix", found=prefix)
    if where == "end" and text.lstrip()[:1] not in ("{", "["):
        at, where = len(text) - len(text.lstrip()), "start"
    if at == len(text) and closers:
        is_last = len(closers) == 1 and text.rstrip()[-1:] not in "{[" and _value(text + closers)
        return at, fault("unclosed" if is_last else "cut off", closers)
    if where == "colon" and re.search('[“”„][^"]*"$', text[text.rfind("\n", 0, at) + 1 : at]):
        return text.rindex('"', 0, text.rindex('"', 0, at)), fault("curly")  # one of two is curly
    expected = fault(where, closers)[1]
    quotes = text.count('"', text.rfind("\n", 0, at) + 1, (text + "\n").index("\n", at))
    spot = f"{where} odd" if quotes % 2 else where  # else a quote within the string has its pair
    for places, pattern, message, action in advice()["mistakes"]:
        match = re.compile(pattern).match(text, at) if re.search(places, spot) else None
        if match:
            found = "".join(match.groups(""))
            shown = action.replace("{json}", found.lower().replace("none", "null"))
            return at, (message, expected, shown.replace("{found}", found))
    special = {"start": _before, "end": _after, "next": _unmatched}.get(where)
    found_fault = special(text, at, closers) if special else None
    if found_fault is None and where == "next":  # the comma belongs behind what was read
        at = len(text[:at].rstrip(" \t\r\n"))
    return found_fault or (at, fault(where, closers))


def _prefix(text: str) -> str:
    """Return what each line begins with, such as a line number or the + of a diff, if it does."""
    lines = [line for line in text.split("\n") if line.strip()] if '"' in text else []
    found = [re.match(_PREFIX, line) for line in lines[1:]]  # the first may be right already
    matches = [match for match in found if match]
    if len(lines) < _LINES or len(matches) < len(found):
        return ""
    numbers = [int(match[1]) for match in matches if match[1]]
    if len(numbers) == len(matches) and numbers == sorted(set(numbers)):
        return f"line number, such as {matches[0][0].strip()},"
    marks = {match[0].strip() for match in matches}
    return marks.pop() if len(marks) == 1 else ""


def _before(text: str, at: int, _: str) -> tuple[int, Fault] | None:
    """Return what to do where a text does not begin with its document."""
    if re.compile(rf"{_STRING}\s*:").match(text, at):
        return at, fault("unopened")
    for bracket in islice(re.compile(r"[\[{]").finditer(text, at), _TRIES):
        start = bracket.start()
        try:
            value, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        behind = text[end:].lstrip()[:1]
        if value and isinstance(value, (dict, list)) and behind not in (*',:"]}',):
            which = f"first {bracket[0]}"
            if text.find(bracket[0]) < start:
                which = f"{bracket[0]} in line {text.count(chr(10), 0, start) + 1}"
            return at, fault("before", found=which)
    return None


def _after(text: str, at: int, _: str) -> tuple[int, Fault] | None:
    """Return what to do with text behind the document: none of it may belong to the document."""
    if text[at] in ']},"':
        last = len(text[:at].rstrip()) - 1  # if it is alone at the start of a line, it is right
        wrong = at if text[at] in "]}" else last
        earlier = re.finditer(rf'{re.escape(text[wrong])}(?=\s*,\s*")', text[:wrong])
        tried = (wrong, *(match.start() for match in islice(earlier, _TRIES)))
        here, *elsewhere = (_value(text[:place] + text[place + 1 :]) for place in tried)
        if here is not None:  # without a bracket before it, the document may say something else
            is_open = text[last - 1] != "\n" and any(v not in (None, here) for v in elsewhere)
            return wrong, fault("early or not" if is_open else "early", found=text[wrong])
    if text[at] in '[{]},"':
        return at, fault("second")
    has_structure = re.compile(r'[\[{]|"\s*:').search(text, at)
    return None if has_structure else (at, fault("after"))


def _unmatched(text: str, at: int, closers: str) -> tuple[int, Fault] | None:
    """Return what to do about a bracket that closes something else: the one edit that fits."""
    close, mark, before, after = closers[0], text[at], text[:at], text[at + 1 :]
    if mark not in "]}":
        return None
    edits = {
        f"Write {close} before this {mark}.": before + close + mark + after,
        f"Write {close} in place of this {mark}.": before + close + after,
        f"Remove this {mark}.": before + after,
    }
    fitting = [action for action, edited in edits.items() if _value(edited) is not None]
    message, expected, action = fault("brackets", closers)
    return at, (message, expected, fitting[0] if len(fitting) == 1 else action)


def open_string(text: str, at: int, end: int) -> Fault:
    """Return the fault of the string that begins at an offset and has no end on its line."""
    if end == len(text):
        return fault("cut off")
    if re.search("[“”„«»]", text[at:end]):
        return fault("curly")
    quote = text.find('"', end)
    between, behind = text[end : max(quote, end)].rstrip(), text[quote + 1 :].lstrip()[:1]
    if between and between[-1] not in "{[,:" and behind in (*",}]",):
        return fault("broken line")
    is_key = text[:at].rstrip()[-1:] in ("{", ",") and re.match(r'"[\w-]+ *:\s', text[at:])
    place = "before the colon" if is_key else "at the end of the string"
    return fault("unquoted", found=place)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
