"""A criterion holds if each answer is what is expected, and fails with the exchange that is not."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.stubs.clock import slowness
from verify.acceptance.evaluation import hold
from verify.acceptance.model import Acceptance, Criterion, Exchange, Expectation
from verify.acceptance.service import MAX_BODY, NoAnswer, Request, Response
from verify.grading.model import PASSED, Finding, Outcome, failed, not_checked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from verify.grading.model import Verdict

    Answer = Callable[[Request], Response]

LABEL = "AC1_toy"


class Toy:
    """A service that answers by a function; it notes what it was asked, and how it was started."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.starts: list[dict[str, str]] = []
        self.running = 0

    @contextmanager
    def __call__(self, env: Mapping[str, str]) -> Iterator[Toy]:
        assert self.running == 0
        self.starts.append(dict(env))
        self.running += 1
        yield self
        self.running -= 1

    def send(self, request: Request) -> Response:
        assert self.running == 1
        self.requests.append(request)
        return self.answer(request)


def says(value: Any, status: int = 200, **headers: str) -> Response:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    shown = tuple((name.replace("_", "-"), text) for name, text in headers.items())
    return Response(status=status, headers=shown, body=body)


def expecting(request: str = "GET /x", /, **expected: Any) -> Exchange:
    return Exchange(request=request, expect=Expectation(**{"status": 200, **expected}))


def asked(toy: Toy, *exchanges: Exchange, seed: int = 1, **more: Any) -> Verdict:
    criterion = Criterion(exchanges=exchanges, **more)
    return hold(Acceptance(start=("toy",), criteria={LABEL: criterion}), LABEL, toy, seed)


def verdict_on(response: Response, **expected: Any) -> Verdict:
    return asked(Toy(lambda _: response), expecting(**expected))


HOLDS: dict[str, tuple[Response, dict[str, Any]]] = {
    "one of several statuses": (says(1, 422), {"status": [400, 422]}),
    "a header in another case": (says(1, X_A="v"), {"headers": {"x-a": "v"}}),
    "a content type with a charset": (
        says(1, Content_Type="Application/JSON; charset=utf-8"),
        {"headers": {"content-type": "application/json"}},
    ),
    "an absent header": (says(1), {"headers": {"link": ""}}),
    "a pattern in another case": (says(1, A="No-Store, x"), {"headers": {"a": "~ none|no-store*"}}),
    "a whole number as a fraction": (says(b'{"n": 1.0}'), {"json": {"n": 1}}),
    "members in another order": (says(b'{"b":1,"a":2}'), {"json": {"a": 2, "b": 1}}),
    "values of all members": (says([{"n": 1}, {"n": 2}]), {"at": {"$[*].n": [1, 2]}}),
    "a value within": (says({"a": [{"b-c": "x"}]}), {"at": {"$.a[0].b-c": "x"}}),
    "an empty body": (says(b"", 204), {"status": 204, "text": ""}),
    "lines of JSON": (says(b'{"a":1}\n{"a":2}\n'), {"lines": True, "at": {"$[*].a": [1, 2]}}),
    "no lines": (says(b""), {"lines": True, "json": []}),
    "what a schema says": (says([1]), {"schema": {"type": "array", "maxItems": 1}}),
}


@pytest.mark.parametrize("case", HOLDS)
def test_what_honest_services_vary_in_is_free(case: str) -> None:
    response, expected = HOLDS[case]

    assert verdict_on(response, **expected) == PASSED


