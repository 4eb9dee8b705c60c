"""Writes the pack in the format of one client; overwrites the user's files only with `--force`."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, NamedTuple

from pipeline.agents.clients.base import rule_file, with_front_matter
from pipeline.agents.source import SOURCE
from pipeline.files import MISSING, Unreadable, is_inside, read_file, write_whole
from pipeline.protocol.json_text import NotStrictJson, parse, text_of
from pipeline.terminal.fault import Fault, Refusal
from pipeline.tiers import selection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipeline.agents.clients.base import Client, PackRule
    from pipeline.agents.source import Pack

OPENING = "<!-- issue pipeline: begin (written by pipeline agents export) -->"
CLOSING = "<!-- issue pipeline: end -->"
_MOVE = "move these files away"
_FORCE = (
    "use --force, which overwrites only files that have different content (in a shared file, only "
    f"the pack's section or hooks), or {_MOVE}"
)
_SECTION = re.compile(  # from an opening line to the closing one, with no opening in between
    rf"^{re.escape(OPENING)}\r?\n(?:(?!{re.escape(OPENING)}).*\n)*?{re.escape(CLOSING)}(?=\r?$)",
    re.MULTILINE,
)


# --- the files of one client --------------------------------------------------------------------


class File(NamedTuple):
    """A file of a tree."""

    path: str  #: relative to the project's root, with `/`
    text: str
    #: the text is one section of a file that is otherwise the user's own, or, of a `.json` file,
    #: the hooks that are put among the user's
    shared: bool = False


def tree(client: Client, pack: Pack, *, hooks: bool = False) -> tuple[File, ...]:
    """Return what a client needs: agents, rules, skills, in this order, and hooks if wanted."""
    files = []
    for agent in pack.agents:
        text = client.agent(agent, selection(client.name, agent.name))
        files.append(File(client.places[0].file(agent.name), text))
    if client.instructions:
        files.append(File(client.instructions, section(pack.rules), shared=True))
    else:
        files += [File(client.places[1].file(r.name), rule_file(r)) for r in pack.rules]
    for folder in client.skills:
        for skill in pack.skills:
            fields = {"name": skill.name, "description": skill.description}
            text = with_front_matter(fields, skill.text)
            files.append(File(f"{folder}/{skill.name}/SKILL.md", text))
    return (*files, *(hook_files(client) if hooks else ()))


def hook_files(client: Client) -> tuple[File, ...]:
    """Return the files that a client's hooks need; empty if it has none."""
    if client.hooks is None:
        return ()
    source = os.path.join(SOURCE, "hooks", os.path.basename(client.hooks.script))
    with open(source, encoding="utf-8") as file:
        script = file.read()
    config = json.dumps(client.hooks.wanted, indent=2) + "\n"
    return File(client.hooks.script, script), File(client.hooks.config, config, shared=True)


def section(rules: Iterable[PackRule]) -> str:
    """Return the rules as one section of Markdown, with every heading one level lower.

    A rule's first heading starts with its name, because other texts of the pack name the rule.
    """
    parts = ["# Issue pipeline"]
    for rule in rules:
        lower = re.sub("^#", "##", rule.text.strip(), flags=re.MULTILINE)
        parts.append(lower.replace("## ", f"## {rule.name}: ", 1))
    return "\n".join([OPENING, "\n\n".join(parts), CLOSING, ""])


def merged_section(existing: str, wanted: str) -> str:
    """Return a file's text with the wanted section in place of its last one, or at its end.

    The section takes over the file's line endings; everything around it stays as it is.
    """
    ending = "\r\n" if "\r\n" in existing else "\n"
    wanted = wanted.replace("\n", ending)
    sections = list(_SECTION.finditer(existing))
    if sections:
        start, end = sections[-1].span()
        return existing[:start] + wanted.removesuffix(ending) + existing[end:]
    gap = ending * (2 - existing.endswith("\n")) if existing else ""
    return existing + gap + wanted


def merged_hooks(existing: bytes, wanted: str) -> str:
    """Return the text of a hooks file with the wanted hooks added; everything else stays.

    A file that has them already is returned as it is.

    Raises:
        Conflict: it is not a JSON object with hooks in the client's format.
    """
    try:
        value, text = parse(existing), text_of(existing)
    except NotStrictJson as error:
        raise Conflict(f"is not JSON: {error}") from None
    ours = json.loads(wanted)
    there = value.get("hooks", {}) if isinstance(value, dict) else None
    if not isinstance(there, dict) or not all(
        isinstance(there.get(event, []), list) for event in ours["hooks"]
    ):
        raise Conflict("has hooks that are not in the client's format")
    events = {
        event: [*there.get(event, []), *(e for e in entries if e not in there.get(event, []))]
        for event, entries in ours["hooks"].items()
    }
    combined = {**ours, **value, "hooks": {**there, **events}}
    return text if combined == value else json.dumps(combined, indent=2, ensure_ascii=False) + "\n"


# --- into a folder ------------------------------------------------------------------------------


class Conflict(Refusal):
    """Why a file cannot be written."""


def export(files: Iterable[File], folder: str, *, force: bool) -> tuple[list[str], list[str]]:
    """Write files into a folder; return the paths that were written, and those already up to date.

    Of a shared file only the pack's own part counts, and `force` keeps the rest. Line endings do
    not count. A link that leads out of the folder is never followed.

    Raises:
        Fault: a file has different content or cannot be read, and nothing was written; or the
            system refused a file, and those before it were written.
    """
    root = os.path.realpath(folder)
    outcomes = {file.path: _new_content(file, root, force=force) for file in files}
    conflicts = [f"{path}: {o}" for path, o in outcomes.items() if isinstance(o, Conflict)]
    if conflicts:
        raise Fault(*conflicts, f"nothing was written: {_MOVE if force else _FORCE}")
    pending = {path: data for path, data in outcomes.items() if isinstance(data, bytes)}
    try:
        for path, data in pending.items():
            write_whole(os.path.realpath(os.path.join(root, path)), data)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise Fault(f"{path} cannot be written: {reason}") from None
    return list(pending), [path for path, data in outcomes.items() if data is None]


def _new_content(file: File, root: str, *, force: bool) -> bytes | Conflict | None:
    """Return what to write, None where the file is right as it is."""
    real = os.path.realpath(os.path.join(root, file.path))
    if not is_inside(os.path.dirname(real), root):
        return Conflict("leads outside the folder through a link")
    try:
        before = read_file(real)
        wanted = _merged(file, before)
    except Unreadable as error:
        return file.text.encode() if error.reason == MISSING else Conflict(str(error))
    except (Conflict, UnicodeDecodeError) as error:
        return error if isinstance(error, Conflict) else Conflict("is not UTF-8 text")
    if before.replace(b"\r\n", b"\n") == wanted.replace(b"\r\n", b"\n"):
        return None
    if force:
        return wanted
    part = "hooks" if file.path.endswith(".json") else "section"
    lacks = f"lacks the pack's current {part}"
    return Conflict(lacks if file.shared else "exists with different content")


def _merged(file: File, before: bytes) -> bytes:
    if not file.shared:
        return file.text.encode()
    if file.path.endswith(".json"):
        return merged_hooks(before, file.text).encode()
    return merged_section(before.decode(), file.text).encode()
