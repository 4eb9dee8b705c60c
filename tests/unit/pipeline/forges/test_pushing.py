"""Pushes to real repositories whose hooks answer as GitLab and Gitea do open requests."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pipeline.forges.base import PullRequest, option, request_in
from pipeline.forges.gitea import Gitea
from pipeline.forges.gitlab import GitLab, described
from pipeline.terminal.fault import Fault
from pipeline.terminal.markdown import code_span, plain, quotation
from tests.stubs import agit_server
from tests.stubs.repositories import UserRepository, git, remote_for, write_hook
from tests.unit.pipeline.forges.conftest import BRANCH, change

if TYPE_CHECKING:
    from pipeline.git import Repository

GITLAB, GITEA = GitLab("origin"), Gitea("origin")
ADDRESS = "https://gitlab.example/team/notes/-/merge_requests/7"
# Records the options, shows the request's head as GitLab does, prints the lines of its hook.
HOOK = f"""
count=${{GIT_PUSH_OPTION_COUNT:-0}}
i=0
while [ $i -lt $count ]; do
  eval "printf '%s\\n' \\"\\$GIT_PUSH_OPTION_$i\\"" >> push-options
  i=$((i + 1))
done
read old new name
git update-ref refs/merge-requests/7/head $new
echo
echo "View merge request for ${{name#refs/heads/}}:"
echo "  {ADDRESS}"
echo
"""


@pytest.fixture
def gitlab(user: UserRepository, tmp_path: Path) -> Path:
    """Return the bare repository of a GitLab, the user's `origin`."""
    remote = remote_for(user, tmp_path / "origin.git")
    write_hook(remote, "post-receive", HOOK)
    return remote


@pytest.fixture
def gitea(user: UserRepository, tmp_path: Path) -> Path:
    """Return the bare repository of a Gitea, the user's `origin`."""
    remote = remote_for(user, tmp_path / "origin.git")
    git(remote, "config", "receive.procReceiveRefs", "refs/for")
    write_hook(remote, "proc-receive", f"exec {sys.executable} {Path(agit_server.__file__)}\n")
    return remote


def options_taken(remote: Path) -> list[str]:
    return (remote / "push-options").read_text().splitlines()


def over_http(user: UserRepository, address: str) -> Repository:
    """Return the user's repository as if its remote were a web address."""
    there = user.repository

    class OverHttp(type(there)):  # type: ignore[misc]  # the same but for one answer
        def attempt(self, *words: str, **rest: object) -> object:
            done = super().attempt(*words, **rest)
            if words[:2] == ("remote", "get-url"):
                done.stdout = f"{address}\n"
            return done

    made: Repository = OverHttp(there.root)
    return made


def test_gitlab_opens_a_merge_request_whose_address_is_read(
    user: UserRepository, gitlab: Path
) -> None:
    opened = GITLAB.open(change(user))

    assert opened == PullRequest(url=ADDRESS)
    assert options_taken(gitlab) == [
        "merge_request.create",
        "merge_request.target=main",
        "merge_request.title=feat: add a health endpoint",
        "merge_request.description=It says whether\\n\\nthe service is up.",
    ]
    assert git(gitlab, "rev-parse", BRANCH) == user.git("rev-parse", BRANCH)


def test_gitea_opens_a_pull_request_whose_address_is_read(
    user: UserRepository, gitea: Path
) -> None:
    opened = GITEA.open(change(user))

    assert opened == PullRequest(url="https://gitea.example/ana/notes/pulls/1")
    assert options_taken(gitea) == [
        f"topic={BRANCH}",
        "title=feat: add a health endpoint",
        "description=It says whether the service is up.",
    ]
    assert git(gitea, "for-each-ref", "--format=%(refname)").split() == [
        "refs/heads/main",
        "refs/pull/1/head",
    ]


def test_a_draft_and_its_labels_are_options_of_the_push_and_artifacts_follow_the_text(
    user: UserRepository, gitlab: Path
) -> None:
    more: dict[str, Any] = {"draft": True, "labels": ["a", "b c\nd"], "artifacts": "<details>"}
    GITLAB.open(change(user, **more))

    assert options_taken(gitlab)[3:] == [
        "merge_request.description=It says whether\\n\\nthe service is up.\\n\\n<details>",
        "merge_request.draft",
        "merge_request.label=a",
        "merge_request.label=b c d",
    ]


def test_a_draft_of_gitea_says_so_in_its_title(user: UserRepository, gitea: Path) -> None:
    GITEA.open(change(user, draft=True))

    assert options_taken(gitea)[1] == "title=WIP: feat: add a health endpoint"


@pytest.mark.usefixtures("gitlab")
def test_a_push_of_nothing_new_to_gitlab_has_an_address_where_the_remote_has_one(
    user: UserRepository,
) -> None:
    GITLAB.open(change(user))
    web = over_http(user, "https://gitlab.example/team/notes.git")

    assert GITLAB.open(change(user)) == PullRequest(reused=True)
    assert GITLAB.open(change(user, repository=web)) == PullRequest(url=ADDRESS, reused=True)


def test_the_same_commit_again_in_gitea_is_the_same_pull_request_and_a_new_one_moves_it(
    user: UserRepository, gitea: Path
) -> None:
    GITEA.open(change(user))
    web = over_http(user, "https://ana:secret@gitea.example:3000/ana/notes.git")
    url = "https://gitea.example:3000/ana/notes/pulls/1"

    assert GITEA.open(change(user)) == PullRequest(reused=True)
    assert GITEA.open(change(user, repository=web)) == PullRequest(url=url, reused=True)
    tip = user.commit("fix: more")
    assert GITEA.open(change(user)).url == "https://gitea.example/ana/notes/pulls/1"
    assert git(gitea, "rev-parse", "refs/pull/1/head") == tip


