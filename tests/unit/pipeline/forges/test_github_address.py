"""Which repository an address names, however it is spelt."""

from __future__ import annotations

import pytest

from pipeline.forges.github_address import (
    Place,
    api_of,
    place_named,
    place_of,
    shown,
    without_credentials,
)

HELLO = Place(host="github.com", owner="octo", name="hello")


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/octo/hello",
        "https://github.com/octo/hello.git",
        "https://github.com/octo/hello/",
        "https://github.com/octo/hello.git/",
        "HTTPS://GitHub.com/octo/hello",
        "https://www.github.com/octo/hello",
        "https://user:secret@github.com/octo/hello.git",
        "https://x-access-token:ghs_secret@github.com/octo/hello",
        "git@github.com:octo/hello.git",
        "git@github.com:/octo/hello.git",
        "github.com:octo/hello",
        "ssh://git@github.com/octo/hello.git",
        "ssh://git@github.com:22/octo/hello.git",
        "ssh://git@ssh.github.com:443/octo/hello.git",
        "git+ssh://git@github.com/octo/hello.git",
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
            Place(host="ghes.corp.example:8443", owner="Team-1", name="the.repo"),
        ),
        (
            "ssh://git@ghes.corp.example:2222/a/b.git",
            Place(host="ghes.corp.example", owner="a", name="b"),
        ),
        ("git@work:a_corp/.github", Place(host="work", owner="a_corp", name=".github")),
    ],
)
def test_an_enterprise_server_keeps_its_web_port_and_loses_that_of_ssh(
    url: str, place: Place
) -> None:
    assert place_of(url) == place


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/srv/git/hello.git",
        "../hello",
        "file:///srv/git/hello.git",
        "C:/code/hello",
        r"C:\work\hello",
        "https://github.com/octo",
        "https://github.com/octo/hello/pulls",
        "https://github.com/octo/..",
        "https://github.com/octo/a%2fb",
        "https://github.com/octo/hello?token=secret",
        "https://github.com:port/octo/hello",
        "https://[github.com/octo/hello",
        "https://git_hub.com/octo/hello",
        "https:///octo/hello",
        "https://github.com/oc to/hello",
        "https://github.com/octo/hello\nHost: evil",
    ],
)
def test_what_names_no_repository_on_a_host_is_none(url: str) -> None:
    assert place_of(url) is None


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("octo/hello", HELLO),
        ("github.com/octo/hello", HELLO),
        ("GHES.corp/octo/hello", Place(host="ghes.corp", owner="octo", name="hello")),
        ("https://ghes.corp/octo/hello", Place(host="ghes.corp", owner="octo", name="hello")),
        ("octo", None),
        ("a/b/c/d", None),
        ("octo/hello ", None),
        ("octo/.", None),
    ],
)
def test_gh_repo_names_a_repository_with_or_without_its_host(
    text: str, place: Place | None
) -> None:
    assert place_named(text, "github.com") == place


@pytest.mark.parametrize(
    ("host", "api"),
    [
        ("github.com", "https://api.github.com"),
        ("acme.ghe.com", "https://api.acme.ghe.com"),
        ("ghes.corp:8443", "https://ghes.corp:8443/api/v3"),
        ("evil-ghe.com", "https://evil-ghe.com/api/v3"),
    ],
)
def test_the_api_is_where_github_documents_it_for_each_kind_of_host(host: str, api: str) -> None:
    assert api_of(host) == api


@pytest.mark.parametrize(
    ("url", "fit"),
    [
        ("https://user:secret@host/a/b", "host/a/b"),
        ("https://user:se@cret@host/a/b", "host/a/b"),
        ("secret@host:a", "host:a"),
        ("https://host/a?token=secret", "https://host/a"),
    ],
)
def test_an_address_is_shown_without_what_may_be_a_secret(url: str, fit: str) -> None:
    assert shown(url) == fit


def test_credentials_are_taken_out_of_what_a_program_has_printed() -> None:
    said = "fatal: https://me:se@cret@host/a and ssh://git@host/b; mail me@example.org"

    assert (
        without_credentials(said) == "fatal: https://host/a and ssh://host/b; mail me@example.org"
    )
