"""Hostile texts, and what of each is shown: printable, on one line, nothing hidden."""

from __future__ import annotations

import re

_ESCAPED = {
    "colour": ("\x1b[31mred\x1b[0m", "\\u{1b}[31mred\\u{1b}[0m"),
    "clear screen": ("\x1b[2J\x1b[H\x1bc", "\\u{1b}[2J\\u{1b}[H\\u{1b}c"),
    "title": ("\x1b]0;owned\x07", "\\u{1b}]0;owned\\u{7}"),
    "hyperlink": (
        "\x1b]8;;https://e.example\x1b\\x\x1b]8;;\x1b\\",
        "\\u{1b}]8;;https://e.example\\u{1b}\\x\\u{1b}]8;;\\u{1b}\\",
    ),
    "eight-bit control": ("\x9b31m\x9d0;owned\x9c", "\\u{9b}31m\\u{9d}0;owned\\u{9c}"),
    "device string": ('\x1bP$q"p\x1b\\', '\\u{1b}P$q"p\\u{1b}\\'),
    "bell and backspace": ("abc\x08\x08\x08\x07xyz\x7f", "abc\\u{8}\\u{8}\\u{8}\\u{7}xyz\\u{7f}"),
    "newline": (
        "one\n::error::forged\n##[error]forged",
        "one\\n::error::forged\\n##[error]forged",
    ),
    "carriage return": ("wrong\rright,forged,1", "wrong\\rright,forged,1"),
    "crlf": ("one\r\nforged,1,2", "one\\r\\nforged,1,2"),
    "tab": ("\t=1+1", "\\t=1+1"),
    "next line": ("one\x85::error::forged", "one\\u{85}::error::forged"),
    "line separators": (
        "one\u2028::error::x\u2029::error::y",
        "one\\u{2028}::error::x\\u{2029}::error::y",
    ),
    "vertical tab": (
        "one\x0b::error::forged\x0c::error::z",
        "one\\u{b}::error::forged\\u{c}::error::z",
    ),
    "bidi override": ("\u202egnp.exe\u202c", "\\u{202e}gnp.exe\\u{202c}"),
    "bidi isolate": (
        "\u2066a\u2067b\u2068c\u2069\u200e\u200f\u061c",
        "\\u{2066}a\\u{2067}b\\u{2068}c\\u{2069}\\u{200e}\\u{200f}\\u{61c}",
    ),
    "zero width": (
        "x\u200b\u200c\u200d\u2060\u180e\xady",
        "x\\u{200b}\\u{200c}\\u{200d}\\u{2060}\\u{180e}\\u{ad}y",
    ),
    "unseen letters": (
        "x\u115f\u3164\uffa0\u2800\u034fy",
        "x\\u{115f}\\u{3164}\\u{ffa0}\\u{2800}\\u{34f}y",
    ),
    "selectors": ("x\ufe00\ufe01\U000e0100\U000e01efy", "x\\u{fe00}\\u{fe01}\\u{e0100}\\u{e01ef}y"),
    "tags": ("x\U000e0041\U000e007f", "x\\u{e0041}\\u{e007f}"),
    "byte order mark": ("\ufeffx\ufeff", "\\u{feff}x\\u{feff}"),
    "combining flood": (
        "z\u0335\u0321\u0322\u0327\u0335\u0321\u0322\u0327\u0335\u0321\u0322\u0327\u0335\u0321\u0322\u0327",
        "z\u0335\u0321\u0322\u0327\\u{335}\\u{321}\\u{322}\\u{327}\\u{335}\\u{321}\\u{322}\\u{327}\\u{335}\\u{321}\\u{322}\\u{327}",
    ),
    "noncharacters": ("a\ufffe\uffffb\U0001ffff", "a\\u{fffe}\\u{ffff}b\\u{1ffff}"),
    "xml controls": ("a\x01\x02\x1f]]>&amp;<![CDATA[x", "a\\u{1}\\u{2}\\u{1f}]]>&amp;<![CDATA[x"),
    "private and wide": ("\ue000\U000f0000\xa0\u3000", "\\u{e000}\\u{f0000}\\u{a0}\\u{3000}"),
    "nul": ("a\0b", "a\\u{0}b"),
    "half": ("caf\udce9", "caf\\udce9"),  # a gradebook keeps the spelling: it holds UTF-8
}
_SHOWN_AS_IT_IS = {
    "long": "A" * 90 + "B" * 200,
    "formula": '=HYPERLINK("https://e.example","x")',
    "formula plus": "+1+cmd|' /C calc'!A0",
    "formula minus": "-1+1",
    "formula at": "@SUM(1)",
    "formula full width": "\uff1d1+1",
    "formula full width at": "\uff20SUM(1)",
    "formula after spaces": "x  ;  =1+1",
    "formula defused": "'=1+1",
    "separators": 'a;b,c"d"|e\'f',
    "quotes": '""","forged","1',
    "script": "</title></script><script>alert(1)</script>",
    "attribute": '" onmouseover="alert(1)" x=\'',
    "handler": "<img src=x onerror=alert(1)><svg/onload=alert(1)>",
    "javascript link": "javascript:alert(1)//[x](javascript:alert(1))",
    "comment": "--><!-- <style>*{display:none}</style>",
    "entities": "&lt;b&gt; &#60;script&#62; &copy",
    "markdown table": "a | b |\\| c",
    "markdown image": "![x](https://e.example/beacon.png) [y]: https://e.example",
    "markdown fence": "```` ``` `x` ~~~ ``",
    "markdown heading": "# big *bold* _it_ ~~gone~~ - [ ] x",
    "markdown footnote": "[^1] <https://e.example> https://e.example www.e.example",
    "mentions": "@everyone #123 GH-7 a@b.example owner/repo#5",
    "raw html": "<details open><summary>x</summary><iframe src=//e.example>",
    "command": "::error file=x::forged",
    "command indented": "   ::add-mask::x",
    "old command": "x ##[add-path]/tmp ##[command]y",
    "percent": "%0A::error::forged%0D%0A::set-output name=x::y",
    "stop commands": "::stop-commands::token ::token::",
    "format": "{0.__class__.__mro__} {0:9999999999} %s %n ${x} $(id) `id`",
    "template": "{{ 7*7 }} {% raw %} {{ config }} [/foo] [bold red]x[/]",
    "sql": "'; DROP TABLE learner;-- \" OR 1=1",
    "log forging": "ok 2026-01-01 INFO verify: passed\\nx \\u{1b}",
    "json": '","score":100,"x":"',
}
# its name: the text, and the text as people see it in every format
PAYLOADS: dict[str, tuple[str, str]] = {
    **_ESCAPED,
    **{name: (text, text) for name, text in _SHOWN_AS_IT_IS.items()},
}
# everything but line feeds and characters that a reader can see
RAW = re.compile(
    "[^\n -~\u00a1-\u00ac\u00ae-\u02ff\u0300-\u033f\u2010-\u2027\u2190-\u22ff\u2500-\u27ff"
    "\uff00-\uff5e]"
)