def test_what_a_hook_of_the_users_prints_and_an_invitation_are_no_addresses(
    user: UserRepository, gitlab: Path
) -> None:
    invitation = "echo '  https://gitlab.example/t/n/-/merge_requests/new?merge_request=1'\n"
    write_hook(gitlab, "post-receive", invitation)
    user.hook("pre-push", f"echo {ADDRESS}8 >&2\n")

    assert GITLAB.open(change(user)) == PullRequest()


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("a\nb\r\nc", "a\\nb\\nc"),
        ("say\n/merge\n  /close", "say\\n&#47;merge\\n  &#47;close"),
        ("/approve", "&#47;approve"),
        ("x \\n/merge", "x &#92;n/merge"),
        ("", ""),
    ],
)
def test_a_body_for_gitlab_is_one_line_that_commands_nothing(body: str, line: str) -> None:
    assert described(body) == line


def test_a_title_is_one_line_and_no_longer_than_gitlabs_field(
    user: UserRepository, gitlab: Path
) -> None:
    GITLAB.open(change(user, title="a\n" * 300, body=""))

    assert options_taken(gitlab)[2:] == ["merge_request.title=" + " ".join("a" * 128)]


def test_a_missing_remote_is_said_before_any_work(user: UserRepository, gitlab: Path) -> None:
    with pytest.raises(Fault) as refused:
        Gitea("upstream").check(user.repository)

    assert refused.value.code == 2
    assert str(refused.value) == (
        'there is no remote "upstream": add it (git remote add upstream URL), '
        "or choose another (--remote)"
    )
    assert gitlab.exists()
    GITLAB.check(user.repository)


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (GITEA, "(the remote is not Gitea or Forgejo, or does not support AGit)"),
        (GITLAB, "(the remote is not GitLab, or its administrator has turned off push options)"),
    ],
)
def test_a_remote_that_takes_no_options_is_said(
    user: UserRepository, gitlab: Path, forge: Gitea | GitLab, said: str
) -> None:
    git(gitlab, "config", "receive.advertisePushOptions", "false")

    with pytest.raises(Fault) as refused:
        forge.open(change(user))

    assert str(refused.value).endswith(said)


def test_a_refused_push_is_quoted_and_nothing_is_forced(user: UserRepository, gitlab: Path) -> None:
    GITLAB.open(change(user))
    user.git("commit", "--quiet", "--amend", "-m", "feat: another")

    with pytest.raises(Fault) as refused:
        GITLAB.open(change(user))

    assert "non-fast-forward" in str(refused.value) or "fetch first" in str(refused.value)
    assert git(gitlab, "rev-parse", BRANCH) != user.git("rev-parse", BRANCH)


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ("remote:   https://f.example/a/pulls/5        \n", "https://f.example/a/pulls/5"),
        ("remote: http://localhost:3000/a/pulls/5 merges into main", "http://localhost:3000/a/pulls/5"),
        ("remote: https://f.example/a/pulls/5\nremote: https://f.example/a/pulls/6", "https://f.example/a/pulls/6"),
        ("https://f.example/a/pulls/5", ""),
        ("remote: https://f.example/a/pulls/new?x=5", ""),
        ("remote: https://f.example/a/pulls/5/files", ""),
        ("remote: https://f.example/a/issues/5", ""),
        ("remote: ftp://f.example/a/pulls/5", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_the_address_is_the_last_that_the_remote_printed(said: str, address: str) -> None:
    assert request_in(said, "pulls") == address


def test_an_option_is_one_visible_line() -> None:
    assert option("title", " a\n\tb\r\nc \x00") == "title=a b c \\u{0}"
    assert len(option("x", "y" * 100_000)) == 20_000


MARKS = st.text(alphabet="\\`*_{}[]()<>#+-.!|~&;:/=\"' \t\r\n\x0b\x85\u2028abx1", max_size=60)
END = "\n\nEnd\n"


def blocks(text: str) -> list[str]:
    """Return the kinds of the blocks on the outermost level, closing ones left out."""
    tokens = MarkdownIt("commonmark").parse(text)
    return [t.type for t in tokens if t.level == 0 and t.nesting >= 0]


def has_html(text: str) -> bool:
    tokens = MarkdownIt("commonmark").parse(text)
    inline = [child.type for token in tokens for child in token.children or ()]
    return "html_inline" in inline or any(token.type == "html_block" for token in tokens)


@settings(deadline=None)
@given(MARKS)
def test_a_plain_text_is_one_paragraph_of_text_alone(text: str) -> None:
    shown = f"Text: {plain(text)}{END}"

    inline = MarkdownIt("commonmark").parse(shown)[1].children or []
    assert blocks(shown) == ["paragraph_open", "paragraph_open"]
    assert {child.type for child in inline} <= {"text", "text_special"}


@settings(deadline=None)
@given(MARKS)
def test_nothing_ends_a_quotation(text: str) -> None:
    shown = f"{quotation(text)}{END}"

    assert blocks(shown) == ["blockquote_open", "paragraph_open"]
    assert not has_html(shown)


@settings(deadline=None)
@given(MARKS)
def test_a_code_span_is_one_code_span(text: str) -> None:
    inline = MarkdownIt("commonmark").parse(f"x {code_span(text)} y\n")[1].children or []

    assert [child.type for child in inline] == ["text", "code_inline", "text"]