DIFFERS: dict[str, tuple[Response, dict[str, Any], tuple[str, ...]]] = {
    "the status": (
        says({"a": 1}, 500),
        {"status": [200, 201]},
        ("the status is wrong", "200 or 201", '500, with the body "{\\"a\\": 1}"'),
    ),
    "a header": (
        says(1, A="\x1b[2J"),
        {"headers": {"a": "b"}},
        ("the header a is wrong", '"b"', '"\\u001b[2J"'),
    ),
    "a header that is absent": (
        says(1),
        {"headers": {"a": "~ *"}},
        ("the header a is missing", '"~ *"', "no such header"),
    ),
    "a header that must be absent": (
        says(1, link="</x>"),
        {"headers": {"link": ""}},
        ("the header link is wrong", '""', '"</x>"'),
    ),
    "another member": (
        says({"a": 1, "b": True}),
        {"json": {"a": 1, "b": 1}},
        ("the body is wrong", '{"a": 1, "b": 1}', '{"a": 1, "b": true}', "$"),
    ),
    "a value": (says({"a": "2"}), {"at": {"$.a": 2}}, ("the body is wrong", "2", '"2"', "$.a")),
    "no value": (
        says({"b": 1}),
        {"at": {"$.a": 2}},
        ("a value is missing", "a value", "an object with 1 field", "$.a"),
    ),
    "no list": (
        says({"b": 1}),
        {"at": {"$[*].a": []}},
        ("a value is missing", "a value", "an object with 1 field", "$[*].a"),
    ),
    "too short a list": (
        says([1]),
        {"at": {"$[3]": 1}},
        ("a value is missing", "a value", "an array of 1 element", "$[3]"),
    ),
    "no JSON": (
        says(b"<p>"),
        {"json": 1},
        ("the body cannot be read: this is not JSON", "JSON", '"<p>"'),
    ),
    "no UTF-8": (
        says(b"\xff"),
        {"json": 1},
        ("the body cannot be read: this is not UTF-8 text", "JSON", '"\ufffd"'),
    ),
    "a line without an end": (
        says(b"1\n2"),
        {"lines": True},
        ("the last line has no end", "a line feed", '"2"'),
    ),
    "a schema": (
        says({"n": -1}),
        {"schema": {"properties": {"n": {"minimum": 0, "description": "0 or more"}}}},
        ("this does not match its schema", "0 or more", "-1", "$.n"),
    ),
}


@pytest.mark.parametrize("case", DIFFERS)
def test_a_difference_is_named_with_its_exchange(case: str) -> None:
    response, expected, (message, *texts) = DIFFERS[case]
    expected_text, found, path = (*texts, "")[:3]
    finding = Finding(
        f"GET /x (exchange 1 of 1): {message}",
        expected_text,
        found,
        path=path,
        action="Send GET /x to your service, and compare its answer.",
    )

    assert verdict_on(response, **expected) == failed(finding)


def test_values_are_drawn_from_the_seed_and_carried_from_one_exchange_to_the_next() -> None:
    def answer(request: Request) -> Response:
        if request.method == "POST":
            return says({**json.loads(request.body), "id": "7/ä\r\n"}, 201)
        return says({"title": toy.requests[0].body.decode()[11:-2]})

    toy = Toy(answer)
    first = Exchange(
        request="POST /notes",
        json={"title": "{t}"},
        headers={"X-Title": "{t:upper}"},
        save={"id": "$.id"},
        expect=Expectation(status=201, at={"$.title": "{t}"}),
    )
    second = expecting("GET /notes/{id}?n={n}", at={"$.title": "{t}"})
    draws = {"t": "words", "n": "integer 5..5", "h": "hex 4"}

    assert asked(toy, first, second, draw=draws, env={"KEY": "k:{h}"}) == PASSED
    created, shown = toy.requests
    title = json.loads(created.body)["title"]
    assert len(title.split()) == 3
    assert created.headers == (("content-type", "application/json"), ("x-title", title.upper()))
    assert shown == Request(method="GET", target="/notes/7%2F%C3%A4%0D%0A?n=5")
    before = list(toy.requests)
    asked(toy, first, second, draw=draws)
    assert toy.requests[2:] == before
    asked(toy, first, seed=2, draw=draws)
    assert toy.requests[4].body != created.body


def test_a_service_is_started_for_the_criterion_and_anew_where_an_exchange_says_so() -> None:
    toy = Toy(lambda _: says(1))
    fresh = Exchange(request="GET /x", expect=Expectation(status=200), fresh=True)

    other = Exchange(request="GET /x", expect=Expectation(status=200), env={"N": "{n}"})
    exchanges = expecting(), fresh, expecting(), other, expecting()
    draws = {"n": "integer 7..7"}

    assert asked(toy, *exchanges, env={"A": "b"}, draw=draws) == PASSED
    assert (toy.starts, toy.running) == ([{"A": "b"}, {"A": "b"}, {"N": "7"}], 0)


