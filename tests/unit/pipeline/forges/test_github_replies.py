"""What GitHub's answers mean: what is a limit, what is a no, and what a person does about it."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.forges.base import Change
from pipeline.forges.github_access import access_of
from pipeline.forges.github_replies import (
    Answer,
    address_of,
    exists_already,
    explained,
    is_for,
    seconds_to_wait,
)
from pipeline.git.repository import Repository

NOW = 1_767_323_045.0  # 2026-01-02 03:04:05 UTC
ACCESS = access_of({"GH_TOKEN": "t"}, "git@github.com:octo/hello", "git@github.com:octo/hello")
CHANGE = Change(
    repository=Repository("/nowhere"),
    issue="ISSUE-7",
    branch="feature/x",
    base="main",
    sha="0" * 40,
    title="feat: x",
    body="",
)


def answer(status: int, body: Any = None, **headers: str) -> Answer:
    """Return an answer; underscores in names of headers stand for hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, headers=named, body=body)


def refusal(**entry: str) -> Answer:
    return answer(422, {"message": "Validation Failed", "errors": [entry]})


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        (answer(403, retry_after="7"), 7.0),
        (answer(429), 60.0),
        (answer(429, retry_after="soon"), 60.0),
        (answer(403, x_ratelimit_remaining="0", x_ratelimit_reset="1767323055"), 11.0),
        (answer(403, x_ratelimit_remaining="0", x_ratelimit_reset="1"), 1.0),
        (answer(403, {"message": "You have exceeded a secondary rate limit."}), 60.0),
        (answer(403, x_ratelimit_remaining="12", x_ratelimit_reset="1767323055"), None),
        (answer(403, {"message": "Must have admin rights"}), None),
        (answer(200), None),
    ],
)
def test_a_limit_is_told_from_a_refusal_and_says_how_long(
    given: Answer, seconds: float | None
) -> None:
    assert seconds_to_wait(given, NOW) == seconds


@pytest.mark.parametrize(
    ("given", "there"),
    [
        (refusal(code="custom", message="A pull request already exists for octo:x."), True),
        (answer(422, {"errors": ["A pull request already exists for octo:x."]}), True),
        (refusal(code="custom", message="No commits between main and x"), False),
        (answer(422, {"errors": {"message": "A pull request already exists"}}), False),
        (answer(422, {"errors": [None, 1, {"message": None}]}), False),
        (answer(400, {"errors": ["A pull request already exists for octo:x."]}), False),
    ],
)
def test_a_pull_request_that_was_there_is_known_by_its_message(
    *, given: Answer, there: bool
) -> None:
    assert exists_already(given) is there


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            answer(403, x_accepted_github_permissions="pull_requests=write"),
            "it needs write access to contents and pull requests (a classic token: the scope repo)",
        ),
        (answer(403, x_github_sso="required; url=https://x"), "the organisation's single sign-on"),
        (answer(403, retry_after="3600"), "in 3600 seconds, at 2026-01-02 04:04:05 UTC"),
        (answer(429, retry_after="999999999999"), "no more calls for now; come back another day"),
        (answer(404, {"message": "Not Found"}), "look at the name, and at what the token may see"),
        (refusal(field="base", code="invalid"), "no branch main in octo/hello to merge into: push"),
        (refusal(field="head", code="invalid"), "finds no branch feature/x of octo: look whether"),
        (
            refusal(code="custom", message="No commits between main and feature/x"),
            "finds no commit on the branch that its base does not have (it said: Validation",
        ),
        (refusal(field="title", code="missing_field"), "took the request for invalid"),
    ],
)
def test_each_refusal_says_in_one_line_what_to_do(given: Answer, words: str) -> None:
    line = explained(given, ACCESS, NOW, CHANGE)

    assert line.startswith(f"github: api.github.com answered {given.status} and ")
    assert words in line
    assert line.isprintable()


def test_what_github_says_is_shown_short_and_cannot_drive_a_terminal() -> None:
    line = explained(answer(400, {"message": "\x1b[2J\n" + "x" * 9_999}), ACCESS, NOW)

    assert line.isprintable()
    assert len(line) < 500


@pytest.mark.parametrize(
    ("pull", "url"),
    [
        ({"html_url": "https://github.com/octo/hello/pull/1"}, True),
        ({"html_url": "http://127.0.0.1:80/pull/1"}, True),
        ({"html_url": "javascript:alert(1)"}, False),
        ({"html_url": "https://me:secret@github.com/octo/hello/pull/1"}, False),
        ({"html_url": "https://github.com/a\n"}, False),
        ({"html_url": 1}, False),
        (None, False),
    ],
)
def test_only_a_web_address_becomes_one_of_a_pull_request(*, pull: Any, url: bool) -> None:
    assert address_of(pull) == (pull["html_url"] if url else "")


@pytest.mark.parametrize(
    ("pull", "same"),
    [
        ({"head": {"label": "octo:feature/x"}, "base": {"ref": "main"}}, True),
        ({"head": {"label": "Octo:feature/x"}, "base": {"ref": "main"}}, True),
        ({"head": {"label": "else:feature/x"}, "base": {"ref": "main"}}, False),
        ({"head": {"label": "octo:feature/x"}, "base": {"ref": "next"}}, False),
        ({"head": None, "base": {"ref": "main"}}, False),
        ("octo:feature/x", False),
    ],
)
def test_a_pull_request_of_other_branches_is_not_taken_for_this_one(
    *, pull: Any, same: bool
) -> None:
    assert is_for(pull, CHANGE, "octo") is same
