"""Branches, commit hashes, Conventional Commits 1.0.0 messages and addresses, by their form."""

from __future__ import annotations

import json

import pytest

from pipeline.schema import KINDS
from pipeline.validation import validate

RESULT = {
    "branch": "feature/issue-7-health",
    "commit_sha": "0123abc",
    "commit_message": "feat: add a health endpoint",
}


def errors(field: str, value: str) -> list[tuple[str, str, str]]:
    found = validate(json.dumps({**RESULT, field: value}).encode(), KINDS["git-result"])
    return [(p.rule, p.message, p.expected) for p in found.problems]


@pytest.mark.spec("2.4.2")
@pytest.mark.parametrize(
    "branch",
    ["feature/a", "feature/7", "feature/issue-7-health", "feature/ISSUE-7_add_Tags", "feature/A1"],
)
def test_a_feature_branch_with_a_slug_is_accepted(branch: str) -> None:
    assert errors("branch", branch) == []


@pytest.mark.spec("2.4.2")
@pytest.mark.parametrize(
    "branch",
    [
        "",
        "main",
        "feature",
        "feature/",
        "Feature/a",
        "feature/-a",
        "feature/a-",
        "feature/a--b",
        "feature/a_-b",
        "feature/a/b",
        "feature/a.b",
        "feature/a b",
        "feature/é",
        "feature/a\n",
        " feature/a",
        "x/feature/a",
        "feature\\a",
    ],
)
def test_any_other_branch_is_refused(branch: str) -> None:
    expected = "feature/<slug>, such as feature/issue-7-health"

    assert errors("branch", branch) == [("branch", "wrong form", expected)]


@pytest.mark.spec("2.4.5")
@pytest.mark.parametrize(
    "sha", ["0123abc", "0123ABC", "01234567", "a" * 39, "a" * 40, "F" * 64, "0" * 64]
)
def test_a_hash_of_7_to_40_or_64_hexadecimal_digits_is_accepted(sha: str) -> None:
    assert errors("commit_sha", sha) == []


@pytest.mark.spec("2.4.5")
@pytest.mark.parametrize(
    "sha",
    [
        "",
        "a" * 6,
        "a" * 41,
        "a" * 63,
        "a" * 65,
        "a" * 128,
        "0123abg",
        "0x123abc",
        "0123 abc",
        "0123abc\n",
        " 0123abc",
        "\uff10123abc",
        "HEAD",
    ],
)
def test_any_other_hash_is_refused(sha: str) -> None:
    expected = "a commit hash of 7 to 40 (or 64) hexadecimal digits"

    assert errors("commit_sha", sha) == [("commit-sha", "wrong form", expected)]


@pytest.mark.spec("2.4.7")
@pytest.mark.parametrize(
    "message",
    [
        "feat: add a health endpoint",
        "FEAT: x",
        "feat(api): x",
        "feat(api, docs): x",
        "feat(日本): x",
        "feat!: x",
        "feat(api)!: x",
        "build-deps: x",
        "my_type2: x",
        "feat: x: y (z)!",
        "feat: 任务",
        "feat: x\n",
        "feat: x\r\n",
        "feat: x\n\n",
        "feat: x\n\nA body.\nOf two lines.",
        "feat: x\r\n\r\nA body.\r\n",
        "feat: x\n\nBody\n\nReviewed-by: Z\nRefs: #123\n",
        "feat: x\n\nBREAKING CHANGE: y",
        "feat: x\u2028y",
    ],
)
def test_a_conventional_commit_is_accepted(message: str) -> None:
    assert errors("commit_message", message) == []


@pytest.mark.spec("2.4.7")
@pytest.mark.parametrize(
    "message",
    [
        "",
        "add a health endpoint",
        "feat",
        "feat:",
        "feat: ",
        "feat:x",
        "feat:  x",
        "feat:\tx",
        "feat: \u200bx",
        "feat : x",
        " feat: x",
        "\nfeat: x",
        ": x",
        "!: x",
        "feat(): x",
        "feat(a: x",
        "feat a): x",
        "feat((a)): x",
        "feat(a)(b): x",
        "feat(a\nb): x",
        "feat!!: x",
        "feat!(a): x",
        "1feat: x",
        "fé: x",
        "feat: x\nbody without a blank line",
        "feat: x\r\nbody",
        "feat: x\rbody",
        "feat: x\n body",
        "feat\n: x",
    ],
)
def test_any_other_commit_message_is_refused(message: str) -> None:
    expected = (
        "<type>: <description>, such as feat: add a health endpoint; an empty line before a body"
    )

    assert errors("commit_message", message) == [("commit-message", "wrong form", expected)]


@pytest.mark.spec("2.4.8")
@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/o/r/pull/7",
        "http://example.org",
        "HTTPS://EXAMPLE.ORG/",
        "https://localhost:8080/a?b=c#d",
        "http://[::1]/pull/1",
        "http://[2001:db8::7]:8080/pull/1",
        "https://example.org/pulls?label[]=a&label[b]=c#top",
        "https://user@example.org:8443/o/r/pull/7%20a",
        "http://127.0.0.1/",
        "https://example.org/é",
    ],
)
def test_an_absolute_http_address_is_accepted(url: str) -> None:
    assert errors("pr_url", url) == []


@pytest.mark.spec("2.4.8")
@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org/pull/7",
        "//example.org/pull/7",
        "/pull/7",
        "ftp://example.org",
        "javascript:alert(1)",
        "https:/example.org",
        "https://",
        "https:///pull/7",
        "https://?a",
        "https://example.org/a b",
        "https://example.org\n",
        "https://example.org/\u200b",
        " https://example.org",
        "xhttps://example.org",
        *(f"https://example.org/a{sign}b" for sign in '<>"{}|\\^`[]'),
        *(f"https://exam{sign}ple.org/" for sign in '<>"{}|\\^`[]'),
        "https://forge.example/<org>/<repo>/pull/1",
        "https://{host}/pull/7",
        "https://[host]/pull/7",
        "https://[::1/pull/7",
        "https://[]/pull/7",
        "https://[::1]x/pull/7",
        "https://example.org/a[b[c]]",
        "https://example.org/a]b[c",
    ],
)
def test_any_other_address_is_refused(url: str) -> None:
    assert errors("pr_url", url) == [
        ("pr-url", "wrong form", "an absolute http or https address"),
    ]