def test_a_repeated_request_fails_at_the_time_that_differs() -> None:
    toy = Toy(lambda _: says(1, 200 if len(toy.requests) < 3 else 429))
    often = Exchange(request="GET /x?{i}", expect=Expectation(status=200), repeat=60)
    found = failed(
        Finding(
            "GET /x?3 (exchange 1 of 1, time 3): the status is wrong",
            *("200", '429, with the body "1"'),
            action="Send GET /x?3 to your service, and compare its answer.",
        )
    )

    assert asked(toy, often) == found
    assert len(toy.requests) == 3


def test_a_request_without_an_answer_is_a_failure_of_the_service() -> None:
    def silent(_: Request) -> Response:
        raise NoAnswer("nothing in 5 s")

    put = Exchange(request="PUT /x", json={"a": 1}, expect=Expectation(status=200))
    found = failed(
        Finding(
            "PUT /x (exchange 1 of 1): there is no answer",
            *("an answer", "nothing in 5 s"),
            action='Send PUT /x with the body {"a": 1} to your service, and compare its answer.',
        )
    )

    assert asked(Toy(silent), put) == found


def test_a_fault_of_ours_is_not_the_services() -> None:
    def broken(_: Request) -> Response:
        raise OSError

    with pytest.raises(OSError, match=r"^$"):
        asked(Toy(broken), expecting())


def test_what_http_cannot_show_is_not_checked_and_starts_nothing() -> None:
    toy = Toy(lambda _: says(1))

    assert asked(toy, not_over_http="the store has no endpoint") == not_checked(
        "the store has no endpoint"
    )
    assert toy.starts == []


HOSTILE = {
    "nested": b"[" * MAX_BODY,
    "many": b"[" + b"1," * (MAX_BODY // 2 - 1) + b"1]",
    "one long text": b'"' + b"a" * (MAX_BODY - 2) + b'"',
    "lines": b"1\n" * (MAX_BODY // 2),
    "stars": b'"' + b"*[" * (MAX_BODY // 2 - 1) + b'"',
    "numbers": b"9" * MAX_BODY,
    "controls": b"\x1b\x00\r\n" * (MAX_BODY // 4),
    "halves": b'"\\ud800' * 20_000,
}
MANY: dict[str, dict[str, Any]] = {
    "json": {"json": {"a": 1}},
    "text": {"text": "~ *a*b*a*b*a*b*a*b*c"},
    "lines": {"lines": True, "json": []},
    "at": {"at": {"$[*].a": [1]}},
    "schema": {
        "schema": {"type": "array", "items": {"anyOf": [{"type": "object"}, {"enum": ["a", 1.5]}]}}
    },
}


@pytest.mark.parametrize("body", HOSTILE)
@pytest.mark.parametrize("kind", MANY)
def test_a_hostile_answer_fails_in_bounded_time_and_is_shown_safely(kind: str, body: str) -> None:
    begun = time.process_time()
    verdict = verdict_on(says(HOSTILE[body]), **MANY[kind])

    assert time.process_time() - begun < 2 * slowness()
    finding = verdict.findings[0]
    assert all(text.isprintable() and len(text) <= 1000 for text in map(str, finding))


@pytest.mark.parametrize("saved", ["a" * 100_000 + "b", "*" * 200_000, "[!" * 100_000, "|" * 9_000])
def test_a_saved_value_that_is_made_to_be_looked_for_takes_bounded_time(saved: str) -> None:
    toy = Toy(lambda request: says({"id": saved} if request.target == "/a" else b"a" * MAX_BODY))
    first = Exchange(request="GET /a", save={"id": "$.id"}, expect=Expectation(status=200))
    begun = time.process_time()
    verdict = asked(toy, first, expecting("GET /b/{id}", text="~ *{id}*{id}*"))

    assert time.process_time() - begun < 2 * slowness()
    assert verdict.outcome is Outcome.FAIL
