"""Where requests go and which token they carry; a token never goes to another host."""

from __future__ import annotations

import pytest

from pipeline.forges.base import ForgeFault
from pipeline.forges.github_access import access_of

HELLO = "https://github.com/octo/hello.git"
GHES = "git@ghes.corp:octo/hello.git"
PATH = "/srv/git/hello.git"


def settled(fetched: str, variables: dict[str, str], pushed: str = "") -> tuple[str, str, str, str]:
    """Return the repository with its host, the head's owner, the API and the token."""
    access = access_of(variables, fetched, pushed or fetched)
    return f"{access.place.host}/{access.place}", access.head, access.api, access.token


def fault_of(fetched: str, variables: dict[str, str]) -> str:
    with pytest.raises(ForgeFault) as caught:
        access_of(variables, fetched, fetched)
    assert caught.value.usage
    return str(caught.value)


def test_a_remote_at_github_and_a_token_are_enough() -> None:
    assert settled(HELLO, {"GH_TOKEN": "t1"}) == (
        "github.com/octo/hello",
        "octo",
        "https://api.github.com",
        "t1",
    )


@pytest.mark.parametrize(
    ("fetched", "variables", "token"),
    [
        (HELLO, {"GH_TOKEN": "t1", "GITHUB_TOKEN": "t2"}, "t1"),
        (HELLO, {"GH_TOKEN": "  ", "GITHUB_TOKEN": " t2\n"}, "t2"),
        (HELLO, {"GITHUB_TOKEN": "t2", "GH_ENTERPRISE_TOKEN": "e1"}, "t2"),
        ("https://acme.ghe.com/o/r", {"GH_TOKEN": "t1", "GH_ENTERPRISE_TOKEN": "e1"}, "t1"),
        (GHES, {"GH_TOKEN": "t1", "GH_ENTERPRISE_TOKEN": "e1", "GH_HOST": "ghes.corp"}, "e1"),
        (GHES, {"GITHUB_ENTERPRISE_TOKEN": "e2", "GH_HOST": "GHES.corp"}, "e2"),
        (
            GHES,
            {"GITHUB_ENTERPRISE_TOKEN": "e2", "GITHUB_SERVER_URL": "https://ghes.corp"},
            "e2",
        ),
    ],
)
def test_the_token_is_the_one_that_gh_would_take(
    fetched: str, variables: dict[str, str], token: str
) -> None:
    assert settled(fetched, variables)[3] == token


def test_gh_repo_stands_in_for_a_remote_that_is_no_web_address() -> None:
    assert settled(PATH, {"GH_REPO": "octo/hello", "GITHUB_TOKEN": "t"}) == (
        "github.com/octo/hello",
        "octo",
        "https://api.github.com",
        "t",
    )


def test_a_fork_that_is_pushed_to_gives_the_head_its_owner() -> None:
    fork = "git@github.com:me/hello.git"

    named = {"GH_REPO": "octo/hello", "GH_TOKEN": "t"}

    assert settled(HELLO, {"GH_TOKEN": "t"}, fork)[:2] == ("github.com/octo/hello", "me")
    assert settled(fork, named)[:2] == ("github.com/octo/hello", "me")


def test_gh_host_says_what_a_name_of_the_ssh_configuration_stands_for() -> None:
    variables = {"GH_HOST": "github.com", "GH_TOKEN": "t"}

    assert settled("git@work:octo/hello.git", variables)[0] == "github.com/octo/hello"
    assert settled(HELLO, variables, "git@work:me/hello.git")[1] == "me"


def test_gh_host_tells_the_web_port_that_a_remote_over_ssh_does_not_know() -> None:
    variables = {"GH_HOST": "ghes.corp:8443", "GH_ENTERPRISE_TOKEN": "e"}

    assert settled(GHES, variables)[:3] == (
        "ghes.corp:8443/octo/hello",
        "octo",
        "https://ghes.corp:8443/api/v3",
    )


