"""Says what is wrong where JSON cannot be read on, and what to do about it."""

from __future__ import annotations

import re

from pipeline.terminal.display import quoted, visible

# what is expected at a place
START, MEMBER, ITEM, KEY, COLON, NEXT, END = "s", "m", "i", "k", "c", "n", "e"
VALUE, ANYWHERE = START + MEMBER + ITEM, START + MEMBER + ITEM + KEY + COLON + NEXT + END


class Fault(Exception):
    """What is wrong at an offset of a text: message, expected, found, and what to do about it."""

    def __init__(self, offset: int, message: str, expected: str, found: str, action: str) -> None:
        super().__init__(offset, message, expected, found, action)


_WRITE_ONE = "Write one object in {{ }}, or one array in [ ]."

# fmt: off
# What is expected at each place, and the message and the action where no mistake below fits.
_PLACES = {
    START: ("one JSON document", "this is not JSON", _WRITE_ONE),
    MEMBER: ("a value", "this is not JSON", "Write a value here."),
    ITEM: ("a value", "this is not JSON", "Write a value here, or remove the comma before it."),
    KEY: ("a key in double quotes", "this is not JSON", "Write a key in double quotes here."),
    COLON: ("a colon", "a colon is missing", "Write : between the key and its value."),
    NEXT: ("a comma or {close}", "a comma is missing here", "Write a comma here."),
    END: ("nothing", "there is more text after the end of the document",
          "Remove everything from here on, or the bracket that closes the document too early."),
}

# Common mistakes: where, what is found there, the message, and the action. In an action, {close}
# closes what is open, {closers} all of it, and {found} is what the group of the pattern matched.
_MISTAKES = (
    (START, r"\Z", "the file is empty", _WRITE_ONE),
    (ANYWHERE, r"\Z", "the document ends too early", "Add what is missing, up to {closers}."),
    (ANYWHERE, r"<{7}|>{7}|={7}|\|{7}", "this is an unresolved merge conflict",
     "Keep one of the two sides, and remove the lines with <<<<<<<, ======= and >>>>>>>."),
    (ANYWHERE, "```", "the JSON is inside a Markdown code fence",
     "Remove the lines that begin with ```."),
    (ANYWHERE, r"//|/\*|#|<!--", "JSON has no comments", "Remove the comment."),
    (ANYWHERE, r"\.\.\.|…", "this is a placeholder",
     "Write what the dots stand for, or remove them."),
    (ANYWHERE, r"[\xa0\xad\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]",
     "there is an invisible character here", "Delete this character, or write an ordinary space."),
    (START, r"[^\[{]*([\[{])", "there is text before the JSON",
     "Remove everything before the first {found}."),
    (VALUE, r"(?i:true|false|null|none|nil|undefined)\b", "this word is not valid in JSON",
     "Write true, false or null."),
    (VALUE + KEY, "['`“”„«»\u2018\u2019]", "JSON allows only straight double quotes",
     'Write " at the beginning and the end of each string.'),
    (VALUE, r"[-+]?\.?[0-9]", "this is not a number",
     "Write a number such as 1 or 0.5, or put the text in double quotes."),
    (KEY + ITEM, ",", "there is an extra comma", "Remove one of the two commas."),
    (KEY + MEMBER + ITEM, r'([^\W\d][\w./@$-]{0,80})"?', "this is not in double quotes",
     'Write "{found}".'),
    (COLON + NEXT, r'(?<=\")[^\s,:;=\[\]{}\"]', "the string ends at the quote before this",
     'Write \\" for a quote within a string.'),
    (NEXT, r"([\]}])", "the brackets do not match",
     "Write {close} here, and then {found} where it is still missing."),
)
# fmt: on
_WORD = re.compile(r"[^\s,\[\]{}:\"]+|.")
GOOD_TEXT = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*')


def fault_at(text: str, offset: int, where: str, closers: str) -> Fault:
    """Return what is wrong at a syntax error.

    Args:
        text: the document.
        offset: where it cannot be read on.
        where: what is expected there, one of the constants of this module.
        closers: the brackets that close what is open, the innermost first.
    """
    word = _WORD.match(text, offset, offset + 40)
    found = visible(word[0], 40) if word else "the end of the file"
    expected, message, action = _PLACES[where]
    group: tuple[str, ...] = ()
    for places, pattern, mistake, advice in _MISTAKES:
        match = re.compile(pattern).match(text, offset) if where in places else None
        if match:
            message, action, group = mistake, advice, match.groups()
            break
    else:
        if where == NEXT:  # the comma belongs behind what was read
            offset = len(text[:offset].rstrip(" \t\r\n"))
    words = {"close": closers[:1], "closers": " ".join(closers[:10]), "found": "".join(group)}
    return Fault(offset, message, expected.format(**words), found, action.format(**words))


def text_fault(text: str, start: int) -> Fault:
    """Return what is wrong with a string that begins at an offset: an escape, a break, no end."""
    match = GOOD_TEXT.match(text, start)
    end = match.end() if match else start
    character = text[end : end + 1]
    if character == "\\":
        action = "Write / between the parts of a path, or \\\\ for a backslash in a string."
        found = visible(text[end : end + 2])
        return Fault(end, "this is not a valid escape sequence", "\\\\ or /", found, action)
    if character and character not in "\r\n":
        action = "Write \\t for a tab, or delete this character."
        return Fault(
            end, "this string contains a control character", "text", quoted(character), action
        )
    message = "this string has no closing quote on its line"
    action = 'Write " at the end of the string, and \\n for a line break within it.'
    return Fault(start, message, '"', visible(text[start:end], 40), action)
