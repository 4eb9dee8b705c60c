"""Which repository an address names, with which token, and what GitHub's answers mean."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.forges.api import ApiAnswer, minutes_to_wait
from pipeline.forges.base import Change
from pipeline.forges.github import refusal, url_for
from pipeline.forges.github_access import HostedRepository, access_of, place_of
from pipeline.git import Repository, without_credentials
from pipeline.terminal.fault import Fault

HELLO = HostedRepository(host="github.com", owner="octo", name="hello")


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/octo/hello.git/",
        "HTTPS://GitHub.com/octo/hello",
        "https://www.github.com/octo/hello",
        "https://user:secret@github.com/octo/hello.git",
        "git@github.com:/octo/hello.git",
        "github.com:octo/hello",
        "ssh://git@github.com/octo/hello.git",
        "ssh://git@ssh.github.com:443/octo/hello.git",
        "git://github.com/octo/hello.git",
    ],
)
def test_a_remote_names_its_repository_in_each_of_gits_spellings(url: str) -> None:
    assert place_of(url) == HELLO


@pytest.mark.parametrize(
    ("url", "place"),
    [
        (
            "https://ghes.corp.example:8443/Team-1/the.repo.git",
            HostedRepository(host="ghes.corp.example:8443", owner="Team-1", name="the.repo"),
        ),
        (
            "ssh://git@ghes.corp.example:2222/a/b.git",
            HostedRepository(host="ghes.corp.example", owner="a", name="b"),
        ),
        ("git@work:a_corp/.github", HostedRepository(host="work", owner="a_corp", name=".github")),
    ],
)
def test_an_enterprise_server_keeps_its_web_port_and_loses_that_of_ssh(
    url: str, place: HostedRepository
) -> None:
    assert place_of(url) == place


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/srv/git/hello.git",
        "file:///srv/git/hello.git",
        r"C:\work\hello",
        "https://github.com/octo",
        "https://github.com/octo/a%2fb",
        "https://github.com/octo/hello?token=secret",
        "https://github.com:port/octo/hello",
        "https://[github.com/octo/hello",
    ],
)
def test_what_names_no_repository_on_a_host_is_none(url: str) -> None:
    assert place_of(url) is None


def test_credentials_are_taken_out_of_what_a_program_has_printed() -> None:
    said = "fatal: https://me:se@cret@host/a and ssh://git@host/b; mail me@example.org"

    assert (
        without_credentials(said) == "fatal: https://host/a and ssh://host/b; mail me@example.org"
    )


HELLO_URL = "https://github.com/octo/hello.git"
GHES = "git@ghes.corp:octo/hello.git"
PATH = "/srv/git/hello.git"


def settled(fetched: str, variables: dict[str, str], pushed: str = "") -> tuple[str, str, str, str]:
    """Return the repository with its host, the head's owner, the API and the token."""
    access = access_of(variables, fetched, pushed or fetched)
    return f"{access.place.host}/{access.place}", access.head, access.api, access.token


def fault_of(fetched: str, variables: dict[str, str]) -> str:
    with pytest.raises(Fault) as caught:
        access_of(variables, fetched, fetched)
    assert caught.value.code == 2
    return str(caught.value)


@pytest.mark.parametrize(
    ("fetched", "variables", "token"),
    [
        (HELLO_URL, {"GH_TOKEN": "t1", "GITHUB_TOKEN": "t2"}, "t1"),
        (HELLO_URL, {"GH_TOKEN": "  ", "GITHUB_TOKEN": " t2\n"}, "t2"),
        (HELLO_URL, {"GITHUB_TOKEN": "t2", "GH_ENTERPRISE_TOKEN": "e1"}, "t2"),
        ("https://acme.ghe.com/o/r", {"GH_TOKEN": "t1", "GH_ENTERPRISE_TOKEN": "e1"}, "t1"),
        (GHES, {"GH_TOKEN": "t1", "GH_ENTERPRISE_TOKEN": "e1", "GH_HOST": "ghes.corp"}, "e1"),
        (GHES, {"GITHUB_ENTERPRISE_TOKEN": "e2", "GH_HOST": "GHES.corp"}, "e2"),
        (GHES, {"GITHUB_ENTERPRISE_TOKEN": "e2", "GITHUB_SERVER_URL": "https://ghes.corp"}, "e2"),
    ],
)
def test_the_token_is_the_one_that_gh_would_take(
    fetched: str, variables: dict[str, str], token: str
) -> None:
    assert settled(fetched, variables)[3] == token


