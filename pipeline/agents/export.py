"""Writes the pack as one client takes it: all or nothing, and nothing of the user's is lost."""

from __future__ import annotations

import contextlib
import json
import os
import re
from typing import TYPE_CHECKING, NamedTuple

from pipeline.agents.clients.base import HOOK_SCRIPT, with_front_matter
from pipeline.agents.source import SOURCE
from pipeline.files import MISSING, Unreadable, read_file, write_whole
from pipeline.protocol.json_text import NotStrictJson, parse, text_of
from pipeline.tiers import selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pipeline.agents.clients.base import Client, Rule
    from pipeline.agents.source import Pack

OPENING = "<!-- issue pipeline: begin (written by pipeline agents export) -->"
CLOSING = "<!-- issue pipeline: end -->"
_FENCE = re.compile(r"(`{3,}|~{3,})")


# --- the files of one client --------------------------------------------------------------------


class File(NamedTuple):
    """A file of a tree: its path relative to the project's root, with `/`, and its text.

    `shared`: the text is one section of a file that is otherwise the user's own, or, of a `.json`
    file, the hooks that are put among the user's.
    """

    path: str
    text: str
    shared: bool = False


def tree(client: Client, pack: Pack, *, hooks: bool = False) -> tuple[File, ...]:
    """Return what a client needs: agents, rules, skills, in this order, and hooks if wanted."""
    files = [
        File(
            client.agent_path.format(name=agent.name),
            client.agent(agent, selection(client.name, agent.name)),
        )
        for agent in pack.agents
    ]
    if client.rule is not None:
        files += [File(client.rule_path.format(name=r.name), client.rule(r)) for r in pack.rules]
    else:
        files.append(File(client.instructions, section(pack.rules), shared=True))
    for folder in client.skills:
        for skill in pack.skills:
            fields = {"name": skill.name, "description": skill.description}
            text = with_front_matter(fields, skill.text)
            files.append(File(f"{folder}/{skill.name}/SKILL.md", text))
    return (*files, *(hook_files(client) if hooks else ()))


def hook_files(client: Client) -> tuple[File, ...]:
    """Return the files that a client's hooks need; empty if it has no hooks."""
    if client.hooks is None:
        return ()
    with open(os.path.join(SOURCE, "hooks", HOOK_SCRIPT), encoding="utf-8") as file:
        script = file.read()
    config = json.dumps(client.hooks.wanted, indent=2) + "\n"
    return File(client.hooks.script, script), File(client.hooks.config, config, shared=True)


def section(rules: Iterable[Rule]) -> str:
    """Return the rules as one section of Markdown between two comments, each under its name.

    The name is in the heading because other texts of the pack name the rule by it.
    """
    parts = ["# Issue pipeline", *("\n".join(_demoted(rule)) for rule in rules)]
    return "\n".join([OPENING, "\n\n".join(parts), CLOSING, ""])


def _demoted(rule: Rule) -> Iterator[str]:
    """Yield a rule's lines with every heading one level lower."""
    fence = ""
    for line in rule.text.rstrip("\n").split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip() == fence):
            fence = "" if fence else mark[1]
        if fence or not line.startswith("#"):
            yield line
        elif line.startswith("# "):
            yield f"## {rule.name}: {line[2:]}"
        else:
            yield f"#{line}"


def merged_section(existing: str, wanted: str) -> str:
    """Return a file's text with the pack's section in it: in its place, or at the end.

    Everything around the section stays as it is, and so does a section that is right
    but for its line endings. The section takes over the file's line endings.
    """
    lines = existing.split("\n")
    bounds = _bounds([line.rstrip("\r") for line in lines])
    ending = "\r" if lines[0].endswith("\r") else ""
    section_lines = [line + ending for line in wanted.rstrip("\n").split("\n")]
    if bounds is None:
        gap = "" if not existing else "\n" if existing.endswith("\n") else "\n\n"
        return existing + gap.replace("\n", f"{ending}\n") + "\n".join([*section_lines, ""])
    start, end = bounds
    if [line.rstrip("\r") for line in lines[start:end]] == wanted.rstrip("\n").split("\n"):
        return existing
    return "\n".join([*lines[:start], *section_lines, *lines[end:]])


def _bounds(lines: list[str]) -> tuple[int, int] | None:
    """Return the lines of the last section that opens and closes; an unclosed one is the user's."""
    if CLOSING not in lines:
        return None
    end = len(lines) - lines[::-1].index(CLOSING)
    start = next((at for at in range(end - 1, -1, -1) if lines[at] == OPENING), None)
    return None if start is None else (start, end)


class Unmergeable(Exception):
    """A file of hooks that nothing can be put into; the message says why."""


