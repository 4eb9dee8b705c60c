"""An export writes all of a tree or nothing, and nothing of the user's is lost."""

from __future__ import annotations

import json
import os
import resource
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.agents.clients import CLIENTS
from pipeline.agents.clients.base import PackRule
from pipeline.agents.export import (
    CLOSING,
    OPENING,
    Conflict,
    File,
    export,
    hook_files,
    merged_hooks,
    merged_section,
    section,
)
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from pathlib import Path

SECTION = f"{OPENING}\nrules\n{CLOSING}\n"
NOTHING = {
    True: "nothing was written: move these files away",
    False: (
        "nothing was written: use --force, which overwrites only files that have different content "
        "(in a shared file, only the pack's section or hooks), or move these files away"
    ),
}
FILES = (File("a/x.md", "x\n"), File("b.md", "b\n"), File("AGENTS.md", SECTION, shared=True))


def refused(folder: Path, *, force: bool = False) -> tuple[str, ...]:
    """Export what cannot be exported and return what is said of it."""
    with pytest.raises(Fault) as raised:
        export(FILES, str(folder), force=force)
    return raised.value.lines


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


WRITTEN = {"AGENTS.md": SECTION.encode(), "a/x.md": b"x\n", "b.md": b"b\n"}


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_a_second_export_has_nothing_to_write(tmp_path: Path, ending: bytes) -> None:
    export(FILES, str(tmp_path), force=False)
    for name, data in WRITTEN.items():
        (tmp_path / name).write_bytes(data.replace(b"\n", ending))

    assert export(FILES, str(tmp_path), force=False) == ([], ["a/x.md", "b.md", "AGENTS.md"])


