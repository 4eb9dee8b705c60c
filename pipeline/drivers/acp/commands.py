"""Which files a role may read and write, and which commands it may run: an allowlist.

A command is checked program by program and path by path. What is not on the list is refused with
its reason; docs/reference/permissions.md has examples. The list prevents mistakes, but a project's
own tests can do anything. Therefore, the run compares the repository after the turn.
"""

from __future__ import annotations

import os
import re
import sys
from glob import iglob
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from pipeline.bootstrap import ROOT
from pipeline.drivers.acp.shell import UnclearError, programs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pipeline.drivers.acp.shell import Program
    from pipeline.drivers.base import Turn

_OWN = {".git", ".pipeline"}  # git's, and other agents' artifacts
_MOST = 1_000  # files that a pattern may name


class Rights(NamedTuple):
    """What a turn's role may read and write; relative paths start at `folder`."""

    turn: Turn
    folder: str

    def at(self, path: str) -> Rights | None:
        """Return the rights of commands run in a folder; None if it is not in the repository."""
        folder = os.path.realpath(os.path.join(self.folder, path))
        is_inside = self.may_read(path) and os.path.isdir(folder)
        return self._replace(folder=folder) if is_inside else None

    def may_read(self, path: str) -> bool:
        """Return whether a path, or all that a pattern names, is in the repository."""
        return all(self._inside(self.turn.root, each) for each in self._named(path))

    def names_any(self, path: str) -> bool:
        """Return whether a path exists, or any path that a pattern matches."""
        return any(iglob(os.path.join(self.folder, path)))

    def may_write(self, path: str) -> bool:
        """Return whether the role may change a file, or all that a pattern names."""
        return all(map(self._may_write, self._named(path)))

    def may_make(self, path: str) -> bool:
        """Return whether the role may make a folder: its own, or one on the way to its artifact."""
        made = self._inside(self.turn.root, path)
        return self.may_write(path) or bool(made and f"{self._artifact()}/".startswith(f"{made}/"))

    def _may_write(self, path: str) -> bool:
        found = self._inside(self.turn.root, path)
        if not found or found == self._artifact():
            return bool(found)
        if self.turn.writes != "project" or any(p.casefold() in _OWN for p in found.split(os.sep)):
            return False
        target = os.path.join(self.turn.root, self.turn.target)
        return self._inside(target, path) not in {"", os.curdir}

    def _artifact(self) -> str:
        if not self.turn.artifact or self.turn.writes == "nothing":
            return ""
        return self._inside(self.turn.root, os.path.join(self.turn.root, self.turn.artifact))

    def _named(self, path: str) -> list[str]:
        if "*" not in path and "?" not in path:
            return [path]
        found = list(islice(iglob(os.path.join(self.folder, path)), _MOST + 1))
        return [path, *found] if len(found) <= _MOST else [os.sep]

    def _inside(self, folder: str, path: str) -> str:
        """Return where a path really leads, relative to a folder; empty if outside of it."""
        if "\0" in path:
            return ""
        real, base = os.path.realpath(os.path.join(self.folder, path)), os.path.realpath(folder)
        is_inside = real == base or real.startswith(os.path.join(base, ""))
        return os.path.relpath(real, base) if is_inside else ""


def _commands(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(each.split()) for each in re.findall(r"[^,\n]*\w", text))


