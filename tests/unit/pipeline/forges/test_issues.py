"""An issue is read from each kind of forge, and a token goes to its own host only."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from pipeline.forges.issues import source_of
from pipeline.git import Repository
from pipeline.terminal.fault import Fault
from tests.stubs.github import GitHubStub, Reply, error
from tests.stubs.repositories import user_repository

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = "glpat-ofNobodyAtAll"  # noqa: S105  # worth nothing anywhere


@pytest.fixture
def stub() -> Iterator[GitHubStub]:
    with GitHubStub() as ready:
        ready.issues["12"] = {"title": "Export\n the notes", "body": "- [ ] as CSV", "number": 12}
        yield ready


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    user = user_repository(tmp_path_factory.mktemp("work"))
    user.git("remote", "add", "origin", "git@github.com:octo/hello.git")
    return Repository(str(user.folder))


def refused(stub: GitHubStub, repository: Repository, place: str = "#12") -> str:
    with pytest.raises(Fault) as caught:
        source_of(place, repository, stub.variables).fetch()
    assert str(caught.value).isprintable()
    assert stub.token not in f"{caught.value!r} {caught.value}"
    assert caught.value.code == (1 if "no usable answer" in str(caught.value) else 2)
    return str(caught.value)


@pytest.mark.parametrize("place", ["#12", "https://github.com/octo/hello/issues/12?a=b#issue-1"])
def test_an_issue_of_github_has_an_id_that_github_links(
    stub: GitHubStub, repository: Repository, place: str
) -> None:
    source = source_of(place, repository, stub.variables)

    assert source.fetch() == ("Export the notes", "- [ ] as CSV")
    assert (source.id, source.page) == ("GH-12", "https://github.com/octo/hello/issues/12")
    assert [(r.method, r.path) for r in stub.requests] == [("GET", "/repos/octo/hello/issues/12")]
    assert stub.token not in repr(source)


def test_what_is_public_is_read_without_a_token(stub: GitHubStub, repository: Repository) -> None:
    variables = {name: text for name, text in stub.variables.items() if name != "GH_TOKEN"}
    stub.script("GET", Reply(body={"title": "T", "body": None}))

    assert source_of("#12", repository, variables).fetch() == ("T", "")
    assert "authorization" not in stub.requests[0].headers


class Case(NamedTuple):
    """A forge's address of an issue, and what is sent to its API."""

    path: str
    variables: dict[str, str]
    asked: str
    header: tuple[str, str]
    id: str
    text: str


CASES = [
    Case(
        "group/sub/notes/-/issues/3",
        {"GITLAB_TOKEN": SECRET, "GITLAB_HOST": "HOST"},
        "/api/v4/projects/group%2Fsub%2Fnotes/issues/3",
        ("private-token", SECRET),
        "GL-3",
        "of GitLab",
    ),
    Case(
        "octo/notes/issues/3",
        {"GITEA_TOKEN": SECRET, "GITEA_SERVER_URL": "http://HOST/"},
        "/api/v1/repos/octo/notes/issues/3",
        ("authorization", f"token {SECRET}"),
        "GT-3",
        "of Gitea",
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_gitlab_and_gitea_get_their_token_and_another_host_does_not(
    stub: GitHubStub, repository: Repository, case: Case
) -> None:
    host = stub.url.removeprefix("http://")
    hosts = (host, "other.example")
    given = [{n: v.replace("HOST", name) for n, v in case.variables.items()} for name in hosts]
    body = {"title": "T", "description": "of GitLab", "body": "of Gitea"}
    stub.script("GET", *[Reply(body=body)] * 3)
    sources = [source_of(f"{stub.url}/{case.path}", repository, names) for names in (*given, {})]

    assert [source.fetch() for source in sources] == [("T", case.text)] * 3
    assert [request.path for request in stub.requests] == [case.asked] * 3
    assert (sources[0].id, sources[0].page) == (case.id, f"https://{host}/{case.path}")
    sent = [request.headers.get(case.header[0]) for request in stub.requests]
    assert sent == [case.header[1], None, None]
    assert not any(SECRET in str(request.headers) for request in stub.requests[1:])


@pytest.mark.parametrize(
    ("remote", "place"),
    [
        ("https://me:secret@gitlab.com/a/b/c.git", ("GL-4", "https://gitlab.com/a/b/c/-/issues/4")),
        ("ssh://git@codeberg.org:2222/a/b.git", ("GT-4", "https://codeberg.org/a/b/issues/4")),
        ("git@git.example.org:a/b", ("GT-4", "https://git.example.org/a/b/issues/4")),
        ("https://x.ghe.com/a/b", ("GH-4", "https://x.ghe.com/a/b/issues/4")),
    ],
)
def test_a_number_is_one_of_the_remotes_repository(
    repository: Repository, remote: str, place: tuple[str, str]
) -> None:
    repository.run("remote", "add", "there", remote)
    source = source_of("#4", repository, {}, remote="there")
    repository.run("remote", "remove", "there")

    assert (source.id, source.page) == place


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (
            error(404, "Not Found"),
            'answered 404 "Not Found": check the number; an issue that is not',
        ),
        (
            error(401, "Bad credentials"),
            "the token in GH_TOKEN is wrong, has expired or was revoked",
        ),
        (
            error(403, "rate limit", retry_after="61"),
            "its rate limit is reached; try again in 2 min",
        ),
        (Reply(status=200, body=b"<html>log in"), "this is not the forge's API, or it has a fault"),
        (Reply(body=[{"title": "x"}]), "this is not the forge's API, or it has a fault"),
        (
            Reply(body={"title": "T", "pull_request": {"url": "x"}}),
            "is a pull request (expected an",
        ),
        (Reply(body=b"[" * 2_000_000), "the response is larger than 1 MiB"),
        (error(500, "\x1b[2J\nboom"), 'answered 500 "\\u{1b}[2J\\nboom"'),
    ],
)
def test_an_answer_that_is_not_an_issue_is_refused_in_one_line(
    stub: GitHubStub, repository: Repository, reply: Reply, said: str
) -> None:
    stub.script("GET", reply)

    assert said in refused(stub, repository)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_reported_and_never_followed(
    stub: GitHubStub, repository: Repository, status: int
) -> None:
    with GitHubStub() as other:
        stub.script("GET", Reply(status=status, headers={"Location": f"{other.url}/repos/x/y"}))

        assert refused(stub, repository).endswith("it has moved: give its new address")
        assert other.requests == []


@pytest.mark.parametrize(
    "place",
    [
        *("https://github.com/octo/hello/pull/1", "https://github.com/octo/hello/issues/0"),
        *("https://me:pw@github.com/o/r/issues/1", "https://x/issues/1", "https://a/b/c/issues/1x"),
        *("https://host:0/o/r/issues/1", "https://host:99999999/o/r/issues/1"),
        *("https:///o/r/issues/1", "https://h\\@evil.example/o/r/issues/1"),
    ],
)
def test_what_is_not_the_address_of_an_issue_is_refused_before_anything_is_sent(
    stub: GitHubStub, repository: Repository, place: str
) -> None:
    assert "expected the address of an issue" in refused(stub, repository, place)
    assert stub.requests == []