def test_force_overwrites_and_keeps_the_rest_of_a_shared_file(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text("mine\n")
    (tmp_path / "AGENTS.md").write_bytes(b"mine\r\ntoo\r\n")

    assert export(FILES, str(tmp_path), force=True) == (["a/x.md", "b.md", "AGENTS.md"], [])
    assert content(tmp_path) == {
        **WRITTEN,
        "AGENTS.md": b"mine\r\ntoo\r\n\r\n" + SECTION.replace("\n", "\r\n").encode(),
    }


@pytest.mark.parametrize("force", [False, True])
def test_a_link_that_leads_out_of_the_folder_is_never_written_through(
    tmp_path: Path, *, force: bool
) -> None:
    project, other = tmp_path / "project", tmp_path / "other"
    project.mkdir()
    other.mkdir()
    (other / "b.md").write_text("theirs\n")
    (project / "a").symlink_to(other)
    (project / "b.md").symlink_to(other / "b.md")
    (project / "AGENTS.md").symlink_to(other / "new.md")  # leads to nothing yet

    assert refused(project, force=force) == (
        "a/x.md: leads outside the folder through a link",
        "b.md: leads outside the folder through a link",
        "AGENTS.md: leads outside the folder through a link",
        NOTHING[force],
    )
    assert content(other) == {"b.md": b"theirs\n"}


def test_a_link_inside_the_folder_is_written_through_and_stays(tmp_path: Path) -> None:
    (tmp_path / "rules.md").write_text("mine\n")
    (tmp_path / "AGENTS.md").symlink_to("rules.md")

    assert export(FILES, str(tmp_path), force=True) == (["a/x.md", "b.md", "AGENTS.md"], [])
    assert (tmp_path / "AGENTS.md").is_symlink()
    assert (tmp_path / "rules.md").read_text() == f"mine\n\n{SECTION}"


@pytest.mark.parametrize("force", [False, True])
def test_what_is_no_file_is_in_the_way(tmp_path: Path, *, force: bool) -> None:
    os.mkfifo(tmp_path / "b.md")
    (tmp_path / "AGENTS.md").mkdir()

    assert refused(tmp_path, force=force) == (
        "b.md: is a named pipe, not a regular file",
        "AGENTS.md: is a folder, not a regular file",
        NOTHING[force],
    )
    assert content(tmp_path) == {}


def test_a_file_that_the_system_refuses_is_named_and_stays_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "big.md").write_text("mine\n")
    files = [File("x.md", "x\n"), File("big.md", "b" * 5_000)]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))  # as a full disk
    try:
        with pytest.raises(Fault) as raised:
            export(files, str(tmp_path), force=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert str(raised.value) == "big.md cannot be written: file too large"
    assert content(tmp_path) == {"big.md": b"mine\n", "x.md": b"x\n"}


WANTED = f"{OPENING}\nnew\n{CLOSING}\n"


def test_rules_are_under_their_names_with_headings_one_level_lower() -> None:
    text = "# First things\n\nText, # no heading\n\n## Inner\n"
    rules = [
        PackRule(name="x-one", description="d", text=text),
        PackRule(name="x-two", description="d", text="# Second\n"),
    ]

    assert section(rules) == (
        f"{OPENING}\n# Issue pipeline\n\n"
        "## x-one: First things\n\nText, # no heading\n\n### Inner\n\n"
        f"## x-two: Second\n{CLOSING}\n"
    )


@pytest.mark.parametrize(
    ("existing", "expected"),
    [
        ("", WANTED),
        ("mine", f"mine\n\n{WANTED}"),
        ("mine\r\n", "mine\r\n\r\n" + WANTED.replace("\n", "\r\n")),
        (f"a\n{OPENING}\nold\nlines\n{CLOSING}\nb\n", f"a\n{WANTED}b\n"),
        (f"a\n{OPENING}\nold\n{CLOSING}", f"a\n{WANTED[:-1]}"),
        (WANTED.replace("\n", "\r\n"), WANTED.replace("\n", "\r\n")),
        (f"{OPENING}\nmine, never closed\n", f"{OPENING}\nmine, never closed\n\n{WANTED}"),
        (f"{CLOSING}\nmine\n", f"{CLOSING}\nmine\n\n{WANTED}"),
        (f"{OPENING}\nmine\n{OPENING}\nold\n{CLOSING}\n", f"{OPENING}\nmine\n{WANTED}"),
    ],
)
def test_only_the_section_is_changed(existing: str, expected: str) -> None:
    assert merged_section(existing, WANTED) == expected


LINES = st.lists(st.sampled_from(["a", "", OPENING, CLOSING, f" {OPENING}"])).map("\n".join)


@given(LINES)
def test_a_section_that_is_in_place_is_found_again(existing: str) -> None:
    once = merged_section(existing, WANTED)

    assert merged_section(once, WANTED) == once


CURSOR = hook_files(CLIENTS["cursor"])[1].text
OURS = {"command": "python3 .cursor/hooks/record-dispatch.py", "timeout": 10}


def test_claude_runs_it_from_wherever_a_command_is() -> None:
    script, config = hook_files(CLIENTS["claude"])

    command = 'python3 "$CLAUDE_PROJECT_DIR/.claude/hooks/record-dispatch.py"'
    entry = {"hooks": [{"type": "command", "command": command, "timeout": 10}]}
    assert script.text == hook_files(CLIENTS["cursor"])[0].text
    assert (config.path, config.shared) == (".claude/settings.json", True)
    assert json.loads(config.text) == {"hooks": {"SubagentStart": [entry], "SubagentStop": [entry]}}


def test_what_is_there_stays_and_ours_come_after_it() -> None:
    theirs = {"command": "./audit.sh"}
    there = {"hooks": {"stop": [theirs], "subagentStop": [theirs]}, "extra": [1]}

    text = merged_hooks(json.dumps(there).encode(), CURSOR)

    assert json.loads(text) == {
        "version": 1,
        "hooks": {"stop": [theirs], "subagentStop": [theirs, OURS], "subagentStart": [OURS]},
        "extra": [1],
    }
    assert text.endswith("}\n")


def test_a_file_that_has_them_is_left_as_it_is_written() -> None:
    text = json.dumps(json.loads(merged_hooks(b"{}", CURSOR)), indent=7)

    assert merged_hooks(text.encode(), CURSOR) == text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"// mine\n{}", "is not JSON: "),
        (b'{"hooks": {}, "hooks": {}}', "is not JSON: "),
        (b"[]", "has hooks that are not in the client's format"),
        (b'{"hooks": {"subagentStart": {}}}', "has hooks that are not in the client's format"),
    ],
)
def test_what_nothing_can_be_put_into_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(Conflict) as raised:
        merged_hooks(data, CURSOR)

    assert str(raised.value).startswith(message)
