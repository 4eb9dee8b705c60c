"""Which commands a role may run: an allowlist, checked program by program and path by path.

What is not on the list is refused with its reason. docs/reference/permissions.md has the table. A
list of commands stops mistakes; it does not hold what a project's own tests do. That is
compared with the role after the turn.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT
from pipeline.drivers.acp.shell import UnclearError, programs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pipeline.drivers.acp.rights import Rights
    from pipeline.drivers.acp.shell import Program

# Programs that only look, with the options by which they run or write something.
LOOKING: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("basename", "cat", "cmp", "comm", "cut", "diff", "dirname", "du"), ()),
    **dict.fromkeys(("echo", "egrep", "false", "fgrep", "grep", "head", "jq", "ls", "nl"), ()),
    **dict.fromkeys(("printf", "pwd", "readlink", "realpath", "stat", "tail", "test", "tr"), ()),
    **dict.fromkeys(("true", "uname", "wc", "which"), ()),
    "date": ("-s", "--set"),
    "find": (
        *("-exec", "-execdir", "-ok", "-okdir"),
        *("-delete", "-fls", "-fprint", "-fprint0", "-fprintf"),
    ),
    "rg": ("--pre", "--hostname-bin"),
    "sort": ("-o", "--output", "-T", "--temporary-directory", "--compress-program"),
    "tree": ("-o", "-R"),
}
_PATTERN_FIRST = frozenset({"egrep", "fgrep", "grep", "rg", "jq", "tr"})  # before any file
_TEXT_ONLY = frozenset({"basename", "date", "dirname", "echo", "printf", "tr", "uname"})

GIT_LOOKING = (
    *("blame", "describe", "diff", "grep", "log", "ls-files", "ls-tree", "merge-base"),
    *("rev-list", "rev-parse", "shortlog", "show", "status", "version"),
)
_GIT_REFUSED = ("--output", "--ext-diff", "--textconv", "--filters", "--open-files-in-pager")
_GIT_LISTING = {"branch": {"-a", "-r", "-v", "-vv", "--list", "--show-current"}, "remote": {"-v"}}
_GIT_PLAIN = frozenset({"--no-pager", "-P", "--no-optional-locks"})

# The first words of what runs a project's tests, and of what else a worker needs.
TESTING = (
    *("npm test", "npm t", "npm run test", "pnpm test", "yarn test", "node --test", "go test"),
    *("pytest", "python -m pytest", "python -m unittest", "cargo test", "dotnet test", "rspec"),
    *("bundle exec rspec", "mvn test", "gradle test", "gradlew test", "phpunit", "npx jest"),
    *("npx vitest", "npx mocha", "npx cypress run", "npx playwright test", "jest", "vitest"),
    *("mocha", "pipeline status", "python -m pipeline status"),
)
BUILDING = (
    *("npm run", "npm ci", "npm install", "pnpm install", "yarn install", "npx eslint", "eslint"),
    *("npx prettier", "prettier", "npx tsc", "tsc", "go build", "go vet", "go fmt", "cargo build"),
    *("cargo check", "cargo fmt", "cargo clippy", "dotnet build", "mvn compile", "gradle build"),
    *("make test", "make check", "make build", "make lint", "make format", "ruff", "mypy", "black"),
    *("node --check", "rubocop"),
)
_ALONE = frozenset({"npm ci", "npm install", "pnpm install", "yarn install"})
# Options and variables that run code of the command line's own.
_INLINE = {
    "node": re.compile(r"-[epr]|--(?:eval|print|require|import|loader|experimental-loader)(?:=|$)"),
    "make": re.compile(r"-[fC]|--(?:file|eval|directory)|\w+[:+?]?="),
}
_ANY_INLINE = re.compile(r"-exec|-toolexec|-vettool|--config=|--script-shell|--node-options")
_SCRIPTS_OUT = re.compile(r"publish|release|deploy|version", re.IGNORECASE)

# Programs that change files, with the options that they may have.
CHANGING = {
    "chmod": re.compile(r"-[Rv]+"),
    "cp": re.compile(r"-[rRafpvn]+"),
    "mkdir": re.compile(r"-[pv]+"),
    "mv": re.compile(r"-[fvn]+"),
    "rm": re.compile(r"-[rRfvd]+"),
    "rmdir": re.compile(r"-[pv]+"),
    "tee": re.compile(r"-a"),
    "touch": re.compile(r"-c"),
}
_MODE = re.compile(r"[ugoa]*[-+=][rwxX]+|[0-7]{3}")
_PRINTS = re.compile(r"(?:(?:\d+|\$)(?:,(?:\d+|\$))?[pdq=];?)+")
_REPLACES = re.compile(
    r"(?:\d+(?:,(?:\d+|\$))?)?s([/|#,@])(?:\\.|(?!\1)[^\\\n])*\1(?:\\.|(?!\1)[^\\\n])*\1[gpiI\d]*"
)

_VARIABLES = frozenset({"CI", "FORCE_COLOR", "LANG", "LC_ALL", "NODE_ENV", "NO_COLOR", "TZ"})
_SYSTEM = ("/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
_SHELLS = frozenset({"bash", "dash", "sh", "zsh"})
_VALIDATOR = os.path.realpath(os.path.join(ROOT, "pipeline", "schema.py"))
_DEPTH = 3  # shells within shells


def command_refusal(rights: Rights, command: str, depth: int = 0) -> str:
    """Return why a role may not run a command, empty if it may."""
    if depth == _DEPTH:
        return "it has too many nested shells"
    try:
        started = programs(command)
    except UnclearError as unclear:
        return f"only plain commands are allowed ({unclear})"
    if not started:
        return "the client does not say which command"
    for program in started:
        if program.words[:1] == ("cd",):
            moved = _moved(rights, program)
            if moved is None:
                return f"`{_shown(program.words)}` does not go to a folder in the repository"
            rights = moved
        elif reason := _refusal(rights, program, depth):
            return reason
    return ""


def _moved(rights: Rights, program: Program) -> Rights | None:
    """Return the rights after a `cd`; None where it cannot be said where it leads."""
    is_plain = len(program.words) == 2 and not program.words[1].startswith("-")  # noqa: PLR2004
    if not is_plain or program.is_piped or program.redirects or program.variables:
        return None
    return rights.at(program.words[1])


def _refusal(rights: Rights, program: Program, depth: int) -> str:
    for name in program.variables:
        if name not in _VARIABLES:
            return f"the variable {name} could change what the command does"
    for mode, path in program.redirects:
        allowed = rights.may_read if mode == "read" else rights.may_write
        if path != os.devnull and not allowed(path):
            return f"{path} is not a file that this role may {mode}"
    words = _plain_words(rights, program.words)
    if not words:
        return f"`{_shown(program.words)}` is not a command that an agent may run"
    if words[0] in _SHELLS:
        return _shell_refusal(rights, words, depth)
    return _program_refusal(rights, words)


def _plain_words(rights: Rights, words: Sequence[str]) -> list[str]:
    """Return the words with the program's plain name first; none if it is not a known place."""
    found = list(words)
    if found[:1] == ["time"]:
        del found[0]
    elif found[:1] == ["timeout"] and len(found) > 1 and re.fullmatch(r"\d+[smh]?", found[1]):
        del found[:2]
    if not found:
        return []
    folder, name = os.path.split(found[0])
    is_local = folder.endswith("node_modules/.bin") or name in {"gradlew", "mvnw"}
    if folder in {*_SYSTEM, os.path.dirname(sys.executable)} or (
        is_local and rights.may_read(found[0])
    ):
        folder = ""
    if re.fullmatch(r"python[\d.]*", name):
        name = "python"
    return [] if folder else [name, *found[1:]]