@pytest.mark.parametrize(
    ("variables", "api"),
    [
        ({"GITHUB_API_URL": "http://127.0.0.1:8080/"}, "http://127.0.0.1:8080"),
        ({"GITHUB_API_URL": "http://[::1]:8080"}, "http://[::1]:8080"),
        ({"GITHUB_API_URL": "http://localhost:1"}, "http://localhost:1"),
        ({"GITHUB_API_URL": "https://api.github.com"}, "https://api.github.com"),
        (
            {
                "GITHUB_API_URL": "https://ghes.corp/api/v3",
                "GITHUB_SERVER_URL": "https://ghes.corp",
            },
            "https://api.github.com",
        ),
    ],
)
def test_github_api_url_counts_where_it_is_of_the_repositorys_server(
    variables: dict[str, str], api: str
) -> None:
    assert settled(HELLO, {"GH_TOKEN": "t", **variables})[2] == api


@pytest.mark.parametrize(
    ("fetched", "variables", "words"),
    [
        (HELLO, {}, "no token for github.com: set GH_TOKEN"),
        (HELLO, {"GH_ENTERPRISE_TOKEN": "e"}, "no token for github.com: set GH_TOKEN"),
        (GHES, {"GH_HOST": "ghes.corp", "GH_TOKEN": "t"}, "set GH_ENTERPRISE_TOKEN"),
        ("https://gitlab.com/o/r", {"GH_ENTERPRISE_TOKEN": "e"}, "set GH_HOST=gitlab.com if"),
        (GHES, {"GH_HOST": "other.corp"}, "unset GH_HOST"),
        (PATH, {"GH_TOKEN": "t"}, "names no repository on a host: expected https://HOST/"),
        (PATH, {"GH_REPO": "hello"}, 'GH_REPO is "hello": expected [HOST/]OWNER/REPO'),
        (HELLO, {"GITHUB_API_URL": "http://api.github.com"}, "expected https://HOST"),
        (HELLO, {"GITHUB_API_URL": "http://127.0.0.1.example.org"}, "expected https://HOST"),
        (HELLO, {"GITHUB_API_URL": "https://a:b@api.github.com"}, "expected https://HOST"),
        (HELLO, {"GITHUB_API_URL": "https://api.github.com?x=1"}, "expected https://HOST"),
        (HELLO, {"GITHUB_API_URL": "api.github.com"}, "expected https://HOST"),
        (HELLO, {"GITHUB_API_URL": "https://evil.example"}, "is not sent to the other"),
    ],
)
def test_what_is_missing_or_contradicts_is_told_before_anything_is_sent(
    fetched: str, variables: dict[str, str], words: str
) -> None:
    assert words in fault_of(fetched, variables)


@pytest.mark.parametrize("token", ["ghp_secret\nX-Evil: 1", "ghp_secrét", "ghp secret"])
def test_a_token_that_cannot_stand_in_a_header_is_refused_and_not_shown(token: str) -> None:
    message = fault_of(HELLO, {"GH_TOKEN": token})

    assert message == "github: GH_TOKEN holds no token: there are characters in it that none has"


@pytest.mark.parametrize(
    ("fetched", "variables"),
    [
        ("https://me:secret@host/only-one", {}),
        ("https://me:secret@ghes.corp/o/r", {}),
        (HELLO, {"GITHUB_API_URL": "https://me:secret@evil.example"}),
        (HELLO, {"GH_REPO": "https://me:secret@github.com/o"}),
    ],
)
def test_no_message_shows_what_stands_before_a_host(
    fetched: str, variables: dict[str, str]
) -> None:
    assert "secret" not in fault_of(fetched, variables)


def test_the_representation_of_an_access_holds_no_token() -> None:
    access = access_of({"GH_TOKEN": "secret"}, HELLO, HELLO)

    assert access.token == "secret"  # noqa: S105  # nobody's
    assert "secret" not in repr(access)
