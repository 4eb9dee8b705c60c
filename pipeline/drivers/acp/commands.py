"""Which commands a client may run where no jail limits it: exact ones, and nothing else.

The list (commands.json) cannot stop a program that is allowed: a project's tests run whatever a
worker wrote into them. Therefore, the run compares the repository after the turn.

Git's configuration can name programs (a pager, an external diff, textconv). It is the user's: no
role writes below `.git`, and `.gitattributes`, which a worker may write, only chooses among these
programs. A folder that looks like a bare repository has a configuration of its own, which a worker
may write. Therefore, git runs in the repository's root only.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from typing import TYPE_CHECKING, Any

from pipeline.bootstrap import ROOT
from pipeline.terminal.display import visible
from pipeline.terminal.fault import unusable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipeline.drivers.acp.rights import Rights

with open(f"{os.path.splitext(__file__)[0]}.json", encoding="utf-8") as _file:
    TABLE: dict[str, Any] = json.load(_file)
_OPTIONS = {tuple(name.split()): options.split() for name, options in TABLE["reading"].items()}

_SCRIPT = os.path.join(ROOT, "pipeline", "schema.py")
_AS_PROMPTED = f"python3 {shlex.quote(_SCRIPT)}"  # plain or not: its folder may have any name
_VALIDATOR = ("python3", "…/schema.py")  # its name in the table, which is not plain
# Words that sh, zsh, cmd and PowerShell read alike; `=` and `@` mean something as a first letter.
_FIRST, _LETTERS = r"[\w./:+-]", r"[\w./:+=@-]"
_QUOTES = '"' if os.name == "nt" else "'\""  # cmd does not know single quotes
_QUOTED = "|".join(f"{quote}{_FIRST}(?:{_LETTERS}| )*{quote}" for quote in _QUOTES)
_WORD = f"(?:{_FIRST}{_LETTERS}*|{_QUOTED})"
_PLAIN = re.compile(f"{_WORD}(?: +{_WORD})*", re.ASCII)
_INSTEAD = "use your file tools, or ask the user for --allow-command"


def checked(commands: Sequence[str]) -> tuple[str, ...]:
    """Return the commands that the user allows.

    Raises:
        Fault: a command is not made of plain words.
    """
    for command in commands:
        if _words(command) is None:
            raise unusable(
                f"--allow-command {visible(command, 100)}: expected a program and its arguments "
                "in plain words, without shell characters, such as 'uv run pytest'"
            )
    return tuple(commands)


def command_refusal(rights: Rights, text: str, allowed: Sequence[str] = ()) -> str:
    """Return why a command is refused, empty if it is one of the list or of the user's."""
    words, exact = _words(text), list(_exact(rights, allowed))
    instead = f"run `{' '.join(exact[0])}`, {_INSTEAD}" if exact else _INSTEAD
    if words is None:
        return f"a command must be plain words without shell characters: {instead}"
    if words in exact:
        return ""
    if words[:2] == ["git", "--no-pager"]:
        del words[1]
    if words[0] == "git" and not rights.is_in(os.curdir):
        return "git may run in the root of the repository only"
    if words in map(str.split, TABLE["exact"]):
        return ""
    for size in (2, 1):
        name = _name(rights, words[:size])
        if name in _OPTIONS:
            return _refusal(rights, " ".join(name), words[size:], _OPTIONS[name])
    return f"`{' '.join(words[:2])}` is not on the list of commands: {instead}"


def _words(text: str) -> list[str] | None:
    plain = text.replace(_AS_PROMPTED, "python3", 1) if text.startswith(_AS_PROMPTED) else text
    return shlex.split(text) if _PLAIN.fullmatch(plain) else None


def _exact(rights: Rights, allowed: Sequence[str]) -> Iterator[list[str]]:
    """Return the user's commands and those of the project's tests, by the folder they run in."""
    target = rights.turn.target
    place = "project" if rights.is_in(target) else "root" if rights.is_in(os.curdir) else ""
    yield from map(shlex.split, allowed if place else ())
    for manifest, commands in TABLE["tests"].items():
        if os.path.isfile(os.path.join(rights.turn.root, target, manifest)):
            for command in commands.get(place, ()):
                yield [word.format(target=target) for word in command.split()]


def _name(rights: Rights, words: Sequence[str]) -> tuple[str, ...]:
    """Return the name of a command in the table: its words, or the validator's own name."""
    is_python = words[0] in {"python", "python3"}
    script = os.path.realpath(os.path.join(rights.folder, words[-1]))
    return _VALIDATOR if is_python and script == os.path.realpath(_SCRIPT) else tuple(words)


def _refusal(rights: Rights, name: str, given: Sequence[str], options: Sequence[str]) -> str:
    operands = [word for word in given if not word.startswith("-")]
    for word in given:
        if word.startswith("-") and not _is_listed(word, options):
            return f"{name} may not have the option {word}; leave it out"
    if name.endswith("grep"):
        del operands[:1]  # the pattern: no option that is listed takes a word as its value
    outside = [path for path in operands if not rights.may_read(path)]
    return f"{outside[0]} is outside the repository, or in .git" if outside else ""


def _is_listed(word: str, options: Sequence[str]) -> bool:
    """Return whether an option is listed; `-la` is `-l` and `-a`, and `#` is a number."""
    letters = [f"-{letter}" for letter in word[1:]] if word[1:].isalpha() else []
    is_combined = bool(letters) and all(letter in options for letter in letters)
    return is_combined or word in options or re.sub("[0-9]+$", "#", word) in options