# The first words of the commands that every role may run: they read, or run a project's tests.
_FOR_ALL = _commands("""
    basename, cat, cmp, comm, cut, date, diff, dirname, du, echo, egrep, false, fgrep, find, grep
    head, jq, ls, nl, printf, pwd, readlink, realpath, rg, sort, stat, tail, test, tr, tree, true
    uname, wc, which
    git blame, git describe, git diff, git grep, git log, git ls-files, git ls-tree, git merge-base
    git rev-list, git rev-parse, git shortlog, git show, git status, git version
    git branch, git branch -a, git branch -r, git branch -v, git branch -vv, git branch --list
    git branch --show-current, git remote, git remote -v
    npm test, npm t, npm run test, pnpm test, yarn test, node --test, npx jest, npx vitest
    npx mocha, npx cypress run, npx playwright test, jest, vitest, mocha, phpunit
    pytest, python -m pytest, python -m unittest, go test, cargo test, dotnet test, rspec
    bundle exec rspec, mvn test, gradle test, gradlew test
    pipeline status, python -m pipeline status
""")
_FOR_WORKERS = _commands("""
    npm run, npm ci, npm install, pnpm install, yarn install, npx eslint, eslint, npx prettier
    prettier, npx tsc, tsc, node --check, ruff, mypy, black, rubocop
    go build, go vet, go fmt, cargo build, cargo check, cargo fmt, cargo clippy, dotnet build
    mvn compile, gradle build, make test, make check, make build, make lint, make format
""")
_ALONE = re.compile(r"git (?:branch|remote).*|npm (?:ci|install)|(?:pnpm|yarn) install")
_TEXT_ONLY = frozenset({"basename", "date", "dirname", "echo", "printf", "tr", "uname"})
_PATTERN_FIRST = frozenset({"egrep", "fgrep", "git grep", "grep", "jq", "rg"})
# then the first word is a path
_NO_PATTERN = ("-e", "-f", "--regexp", "--file", "--files", "--from-file")
_ONE_GOAL = ("make", "mvn", "gradle", "gradlew")  # a second one may publish
_RELEASES = re.compile(r"publish|release|deploy|version", re.IGNORECASE)

# Options that could run or write something: of all commands, and of single programs or commands.
_REFUSED = re.compile(
    r"--?(?:exec|toolexec|vettool)|--config=|--script-shell|--node-options|.*\bdata:\w+/"
)
_REFUSED_IN = {  # words, not only options
    "dotnet": r"(?:--?|/)(?:p|property|t|target)\b",
    "jq": r".*\b(?:import|include)\b",
    "make": ".*=",
}
_REFUSED_OF: dict[str, tuple[str, ...]] = {
    "cargo": ("--config",),
    "date": ("-s", "--set", "-f", "--file"),
    "find": ("-ok", "-okdir", "-delete", "-fls", "-fprint", "-fprint0", "-fprintf"),
    "git": ("--output", "--ext-diff", "--textconv", "--filters", "--open-files-in-pager"),
    "git grep": ("-O",),
    "jq": ("-L", "--library-path"),
    "make": ("-f", "-C", "-E", "--file", "--eval", "--directory"),
    "node": (
        *("-e", "-p", "-r", "--eval", "--print", "--require", "--import", "--loader"),
        *("--experimental-loader", "--run"),
    ),
    "npm": ("--script-shell", "--node-options"),
    "pytest": ("--basetemp",),
    "python": ("--basetemp",),
    "rg": ("--pre", "--hostname-bin"),
    "sort": ("-o", "--output", "-T", "--temporary-directory", "--compress-program"),
    "tree": ("-o", "-R"),
}

_CHANGING = frozenset({"chmod", "cp", "mkdir", "mv", "rm", "rmdir", "tee", "touch"})
_CHANGING_OPTION = re.compile(r"-[acdfnprRv]+|--")
_MODE = re.compile(r"[ugoa]*[-+=][rwxX]+|[0-7]{3}")
_PRINTS = re.compile(r"(?:(?:\d+|\$)(?:,(?:\d+|\$))?[pdq=];?)+")
_REPLACES = re.compile(
    r"(?:\d+(?:,(?:\d+|\$))?)?s([/|#,@])(?:\\.|(?!\1)[^\\\n])*\1(?:\\.|(?!\1)[^\\\n])*\1[gpiI\d]*"
)