def test_gh_repo_replaces_a_remote_that_is_no_web_address() -> None:
    fork, named = "git@github.com:me/hello.git", {"GH_REPO": "octo/hello", "GITHUB_TOKEN": "t"}
    place, api = "github.com/octo/hello", "https://api.github.com"

    assert settled(PATH, named) == (place, "octo", api, "t")
    assert settled(fork, named) == (place, "me", api, "t")
    with_host = {"GH_REPO": "GHES.corp/octo/hello", "GH_ENTERPRISE_TOKEN": "e"}
    assert settled(PATH, with_host)[0] == "ghes.corp/octo/hello"


def test_gh_host_says_what_a_name_of_the_ssh_configuration_or_a_port_means() -> None:
    variables = {"GH_HOST": "github.com", "GH_TOKEN": "t"}
    with_port = {"GH_HOST": "ghes.corp:8443", "GH_ENTERPRISE_TOKEN": "e"}

    assert settled("git@work:octo/hello.git", variables)[0] == "github.com/octo/hello"
    assert settled(HELLO_URL, variables, "git@work:me/hello.git")[1] == "me"
    assert settled(GHES, with_port)[0] == "ghes.corp:8443/octo/hello"
    assert settled(GHES, with_port)[2] == "https://ghes.corp:8443/api/v3"


@pytest.mark.parametrize(
    ("remote", "variables", "api"),
    [
        (HELLO_URL, {}, "https://api.github.com"),
        ("https://acme.ghe.com/o/r", {}, "https://api.acme.ghe.com"),
        (GHES, {"GH_HOST": "ghes.corp"}, "https://ghes.corp/api/v3"),
        ("https://evil-ghe.com/o/r", {"GH_HOST": "evil-ghe.com"}, "https://evil-ghe.com/api/v3"),
        (HELLO_URL, {"GITHUB_API_URL": "http://127.0.0.1:8080/"}, "http://127.0.0.1:8080"),
        (HELLO_URL, {"GITHUB_API_URL": "http://[::1]:8080"}, "http://[::1]:8080"),
        *(
            (HELLO_URL, {"GITHUB_API_URL": url}, "https://api.github.com")
            for url in (
                *(
                    "https://ghes.corp/api/v3",
                    "http://127.0.0.1.example.org",
                    "https://evil.example",
                ),
                *("https://me:secret@api.github.com", "https://api.github.com?x=1"),
                *("http://api.github.com", "https://me:secret@evil.example", "https://[::1"),
            )
        ),
    ],
)
def test_the_api_is_where_github_documents_it_or_where_the_variable_says_for_this_server(
    remote: str, variables: dict[str, str], api: str
) -> None:
    tokens = {"GH_TOKEN": "t", "GH_ENTERPRISE_TOKEN": "e"}

    assert settled(remote, {**tokens, **variables})[2] == api


@pytest.mark.parametrize(
    ("fetched", "variables", "words"),
    [
        (HELLO_URL, {}, "no token for github.com: set GH_TOKEN"),
        (GHES, {"GH_HOST": "ghes.corp", "GH_TOKEN": "t"}, "set GH_ENTERPRISE_TOKEN"),
        (GHES, {"GH_HOST": "other.corp"}, "otherwise, unset GH_HOST or choose another remote"),
        (GHES, {}, "otherwise, choose another remote or forge"),
        (PATH, {"GH_TOKEN": "t"}, "does not name a repository on a host: expected https://HOST/"),
        (
            "https://me:se@cret@host/one",
            {},
            'the remote\'s URL "host/one" does not name a repository',
        ),
        ("https://host/a?token=secret", {}, '"https://host/a" does not name'),
        ("https://me:secret@ghes.corp/o/r", {}, "ghes.corp"),
        (HELLO_URL, {"GH_REPO": "https://me:secret@github.com/o"}, 'GH_REPO "github.com/o" does'),
        (PATH, {"GH_REPO": "hello"}, 'GH_REPO "hello" does not name a repository on a host'),
        (PATH, {"GH_REPO": "octo/."}, "on a host: expected GH_REPO=[HOST/]OWNER/REPO"),
        (PATH, {}, "or set GH_REPO=[HOST/]OWNER/REPO"),
    ],
)
def test_what_is_missing_or_contradicts_is_reported_without_a_secret_before_anything_is_sent(
    fetched: str, variables: dict[str, str], words: str
) -> None:
    message = fault_of(fetched, variables)

    assert words in message
    assert "secret" not in message


@pytest.mark.parametrize("token", ["ghp_secret\nX-Evil: 1", "ghp_secrét"])
def test_a_token_that_cannot_be_in_a_header_is_refused_and_not_shown(token: str) -> None:
    message = fault_of(HELLO_URL, {"GH_TOKEN": token})

    assert message == "github: GH_TOKEN is not a token: it has characters that tokens never have"


def test_the_representation_of_an_access_holds_no_token() -> None:
    access = access_of({"GH_TOKEN": "secret"}, HELLO_URL, HELLO_URL)

    assert access.token == "secret"  # noqa: S105  # nobody's
    assert "secret" not in repr(access)