def merged_hooks(existing: bytes, wanted: str) -> str:
    """Return the text of a file of hooks with the wanted ones in it; what is there stays.

    A file that has them already is returned as it is.

    Raises:
        Unmergeable: it is not a JSON object with hooks in the client's form.
    """
    try:
        value, text = parse(existing), text_of(existing)
    except NotStrictJson as error:
        raise Unmergeable(f"is not JSON: {error}") from None
    ours = json.loads(wanted)
    there = value.get("hooks", {}) if isinstance(value, dict) else None
    if not isinstance(there, dict) or not all(
        isinstance(there.get(event, []), list) for event in ours["hooks"]
    ):
        raise Unmergeable("has hooks that are not in the client's format")
    events = {
        event: [*there.get(event, []), *(e for e in entries if e not in there.get(event, []))]
        for event, entries in ours["hooks"].items()
    }
    combined = {**ours, **value, "hooks": {**there, **events}}
    return text if combined == value else json.dumps(combined, indent=2, ensure_ascii=False) + "\n"


# --- into a folder ------------------------------------------------------------------------------


class Conflict(NamedTuple):
    """A file that keeps the tree from being written, and why; `forcible`: `--force` settles it."""

    path: str
    reason: str
    forcible: bool


class Planned(NamedTuple):
    """What becomes of one file: `data` goes to `real`, which held `before` (None: it is new)."""

    path: str
    real: str
    data: bytes
    before: bytes | None


class Plan(NamedTuple):
    """What an export would do: files to write, files that are right as they are, obstacles."""

    write: tuple[Planned, ...]
    unchanged: tuple[str, ...]
    conflicts: tuple[Conflict, ...]


class NotWritten(Exception):
    """The disk or the system refused a file; everything is as it was before. Says which and why."""


def planned(files: Iterable[File], folder: str, *, force: bool) -> Plan:
    """Return what exporting `files` to `folder` means; nothing is written.

    A file that exists with different content is a conflict, unless `force` is set. Of a shared
    file only the pack's own section counts, and `force` keeps the rest of it. Line endings do not
    count. A link that leads out of the folder is always a conflict.
    """
    root = os.path.realpath(folder)
    outcomes = {file.path: _outcome(file, root, force=force) for file in files}
    return Plan(
        write=tuple(each for each in outcomes.values() if isinstance(each, Planned)),
        unchanged=tuple(path for path, each in outcomes.items() if each is None),
        conflicts=tuple(each for each in outcomes.values() if isinstance(each, Conflict)),
    )


def _outcome(file: File, root: str, *, force: bool) -> Planned | Conflict | None:
    path = os.path.join(root, *file.path.split("/"))
    real = os.path.realpath(path)
    if not real.startswith(root.rstrip(os.sep) + os.sep):
        return Conflict(file.path, "a link points outside the folder", forcible=False)
    try:
        before = read_file(real)
    except Unreadable as error:
        if error.reason == MISSING and (obstacle := _obstacle(os.path.dirname(real))) is None:
            return Planned(file.path, real, file.text.encode(), None)
        reason = str(error) if error.reason != MISSING else f"{obstacle} is not a folder"
        return Conflict(file.path, reason, forcible=False)
    return _replacement(file, real, before, force=force)


def _obstacle(folder: str) -> str | None:
    """Return what prevents making a folder: a file where a folder is needed."""
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    return None if os.path.isdir(folder) else os.path.basename(folder)


def _replacement(file: File, real: str, before: bytes, *, force: bool) -> Planned | Conflict | None:
    wanted = file.text.encode()
    if file.shared:
        try:
            wanted = _with_ours(file, before)
        except UnicodeDecodeError:
            return Conflict(file.path, "is not UTF-8 text", forcible=False)
        except Unmergeable as error:
            return Conflict(file.path, str(error), forcible=False)
    if before.replace(b"\r\n", b"\n") == wanted.replace(b"\r\n", b"\n"):
        return None
    if force:
        return Planned(file.path, real, wanted, before)
    return Conflict(file.path, f"exists {_lacks(file)}", forcible=True)


def _with_ours(file: File, before: bytes) -> bytes:
    if file.path.endswith(".json"):
        return merged_hooks(before, file.text).encode()
    return merged_section(before.decode(), file.text).encode()


def _lacks(file: File) -> str:
    if not file.shared:
        return "with different content"
    return "without these hooks" if file.path.endswith(".json") else "without this section"


def carry_out(plan: Plan) -> None:
    """Write the files of a plan.

    Raises:
        NotWritten: one of them could not be written; those before it are as they were again.
    """
    done: list[Planned] = []
    made: list[str] = []
    for each in plan.write:
        made += _missing_folders(os.path.dirname(each.real))
        try:
            write_whole(each.real, each.data)
        except OSError as error:
            _undo(done, made)
            reason = (error.strerror or str(error)).lower()
            raise NotWritten(f"{each.path} cannot be written: {reason}") from None
        done.append(each)


def _missing_folders(folder: str) -> list[str]:
    missing: list[str] = []
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing[::-1]


def _undo(done: list[Planned], made: list[str]) -> None:
    for each in reversed(done):
        with contextlib.suppress(OSError):
            if each.before is None:
                os.unlink(each.real)
            else:
                write_whole(each.real, each.before)
    for folder in reversed(made):
        with contextlib.suppress(OSError):
            os.rmdir(folder)
