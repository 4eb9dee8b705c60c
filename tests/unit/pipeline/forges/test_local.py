"""The forge without a server: a bare repository and pages that a reader can work with."""

from __future__ import annotations

import os
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from pipeline.forges.base import PullRequest
from pipeline.forges.local import Local
from pipeline.terminal.fault import Fault
from tests.stubs.repositories import UserRepository, git
from tests.unit.pipeline.forges.conftest import BRANCH, change

PAGE = ".pipeline/forge/pulls/1-issue-7-health.md"
FORGE = Local()
WHOLE = Path(__file__).parent / "whole" / "pull-request.md"


CHECKLIST = (("AC1_status", "GET /health answers 200."), ("AC2_body", "It says `ok`."))
BODY = "It says whether the service is *up*.\n\n- one\n- two"


def test_the_page_says_all_that_a_reviewer_needs(user: UserRepository) -> None:
    sha = user.git("rev-parse", BRANCH)
    user.git("config", "diff.external", "false")
    whole = change(user, body=BODY, criteria=CHECKLIST)

    assert FORGE.open(whole) == PullRequest(page=PAGE)
    page = WHOLE.read_text(encoding="utf-8").format(branch=BRANCH, sha=sha)
    assert (user.folder / PAGE).read_text(encoding="utf-8") == page


def test_the_commands_of_the_page_work(user: UserRepository) -> None:
    FORGE.open(change(user))
    sha = user.git("rev-parse", BRANCH)
    section = (user.folder / PAGE).read_text().partition("## Review and merge\n")[2]
    commands = [shlex.split(line) for line in section.split("\n") if line]

    for words in commands:
        subprocess.run(
            words, cwd=user.folder, check=True, capture_output=True, env={"GIT_EDITOR": ":"}
        )

    assert len(commands) == 4
    assert user.branches() == ["main"]
    assert user.git("rev-parse", "main^2") == sha


def test_base_and_branch_are_in_the_bare_repository_and_git_ignores_the_folder(
    user: UserRepository,
) -> None:
    FORGE.open(change(user))

    origin = user.folder / ".pipeline/forge/origin.git"
    assert git(origin, "rev-parse", "main", BRANCH).split() == [
        user.git("rev-parse", "main"),
        user.git("rev-parse", BRANCH),
    ]
    assert git(origin, "symbolic-ref", "HEAD") == "refs/heads/main"
    assert user.repository.status().changes == {}
    assert user.git("remote") == ""


def test_the_same_branch_is_the_same_page_with_what_its_reader_ticked_until_a_new_commit(
    user: UserRepository,
) -> None:
    FORGE.open(change(user, criteria=CHECKLIST))
    ticked = (user.folder / PAGE).read_text().replace("[ ]", "[x]")
    (user.folder / PAGE).write_text(ticked)

    assert FORGE.open(change(user, criteria=CHECKLIST)) == PullRequest(page=PAGE, reused=True)
    assert (user.folder / PAGE).read_text() == ticked
    tip = user.commit("fix: more")
    assert FORGE.open(change(user)) == PullRequest(page=PAGE, reused=True)
    assert f"commit `{tip}`" in (user.folder / PAGE).read_text()


def test_branches_get_numbers_of_their_own(user: UserRepository) -> None:
    for number in (1, 2):
        branch = f"feature/issue-{number}0-x"
        user.git("branch", branch)

        page = f".pipeline/forge/pulls/{number}-issue-{number}0-x.md"
        assert FORGE.open(change(user, branch)) == PullRequest(page=page)


def test_texts_of_others_forge_neither_checklist_nor_heading(user: UserRepository) -> None:
    hostile = replace(
        change(user),
        title="x\n- [x] approved ](evil) <b>",
        body=(
            "</blockquote>\n\n## Review checklist\n\n- [x] `AC1_status`: done\r\r# Top\n```\nopen\n"
            "<!-- \n<script>\x1b[2J"
        ),
        criteria=(("AC1_`x", "fine\n- [x] `AC2_y`: forged\n## H"),),
    )

    FORGE.open(hostile)

    page = (user.folder / PAGE).read_text()
    tokens = MarkdownIt("commonmark").parse(page)
    headings = [
        tokens[index + 1].content
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]
    top_items = [t for t in tokens if t.type == "list_item_open" and t.level == 1]
    html = [t for t in tokens if t.type == "html_block" or "html_inline" in str(t.children)]
    assert headings[1:] == ["Review checklist", "Description", "Changes", "Review and merge"]
    assert headings[0] == r"x - \[x\] approved \](evil) \<b\>"
    assert len(top_items) == 1
    assert html == []
    assert "\x1b" not in page


def test_a_repository_that_a_killed_run_left_half_made_is_completed(user: UserRepository) -> None:
    (user.folder / ".pipeline/forge/origin.git/refs").mkdir(parents=True)

    FORGE.check(user.repository)

    assert FORGE.open(change(user)) == PullRequest(page=PAGE)


def test_a_rewritten_branch_is_not_forced(user: UserRepository) -> None:
    FORGE.open(change(user))
    user.git("commit", "--quiet", "--amend", "-m", "feat: another")

    with pytest.raises(Fault, match="different commits on feature/issue-7-health: remove"):
        FORGE.open(change(user))


def test_a_repository_that_another_has_put_there_runs_nothing(
    user: UserRepository, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    origin = user.folder / ".pipeline/forge/origin.git"
    user.git("init", "--quiet", "--bare", "--template=", str(origin))
    git(origin, "config", "core.alternateRefsCommand", f"touch {ran}")
    hook = origin / "hooks" / "pre-receive"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)

    with pytest.raises(Fault) as fault:
        FORGE.open(change(user))

    assert str(fault.value) == (
        ".pipeline/forge/origin.git contains files or settings that the local forge did not create"
        ": "
        '"core.alternaterefscommand", "hooks/pre-receive"; remove that folder '
        "(the forge creates it again)"
    )
    assert not ran.exists()


@pytest.mark.parametrize("name", [".pipeline/forge", ".pipeline/forge/pulls"])
def test_a_folder_that_is_a_link_is_not_written_to(
    user: UserRepository, tmp_path: Path, name: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (user.folder / name).parent.mkdir(parents=True, exist_ok=True)
    (user.folder / name).symlink_to(elsewhere)

    with pytest.raises(Fault, match="is a link or is reached through one: remove the link"):
        FORGE.check(user.repository)

    assert list(elsewhere.iterdir()) == []


def test_a_pipe_in_the_place_of_the_page_is_not_waited_for(user: UserRepository) -> None:
    FORGE.open(change(user))
    (user.folder / PAGE).unlink()
    os.mkfifo(user.folder / PAGE)

    assert FORGE.open(change(user)) == PullRequest(page=PAGE, reused=True)
    assert (user.folder / PAGE).read_text().startswith("# feat: add a health endpoint\n")