NOW = 1_767_323_045.0  # 2026-01-02 03:04:05 UTC
ACCESS = access_of({"GH_TOKEN": "t"}, "git@github.com:octo/hello", "git@github.com:octo/hello")
CHANGE = Change(
    repository=Repository("/nowhere"),
    issue="ISSUE-7",
    branch="feature/x",
    base="main",
    base_ref="refs/heads/main",
    sha="0" * 40,
    title="feat: x",
    body="",
)


def answer(status: int, body: Any = None, **headers: str) -> ApiAnswer:
    """Return an answer; underscores in names of headers stand for hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return ApiAnswer(status=status, headers=named, body=body)


@pytest.mark.parametrize(
    ("given", "minutes"),
    [
        (answer(403, retry_after="61"), 2),
        (answer(403, retry_after="0"), 1),
        (answer(429), 1),
        (answer(429, retry_after="soon"), 1),
        (answer(403, x_ratelimit_remaining="0", x_ratelimit_reset="1767323225"), 3),
        (answer(403, x_ratelimit_remaining="0", x_ratelimit_reset="1"), 1),
        (answer(403, {"message": "You have exceeded a secondary rate limit."}), 1),
        (answer(403, x_ratelimit_remaining="12", x_ratelimit_reset="1767323055"), 0),
        (answer(403, {"message": "Must have admin rights"}), 0),
        (answer(200), 0),
    ],
)
def test_a_limit_is_distinguished_from_a_refusal_and_says_how_long(
    given: ApiAnswer, minutes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time", lambda: NOW)

    assert minutes_to_wait(given) == minutes


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            {"message": "No", "errors": ["is odd", {"field": "base", "code": "x"}]},
            "No; is odd; base",
        ),
        ({"errors": {"message": "A pull request already exists"}}, ""),
        ({"errors": [None, 1, {"message": None}]}, ""),
        ([], ""),
    ],
)
def test_the_message_of_an_error_is_that_of_all_its_parts(body: Any, message: str) -> None:
    assert answer(422, body).message == message


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (
            answer(403, {"message": "Resource not accessible by personal access token"}),
            (
                'answered 403 "Resource not accessible by personal access token": the token in '
                "GH_TOKEN needs write access to the contents and pull requests of octo/hello "
                "(a classic token: the repo scope)"
            ),
        ),
        (
            answer(429, retry_after="3541"),
            "answered 429: its rate limit is reached; try again in 60 min",
        ),
        (
            answer(404, {"message": "Not Found"}),
            (
                'answered 404 "Not Found": check that octo/hello is correct, and '
                "that the token in GH_TOKEN has access to it"
            ),
        ),
        (
            answer(422, {"message": "Validation Failed", "errors": [{"field": "base"}]}),
            (
                'answered 422 "Validation Failed; base": check that the base is a branch '
                "of octo/hello, the remote is octo/hello or a fork of it, and the branch has "
                "commits of its own"
            ),
        ),
        (answer(500), "answered 500: run the same command again later"),
    ],
)
def test_each_refusal_says_in_one_line_what_to_do(given: ApiAnswer, line: str) -> None:
    assert str(refusal(given, ACCESS)) == f"github: https://api.github.com {line}"


def test_what_github_says_is_shown_short_and_cannot_drive_a_terminal() -> None:
    line = str(refusal(answer(400, {"message": "\x1b[2J\n" + "x" * 9_999}), ACCESS))

    assert line.isprintable()
    assert len(line) < 500


URL = "https://github.com/octo/hello/pull/1"
PULL = {"head": {"label": "octo:feature/x"}, "base": {"ref": "main"}, "html_url": URL}


@pytest.mark.parametrize(
    ("pull", "url"),
    [
        (PULL, URL),
        ({**PULL, "html_url": "http://127.0.0.1:80/pull/1"}, "http://127.0.0.1:80/pull/1"),
        *(
            ({**PULL, "html_url": url}, "")
            for url in (
                *("javascript:alert(1)", "https://me:secret@github.com/octo/hello/pull/1"),
                *("https://github.com/a\n", 1),
            )
        ),
        ({**PULL, "head": {"label": "Octo:feature/x"}}, URL),
        ({**PULL, "head": {"label": "else:feature/x"}}, ""),
        ({**PULL, "head": None}, ""),
        ({**PULL, "base": {"ref": "next"}}, ""),
        ("octo:feature/x", ""),
        (None, ""),
    ],
)
def test_only_a_web_address_of_a_pull_request_of_the_same_branches_is_taken(
    *, pull: Any, url: str
) -> None:
    assert url_for(pull, CHANGE, "octo") == url
