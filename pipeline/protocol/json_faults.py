"""Names the mistake at a syntax error of JSON: what people and language models write instead."""

from __future__ import annotations

import re

from pipeline.protocol.problems import filled
from pipeline.terminal.display import quoted, visible

# what is expected at a place
START, MEMBER, ITEM, KEY, COLON, NEXT, END = "s", "m", "i", "k", "c", "n", "e"
VALUE, ANYWHERE = START + MEMBER + ITEM, START + MEMBER + ITEM + KEY + COLON + NEXT + END


class Fault(Exception):
    """What is wrong at an offset of a text: message, expected, found, and what to do about it."""

    def __init__(self, offset: int, message: str, expected: str, found: str, action: str) -> None:
        super().__init__(offset, message, expected, found, action)


# Where it is made, the pattern that finds it, the message, the action, what is expected. In an
# action, {close} closes what is open, {closers} all of it, and {last} the document. A * before the
# message: the place is the end of what was read.
# fmt: off
_MISTAKES = (
    (START, r"\Z", "the file is empty",
     "Write the artifact into the file: one object in { }, or one list in [ ].", "a JSON document"),
    (ANYWHERE, r"\Z", "the document ends too early",
     "Write what is missing at the end, up to the last {last}.", "{closers}"),
    (ANYWHERE, r"<{7}|>{7}|={7}|\|{7}", "a merge conflict is not resolved",
     "Keep one of the two sides, and remove the lines that begin with <<<<<<<, ======= or >>>>>>>.",
     "one version of the document"),
    (ANYWHERE, "```", "a Markdown fence is around the JSON",
     "Remove the lines that begin with ```.", "the JSON alone"),
    (ANYWHERE, r"//|/\*|#|<!--", "JSON has no comments", "Remove the comment.", "no comment"),
    (ANYWHERE, r"\.\.\.|…", "this is a placeholder",
     "Write what the dots stand for, or remove them.", "what it stands for"),
    (ANYWHERE, r"[\xa0\xad\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]",
     "an invisible character is here", "Delete this character, or write an ordinary space.",
     "JSON, spaces and line breaks"),
    (START, r"(?:---|- |[\w-]+:(?=\s))(?![\s\S]*\{)", "this is YAML, not JSON",
     "Write the same as JSON: { } around objects, [ ] around lists, names in double quotes.",
     "a JSON document"),
    (START, r"[^\[{]*([\[{])", "there is text before the JSON",
     r"Remove everything before the first \1.", "one JSON document"),
    (VALUE, r"(?:True|TRUE)\b", "true must be lowercase in JSON", "Write true.", "true"),
    (VALUE, r"(?:False|FALSE)\b", "false must be lowercase in JSON", "Write false.", "false"),
    (VALUE, r"(?:None|Null|NULL|nil|undefined)\b", "JSON has null for no value",
     "Write null, or leave the field out.", "null"),
    (VALUE + KEY, r"['`]([^'`\n]{0,60})['`]", "JSON has double quotes only",
     r"Write {\1}, and double quotes everywhere else.", "double quotes"),
    (VALUE + KEY, "['`“”„«»\u2018\u2019]", "JSON has straight double quotes only",
     'Write " at the beginning and the end of each text.', '"'),
    (VALUE, r"\+([0-9][0-9.]*)", "a number has no plus sign", r"Write \1.", "a number"),
    (VALUE, r"-?0+([1-9][0-9]{0,20})(?![\w.])", "a number does not begin with 0",
     r"Write \1.", "a number"),
    (VALUE, r"-?(\.[0-9]{1,20})", "a number does not begin with a point",
     r"Write 0\1.", "a number"),
    (VALUE, r"-?([0-9]{1,20})\.(?![0-9])", "a number does not end with a point",
     r"Write \1.0.", "a number"),
    (VALUE, r"(-?[0-9][\w.+%-]{0,80})", "this is not a number",
     r"Write digits alone, or {\1} in double quotes if it is a text.", "a value"),
    (MEMBER, r"[,}\]]", "the value is missing", "Write a value after the colon.", "a value"),
    (ITEM, ",", "a value is missing", "Remove one of the two commas.", "a value"),
    (KEY, ",", "a key is missing", "Remove one of the two commas.", "a key"),
    (KEY, r'([\w$-]{1,80})\"?', "this key is not in double quotes",
     r"Write {\1}.", "a key in double quotes"),
    (MEMBER + ITEM, r"([^\W\d][\w./@-]{0,80})", "this text is not in double quotes",
     r"Write {\1}.", "a value"),
    (COLON + NEXT, r'(?<=\")[^\s,:\[\]{}\"]', "the text ends at the quote before this",
     'Give each text one " at each end, and write \\" within it.', "a comma or a colon"),
    (COLON, "[,}]", "the key has no value", "Write : and a value after the key.", "a colon"),
    (COLON, ".", "a colon is missing", "Write : between the key and its value.", ":"),
    (NEXT, ";", "a comma is missing", "Write a comma instead of the semicolon.", "a comma"),
    (NEXT, ":", "a colon is only between a key and its value",
     "Put { and } around the key and its value.", "a comma"),
    (NEXT, r"([\]}])", "the brackets do not match",
     r"Write {close} here, and then \1 where it is still missing.", "{close}"),
    (NEXT, "", "*a comma is missing here", "Add a comma.", "a comma or {close}"),
    (END, r"[}\]]", "there is one bracket too many", "Remove it.", "nothing"),
    (END, r"[\[{]", "a second document begins here", "Keep one of the two documents.", "nothing"),
    (END, ",", "the document ends before this comma",
     "Remove the bracket before the comma if more belongs to the document, else the comma.",
     "nothing"),
    (END, "", "there is more after the end of the document",
     "Remove everything from here on.", "nothing"),
    (START, "", "this is not JSON", "Write one JSON document here.", "one JSON document"),
    (KEY, "", "this is not JSON", "Write a key in double quotes here.", "a key in double quotes"),
    (ANYWHERE, "", "this is not JSON", "Write a value here.", "a value"),
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
    found = visible(word[0], 40) if word else "the end of the file" if closers else "nothing"
    fitting = (
        (match, message, action, expected)
        for places, pattern, message, action, expected in _MISTAKES
        if where in places and (match := re.compile(pattern).match(text, offset))
    )
    match, message, action, expected = next(fitting)  # the last ones fit everywhere
    words = {"close": closers[:1], "closers": " ".join(closers[:10]), "last": closers[-1:]}
    expected, action = filled(expected, match, words), filled(action, match, words)
    if message.startswith("*"):
        offset = len(text[:offset].rstrip(" \t\r\n"))
    return Fault(offset, message.removeprefix("*"), expected, found, action)


def trailing_comma(offset: int) -> Fault:
    """Return the fault of a comma before a closing bracket."""
    message = "a comma follows the last element"
    return Fault(offset, message, "no comma", ",", "Remove the comma.")


def text_fault(text: str, start: int) -> Fault:
    """Return what is wrong with a string that begins at an offset: an escape, a break, no end."""
    match = GOOD_TEXT.match(text, start)
    end = match.end() if match else start
    character = text[end : end + 1]
    if character == "\\":
        action = "Write / between the parts of a path, or \\\\ for a backslash in a text."
        found = visible(text[end : end + 2])
        return Fault(end, "this backslash escapes nothing", "\\\\ or /", found, action)
    if character and character not in "\r\n":
        action = "Write \\t for a tab, or a space."
        if character != "\t":
            action = "Delete this character."
        return Fault(end, "a control character is in this text", "text", quoted(character), action)
    message = "this text has no closing quote on its line"
    action = 'Write " at the end of the text, and \\n for a line break within it.'
    return Fault(start, message, '"', visible(text[start:end], 40), action)