def _shell_refusal(rights: Rights, words: Sequence[str], depth: int) -> str:
    if len(words) == 3 and re.fullmatch(r"-[el]*c", words[1]):  # noqa: PLR2004  # sh -c COMMAND
        return command_refusal(rights, words[2], depth + 1)
    return "a shell may run one command only, as in `sh -c 'npm test'`"


def _program_refusal(rights: Rights, words: Sequence[str]) -> str:
    name, given = words[0], words[1:]
    if name == "git":
        return _git_refusal(rights, given)
    if name == "sed":
        return _sed_refusal(rights, given)
    if name in LOOKING:
        return _looking_refusal(rights, name, given)
    if name in CHANGING:
        return _changing_refusal(rights, name, given)
    return _runner_refusal(rights, words)


def _looking_refusal(rights: Rights, name: str, given: Sequence[str]) -> str:
    if option := _first_of(given, LOOKING[name]):
        return f"{name} {option} could run or write something"
    if name in _TEXT_ONLY and name != "test":
        return ""
    operands = list(given)
    if name in _PATTERN_FIRST:
        operands = _without_pattern(given)
    return _outside(rights, operands)


def _without_pattern(given: Sequence[str]) -> list[str]:
    """Return a search's words without its pattern and without numbers."""
    operands: list[str] = []
    is_expected = not any(word in {"-e", "--regexp", "-f", "--file"} for word in given)
    before = ""
    for word in given:
        if before in {"-e", "--regexp"} or word.isdecimal() or word.startswith("--regexp="):
            pass
        elif is_expected and not word.startswith("-"):
            is_expected = False
        else:
            operands.append(word)
        before = word
    return operands


