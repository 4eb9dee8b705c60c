"""`pipeline.toml`: options of `pipeline run` that a repository keeps, as committed on its base.

What agents or a pull request wrote is not read. What starts a program, reaches further than the
jail or weakens a check counts only once the user has allowed it.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.files import Unreadable, read_file, size_of
from pipeline.protocol.layout import SETTINGS
from pipeline.run.assignment import issue_of
from pipeline.run.branch import remembered_base
from pipeline.terminal.display import did_you_mean, listed, named, quoted, visible
from pipeline.terminal.fault import Fault, unusable
from pipeline.terminal.streams import agreed, tell

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipeline.git import Repository
    from pipeline.terminal.arguments import CommandOption

OF_ONE_CALL = ("continue", "dry-run", "no-settings", "retry")  # these are no settings
# These start nothing, reach nothing and weaken nothing, whatever their values are.
_HARMLESS = {
    *("attempts", "base", "branch", "delegate", "draft", "json", "label", "max-minutes"),
    *("max-tokens", "max-turns", "model", "offline", "project", "reviewer", "rounds", "seconds"),
    *("tier", "transcript", "until", "verbose", "worktree"),
}
_ALLOWED = "pipeline.allowed"  # in git's configuration, where no agent and no clone writes
_MOST = 64 << 10  # bytes
_PLACE = re.compile(r"(.*?) \(at (?:line (\d+), column (\d+)|end of document)\)")
_KINDS = {bool: "true or false", str: "a text", list: "a list of texts"}


class Setting(NamedTuple):
    """The value of an option, and where it comes from."""

    value: Any
    origin: str  #: `command line`, `default`, or a place in the file
    is_allowed: bool = True


def settings_of(
    repository: Repository,
    options: Sequence[CommandOption],
    given: Mapping[str, Any],
) -> dict[str, Setting]:
    """Return the value of each option, by its name on the command line.

    `given` are those of the command line, by the parameter of the command.

    Raises:
        Fault: the file has something else than values of options; the line names its place.
    """
    base, remote = given.get("base", ""), given.get("remote", "origin")
    text = "" if given.get("no_settings") else _committed(repository, base, remote)
    found = _read(text, {option.name: option for option in options})
    allowed = repository.attempt("config", "--get-all", _ALLOWED).stdout.split()
    settings = {}
    for option in options:
        value, origin, is_allowed = option.default, "default", True
        if option.name in found:
            line, _ = _place(text, option.name)
            value, origin = found[option.name], f"{SETTINGS}:{line}"
            is_allowed = (
                not value or option.name in _HARMLESS or _key(option.name, value) in allowed
            )
        if option.dest in given:
            value, origin, is_allowed = given[option.dest], "command line", True
        settings[option.name] = Setting(value, origin, is_allowed)
    return settings


def allow(repository: Repository, settings: Mapping[str, Setting]) -> None:
    """Ask the user to allow what a repository must not decide alone; git's configuration keeps it.

    Raises:
        Fault: the user does not allow it, or nobody can answer.
    """
    asked = {name: setting for name, setting in settings.items() if not setting.is_allowed}
    if not asked:
        return
    lines = [
        f"{setting.origin}: {_written(name, setting.value)}" for name, setting in asked.items()
    ]
    keys = [_key(name, setting.value) for name, setting in asked.items()]
    what = "sets what can start programs, reach further than the jail or weaken a check"
    question = "\n".join((f"pipeline: {SETTINGS} {what}:", *(f"  {line}" for line in lines)))
    answer = agreed(f"{question}\nAllow it in this repository?")
    if answer:
        for key in keys:
            repository.run("config", "--add", _ALLOWED, key)
        return
    if answer is False:
        raise unusable("nothing was started")
    allowing = "; ".join(f"git config --add {_ALLOWED} {key}" for key in keys)
    raise unusable(f"{SETTINGS} {what}", *lines, f"To allow it in this repository: {allowing}")


def _key(name: str, value: Any) -> str:
    """Return what the user allows: this option with this value."""
    return hashlib.sha256(json.dumps([name, value]).encode()).hexdigest()[:20]


def _written(name: str, value: Any) -> str:
    return visible(f"{name} = {json.dumps(value, ensure_ascii=False)}", 300)


def _committed(repository: Repository, base: str, remote: str) -> str:
    """Return the text of the file on the base, empty if it has none.

    The base is the one that is given, that of the issue's branch that is checked out, or HEAD.
    """
    head = repository.attempt("symbolic-ref", "--quiet", "--short", "HEAD").stdout.strip()
    names = [base, f"{remote}/{base}"] if base else ["HEAD"]
    if issue_of(head) and not base:
        kept = remembered_base(repository, head)
        names = [*filter(None, [kept]), f"{remote}/HEAD", "main", "master"]
    for name in names:
        if sha := repository.commit(name):
            text = _blob(repository, sha)
            _tell_difference(repository, text, name)
            return text
    return ""


def _blob(repository: Repository, sha: str) -> str:
    entry = repository.run("ls-tree", "-l", "--full-tree", sha, "--", SETTINGS).split()
    if not entry:
        return ""
    mode, _, name, size, *_ = entry
    if not mode.startswith("100"):
        raise unusable(f"{SETTINGS}: is not a file (expected a text in TOML)")
    if int(size) > _MOST:
        raise unusable(f"{SETTINGS}: is too large (expected at most {size_of(_MOST)})")
    text = repository.run("cat-file", "blob", name)
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise unusable(f"{SETTINGS}: is not UTF-8")
    return text


def _tell_difference(repository: Repository, text: str, base: str) -> None:
    """Say that the file of the work tree is not the one that counts."""
    try:
        here = read_file(f"{repository.root}/{SETTINGS}", _MOST, follow=False).decode()
    except (Unreadable, UnicodeDecodeError):
        return
    if here.replace("\r\n", "\n") != text.replace("\r\n", "\n"):
        tell(f"pipeline: {SETTINGS} counts as it is committed on {visible(base)}: yours differs")


def _read(text: str, options: Mapping[str, CommandOption]) -> dict[str, Any]:
    """Return the options in a text, each checked."""
    try:
        values: dict[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        said = _PLACE.match(str(error))
        line, column = (said[2], said[3]) if said and said[2] else (text.count("\n") + 1, 1)
        what = visible(said[1] if said else "is nested too deeply", 200)
        raise unusable(f"{SETTINGS}:{line}:{column}: is not TOML: {what}") from None
    for name, value in values.items():
        if name in OF_ONE_CALL or name not in options:
            known = [known for known in options if known not in OF_ONE_CALL]
            why = "is for one call: give it on the command line"
            if name not in options:
                meant = (
                    did_you_mean(name, known) or f" (expected one of {listed(known, len(known))})"
                )
                why = f"is not an option of pipeline run{meant}"
            raise _fault(text, name, why)
        if problem := _problem(value, options[name]):
            raise _fault(text, name, problem, at_value=True)
    return values


def _problem(value: Any, option: CommandOption) -> str:
    """Return what is wrong with a value, empty if nothing is."""
    is_right = type(value) is option.kind or (option.kind is float and type(value) is int)
    if option.bounds:
        expected = str(option.bounds)
        is_right = is_right and option.bounds.includes(value)
    elif option.choices:
        expected = f"one of {listed(option.choices, len(option.choices))}"
        is_right = value in option.choices
    else:
        expected = _KINDS[option.kind]
        texts = value if option.kind is list else [value] if option.kind is str else []
        is_right = is_right and all(map(_is_text, texts))
    shown = "a date or a time" if isinstance(value, dt.date | dt.time) else quoted(value, 80)
    shown = "a table" if isinstance(value, dict) else shown
    return "" if is_right else f"expected {expected}, found {shown}"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value.strip() != "" and "\0" not in value


def _fault(text: str, name: str, why: str, *, at_value: bool = False) -> Fault:
    line, columns = _place(text, name)
    return unusable(f"{SETTINGS}:{line}:{columns[at_value]}: {named(name)}: {why}")


def _place(text: str, name: str) -> tuple[int, tuple[int, int]]:
    """Return the line of an option, and the columns of its name and its value."""
    key = rf"(?:\"{re.escape(name)}\"|'{re.escape(name)}'|{re.escape(name)})"
    form = re.compile(rf"^[ \t]*(?:\[+[ \t]*)?({key})[ \t]*(?:[.\]]|=[ \t]*())", re.MULTILINE)
    found = form.search(text)
    if found is None:  # a name that is spelt with escapes
        return 1, (1, 1)
    at, value = found.start(1), max(found.start(1), found.start(2))
    start = text.rfind("\n", 0, at)
    return text.count("\n", 0, at) + 1, (at - start, value - start)