# Options before a program's command: those that are harmless, and those that name its folder.
_BEFORE = {"git": {"--no-pager", "-P", "--no-optional-locks"}, "npm": {"-s", "--silent"}}
_FOLDER = {"git": {"-C"}, "npm": {"-C", "--prefix"}}
_VARIABLES = frozenset({"CI", "FORCE_COLOR", "LANG", "LC_ALL", "NODE_ENV", "NO_COLOR", "TZ"})
_SYSTEM = ("/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
_PROGRAMS = {"", *_SYSTEM, os.path.dirname(sys.executable)}  # folders whose programs may run
_SHELLS = frozenset({"bash", "dash", "sh", "zsh"})
_VALIDATOR = os.path.realpath(os.path.join(ROOT, "pipeline", "schema.py"))
_DEPTH = 3  # levels of nested shells


def command_refusal(rights: Rights, command: str, depth: int = 0) -> str:
    """Return why a role may not run a command, empty if it may."""
    if depth == _DEPTH:
        return f"the command nests shells more than {_DEPTH - 1} levels deep"
    try:
        started = programs(command)
    except UnclearError as unclear:
        return f"only plain commands are allowed; this one {unclear}"
    if not started:
        return "the client does not say which command it would run"
    while started and (moved := _moved(rights, started[0])):  # a later `cd` may not be reached
        rights, started = moved, started[1:]
    return next(filter(None, (_refusal(rights, each, depth) for each in started)), "")


def _moved(rights: Rights, program: Program) -> Rights | None:
    """Return the rights after a plain `cd`; None for everything else."""
    is_plain = not (program.is_piped or program.files or program.variables)
    if not is_plain or len(program.words) != 2 or program.words[0] != "cd":  # noqa: PLR2004  # cd DIR
        return None
    return None if program.words[1].startswith("-") else rights.at(program.words[1])


def _refusal(rights: Rights, program: Program, depth: int) -> str:
    for name in program.variables:
        if name not in _VARIABLES:
            return f"the variable {name} could change what the command does"
    for mode, path in program.files:
        allowed = rights.may_read if mode == "read" else rights.may_write
        if path != os.devnull and not allowed(path):
            return f"{path} is not a file that this role may {mode}"
    return _program_refusal(rights, _plain_words(rights, program.words), depth)


def _program_refusal(rights: Rights, words: list[str], depth: int) -> str:
    if words[0] == "cd":
        return "`cd` must be the first command, with a folder in the repository"
    if words[0] in _SHELLS and len(words) == 3 and re.fullmatch(r"-[el]*c", words[1]):  # noqa: PLR2004  # sh -c COMMAND
        return command_refusal(rights, words[2], depth + 1)
    if words[0] == "sed":
        return _sed_refusal(rights, words[1:])
    if words[0] in _CHANGING:
        return _changing_refusal(rights, words[0], words[1:])
    return _listed_refusal(rights, words)


def _plain_words(rights: Rights, words: list[str]) -> list[str]:
    """Return the words with the program's plain name first if it is in a known folder."""
    if words[:1] == ["timeout"] and re.fullmatch(r"\d+[smh]?", "".join(words[1:2])):
        words = words[2:]
    if not words:
        return [""]
    folder, name = os.path.split(words[0])
    is_local = folder.endswith("node_modules/.bin") or name == "gradlew"
    if folder not in _PROGRAMS and not (is_local and rights.may_read(words[0])):
        return words
    return ["python" if re.fullmatch(r"python[\d.]*", name) else name, *words[1:]]


def _listed_refusal(rights: Rights, words: list[str]) -> str:
    rights, words = _at_command(rights, words)
    is_worker = rights.turn.writes == "project"
    if _is_validator(rights, words) or (is_worker and _is_own_script(rights, words)):
        return _outside(rights, words[2:])
    listed = _FOR_ALL | _FOR_WORKERS if is_worker else _FOR_ALL
    length = next((size for size in (4, 3, 2, 1) if tuple(words[:size]) in listed), 0)
    name, rest = " ".join(words[:length]), words[length:]
    if not name:
        why = "; agents may use git only to read" if words[0] == "git" else ""
        return f"`{_shown(words)}` is not a command that this role may run{why}"
    if _ALONE.fullmatch(name) and rest:
        return f"agents may run `{name}`, but not with `{_shown(rest)}`"
    return _argument_refusal(rights, name, rest)


def _argument_refusal(rights: Rights, name: str, rest: list[str]) -> str:
    program = name.split(maxsplit=1)[0]
    has_script = name == "npm run" and "--" in rest and not rest[0].startswith("-")
    ours = rest[: rest.index("--")] if has_script else rest
    goals = [word for word in ours if not word.startswith("-")]
    is_release = name == "npm run" and any(map(_RELEASES.search, goals))
    if is_release or (program in _ONE_GOAL and goals):
        return f"`{name} {' '.join(goals)}` could publish a package"
    options = (*_REFUSED_OF.get(name, ()), *_REFUSED_OF.get(program, ()))
    unsafe = re.compile(rf"{_REFUSED.pattern}|{_REFUSED_IN.get(program, '(?!)')}")
    for word in rest:
        if unsafe.match(word) or any(_means(word, each) for each in options):
            return f"{name} {word} could run another program or write a file"
    if name in _TEXT_ONLY:
        return ""
    return _outside(rights, _without_pattern(rights, rest) if name in _PATTERN_FIRST else rest)


def _at_command(rights: Rights, words: list[str]) -> tuple[Rights, list[str]]:
    """Return the rights in the folder that the first options choose, and the words without them."""
    plain, moving = _BEFORE.get(words[0], ()), _FOLDER.get(words[0], ())
    name, rest = words[0], words[1:]
    while rest and (rest[0] in plain or rest[0] in moving):
        moved = rights.at("".join(rest[1:2])) if rest[0] in moving else rights
        if moved is None:
            break
        rights, rest = moved, rest[2:] if rest[0] in moving else rest[1:]
    return rights, [name, *rest]


def _is_validator(rights: Rights, words: list[str]) -> bool:
    path = os.path.join(rights.folder, *words[1:2])
    return words[0] == "python" and os.path.realpath(path) == _VALIDATOR


def _is_own_script(rights: Rights, words: list[str]) -> bool:
    """Return whether `node` or `python` runs a file of the repository, as some tests do."""
    path = "".join(words[1:2])
    is_script = re.fullmatch(r"[^-].*\.(?:[cm]?js|py)", path) is not None
    return words[0] in {"node", "python"} and is_script and rights.may_read(path)


def _means(word: str, option: str) -> bool:
    """Return whether a word is an option, even if shortened or combined: `--outp`, `-uo`."""
    if len(option) == 2:  # noqa: PLR2004  # -x
        return re.match(f"-[A-Za-z]*{option[1]}", word) is not None
    name = word.partition("=")[0]
    return name == option or (len(name) > 2 and name[:2] == "--" and option.startswith(name))  # noqa: PLR2004  # `--`


def _without_pattern(rights: Rights, given: Sequence[str]) -> list[str]:
    """Return a search's words without its pattern and without numbers.

    A path that exists counts as a file even after `-e`, which may be another option's value.
    """
    operands: list[str] = []
    is_expected = not any(_means(word, each) for word in given for each in _NO_PATTERN)
    for before, word in zip(("", *given), given, strict=False):
        is_after = before in {"-e", "--regexp"} and not rights.names_any(word)
        if is_after or word.isdecimal() or word.startswith("--regexp="):
            continue
        if is_expected and not word.startswith("-"):
            is_expected = False
        else:
            operands.append(word)
    return operands


def _outside(rights: Rights, words: Iterable[str]) -> str:
    for path in map(_path_in, words):
        if path != os.devnull and not rights.may_read(path):
            return f"{path} is outside the repository"
    return ""


def _path_in(word: str) -> str:
    """Return what may be a path: an operand, or the value of an option."""
    if not word.startswith("-"):
        return word
    value = re.search(r"=(.+)|(?:\.\.)?/.*|\.\.$", word)
    return value[1] or value[0] if value else ""


def _sed_refusal(rights: Rights, given: Sequence[str]) -> str:
    options = [word for word in given if re.fullmatch(r"-[nEri]+", word)]
    script, *paths = [word for word in given if word not in {*options, "-e"}] or [""]
    if not (_PRINTS.fullmatch(script) or _REPLACES.fullmatch(script)):
        return "sed may only print lines (`1,20p`) or replace text (`s/a/b/`)"
    writes = any("i" in option for option in options)
    for path in paths:
        allowed = rights.may_write(path) if writes else rights.may_read(path)
        if path.startswith("-") or not allowed:
            return f"this role may not run sed{' -i' * writes} with {path}"
    return ""


def _changing_refusal(rights: Rights, name: str, given: Sequence[str]) -> str:
    paths = [word for word in given if not _CHANGING_OPTION.fullmatch(word)]
    if name == "chmod" and paths and _MODE.fullmatch(paths[0]):
        del paths[0]
    for index, path in enumerate(paths):
        is_source = name == "cp" and index < len(paths) - 1
        allowed = rights.may_make if name == "mkdir" else rights.may_write
        if path.startswith("-"):
            return f"{path} is not an option of {name} that an agent may use"
        if not (rights.may_read(path) if is_source else allowed(path)):
            return f"{path} is not a file that this role may {'read' if is_source else 'write'}"
    return "" if paths else f"{name} needs a path"


def _shown(words: Sequence[str]) -> str:
    return " ".join(words[:3])