def _outside(rights: Rights, words: Iterable[str]) -> str:
    for path in (path for word in words for path in _paths_in(word)):
        if path != os.devnull and not rights.may_read(path):
            return f"{path} is outside the repository"
    return ""


def _paths_in(word: str) -> list[str]:
    """Return what of a word may be a path: an operand, or the value of an option."""
    if not word.startswith("-"):
        return [word]
    value = re.search(r"=(.+)|(?:\.\.)?/.*|\.\.$", word)
    return [value[1] or value[0]] if value else []


def _first_of(given: Iterable[str], refused: Sequence[str]) -> str:
    """Return the first option that is refused, also shortened or among others: `-uo`, `--outp`."""
    return next((each for word in given for each in refused if _means(word, each)), "")


def _means(word: str, option: str) -> bool:
    if re.fullmatch("-[A-Za-z]", option):
        return bool(re.match(f"-[A-Za-z]*{option[1]}", word))
    name = word.partition("=")[0]
    is_short_form = name.startswith("--") and name != "--" and option.startswith(name)
    return name == option or is_short_form


def _git_refusal(rights: Rights, given: Sequence[str]) -> str:
    words = list(given)
    while words and words[0].startswith("-"):
        option = words.pop(0)
        moved = rights.at(words.pop(0)) if option == "-C" and words else None
        if moved is None and option not in _GIT_PLAIN:
            return f"git {option} could change git's settings or reach outside the repository"
        rights = moved or rights
    name, rest = (words[0], words[1:]) if words else ("version", [])
    if name in _GIT_LISTING and set(rest) <= _GIT_LISTING[name]:
        return ""
    if name not in GIT_LOOKING:
        return (
            f"only the runner may use `git {name}`; agents may read the repository but not change "
            "it"
        )
    refused = (*_GIT_REFUSED, "-O") if name == "grep" else _GIT_REFUSED
    if option := _first_of(rest, refused):
        return f"git {name} {option} could run or write something"
    return _outside(rights, _without_pattern(rest) if name == "grep" else rest)


def _sed_refusal(rights: Rights, given: Sequence[str]) -> str:
    options = [word for word in given if re.fullmatch(r"-[nEri]+", word)]
    operands = [word for word in given if word not in options and word != "-e"]
    script = operands[:1]
    if not script or not (_PRINTS.fullmatch(script[0]) or _REPLACES.fullmatch(script[0])):
        return "sed may print lines (`1,20p`) or replace text (`s/a/b/`)"
    for path in operands[1:]:
        if path.startswith("-") or not rights.may_read(path):
            return f"{path} is outside the repository"
        if any("i" in option for option in options) and not rights.may_write(path):
            return f"{path} is not a file that this role may write"
    return ""


def _changing_refusal(rights: Rights, name: str, given: Sequence[str]) -> str:
    operands = [word for word in given if not CHANGING[name].fullmatch(word) and word != "--"]
    if name == "chmod" and operands and _MODE.fullmatch(operands[0]):
        del operands[0]
    for index, path in enumerate(operands):
        is_source = name == "cp" and index < len(operands) - 1
        allowed = rights.may_make if name == "mkdir" else rights.may_write
        if path.startswith("-"):
            return f"{name} {path} is not an option that an agent may use"
        if not (rights.may_read(path) if is_source else allowed(path)):
            return f"{path} is not a file that this role may write"
    return "" if operands else f"{name} does not name a file"


def _runner_refusal(rights: Rights, words: Sequence[str]) -> str:
    if _is_validator(rights, words):
        return ""
    if words[0] == "npm":
        rights, words = _npm(rights, words)
    kind = _starts(words, TESTING)
    if not kind and rights.turn.writes == "project":
        if _is_own_script(rights, words):
            return _outside(rights, words[2:])
        kind = _starts(words, BUILDING)
    if not kind:
        return f"`{_shown(words)}` is not a command that this role may run"
    return _argument_refusal(rights, words, kind)


def _argument_refusal(rights: Rights, words: Sequence[str], kind: str) -> str:
    rest = words[len(kind.split()) :]
    if kind in _ALONE and rest:
        return f"{kind} installs only what package.json lists: add the package there"
    if kind == "npm run" and any(map(_SCRIPTS_OUT.search, rest[:1])):
        return f"`{_shown(words)}` could publish a package"
    inline = _INLINE.get(words[0], _ANY_INLINE)
    if word := next((each for each in rest if _ANY_INLINE.match(each) or inline.match(each)), ""):
        return f"{words[0]} {word} runs code that is not in a project file"
    return _outside(rights, rest)


def _is_validator(rights: Rights, words: Sequence[str]) -> bool:
    path = words[1] if words[0] == "python" and len(words) > 1 else ""
    return bool(path) and os.path.realpath(os.path.join(rights.folder, path)) == _VALIDATOR


def _npm(rights: Rights, words: Sequence[str]) -> tuple[Rights, list[str]]:
    """Return npm's words without the options before its command, and where it runs."""
    found = list(words)
    while len(found) > 1 and found[1] in {"-s", "--silent"}:
        del found[1]
    if len(found) > 2 and found[1] in {"--prefix", "-C"}:  # noqa: PLR2004  # npm --prefix FOLDER
        moved = rights.at(found[2])
        return (moved, [found[0], *found[3:]]) if moved else (rights, found)
    return rights, found


def _starts(words: Sequence[str], commands: Iterable[str]) -> str:
    """Return the longest of some commands that the words begin with."""
    fitting = [each for each in commands if list(words[: len(each.split())]) == each.split()]
    return max(fitting, key=len, default="")


def _is_own_script(rights: Rights, words: Sequence[str]) -> bool:
    """Return whether a file of the repository is run, as its tests run it."""
    if words[0] not in {"node", "python"} or len(words) == 1:
        return False
    return bool(re.search(r"^[^-].*\.(?:[cm]?js|py)$", words[1])) and rights.may_read(words[1])


def _shown(words: Sequence[str]) -> str:
    return " ".join(words[:3])
