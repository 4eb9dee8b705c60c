"""What clients report of a turn, in the forms that their real releases have."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.agents.clients import CLIENTS
from pipeline.drivers.command import CommandDriver
from pipeline.drivers.reports import (
    NOT_REPORTED,
    Meter,
    RateLimited,
    Usage,
    fault_of,
    printed,
    refuse_limit,
)
from tests.stubs.scripted_client import ScriptedClient, a_turn

if TYPE_CHECKING:
    from pathlib import Path

ACP = {"usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 9}}  # a cache counts in total
QUOTA = {"_meta": {"quota": {"token_count": {"input_tokens": 3, "output_tokens": 2}}}}
COST = {"sessionUpdate": "usage_update", "cost": {"amount": 0.5, "currency": "EUR"}}
CLAUDE = {
    "type": "result",
    "result": "approved",
    "total_cost_usd": 0.25,
    "usage": {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 2},
}
CODEX = [
    {"type": "item.completed", "item": {"type": "reasoning", "text": "hm"}},
    {"type": "item.completed", "item": {"type": "agent_message", "text": "approved"}},
    {"type": "turn.completed", "usage": {"input_tokens": 3, "output_tokens": 2}},
]
TOKENS = {"prompt": 3, "candidates": 2, "total": 6}
GEMINI = {"response": "approved", "stats": {"models": {"a": {"tokens": TOKENS}, "b": {}}}}
QWEN = [{"type": "assistant", "message": {"usage": {"input_tokens": 1}}}, CLAUDE]
STEP = {"tokens": {"input": 3, "output": 2, "reasoning": 1, "cache": {"read": 4}}, "cost": 0.25}
OPENCODE = [{"type": "text", "part": {"text": "approved"}}, *2 * [{"part": STEP}]]


def lines(values: list[Any]) -> str:
    return "\n".join(map(json.dumps, values))


@pytest.mark.parametrize(
    ("client", "kind", "message", "expected"),
    [
        ("claude", "answer", ACP, Usage(3, 2, 9)),
        ("claude", "update", COST, Usage(price=0.5, currency="EUR")),
        ("codex", "answer", ACP, Usage(3, 2, 9)),
        ("copilot", "answer", ACP, Usage(3, 2, 9)),
        ("vibe", "answer", ACP, Usage(3, 2, 9)),
        ("gemini", "answer", QUOTA, Usage(3, 2, 5)),
        ("qwen", "update", {"_meta": ACP}, Usage(3, 2, 9)),
        ("opencode", "update", COST, Usage(price=0.5, currency="EUR")),
        ("opencode", "answer", ACP, NOT_REPORTED),  # they are of its last request alone
        ("cursor", "answer", ACP, NOT_REPORTED),
    ],
)
def test_i31_what_a_client_reports_of_a_turn_is_found_by_its_table(
    client: str, kind: str, message: dict[str, Any], expected: Usage
) -> None:
    meter = Meter(CLIENTS[client].usage)
    meter.note(kind, message)

    assert meter.usage() == expected


@pytest.mark.parametrize(
    ("client", "text", "expected"),
    [
        ("claude", json.dumps(CLAUDE), Usage(3, 2, 9, 0.25, "USD")),
        ("codex", f"Reading prompt\n{lines(CODEX)}", Usage(3, 2, 5)),
        ("gemini", json.dumps(GEMINI, indent=1), Usage(3, 2, 6)),
        ("qwen", json.dumps(QWEN), Usage(3, 2, 5)),
        ("opencode", lines(OPENCODE), Usage(6, 4, 20, 0.5, "USD")),
    ],
)
def test_i31_the_json_that_a_client_prints_has_its_answer_and_what_it_used(
    client: str, text: str, expected: Usage
) -> None:
    assert printed(CLIENTS[client], text) == ("approved", expected)


@pytest.mark.parametrize(
    "text", ["approved", "[" * 100_000, '{"usage": 7, "result": 7}', "[1, {}]"]
)
def test_i31_what_is_no_report_is_the_answer_itself(text: str) -> None:
    assert printed(CLIENTS["claude"], text) == (text, NOT_REPORTED)


def test_i31_a_client_that_counts_since_its_session_began_is_not_counted_twice() -> None:
    meter, seen = Meter(CLIENTS["copilot"].usage), []
    for total in (4, 10, 3):  # it began anew before the last
        meter.begin()
        meter.note("answer", {"usage": {"inputTokens": total, "outputTokens": 0}})
        seen.append(meter.usage().total)

    assert seen == [4, 6, 3]


@pytest.mark.parametrize(
    "number", [-1, True, "12", None, float("nan"), float("inf"), 10**400, [], {"a": 1}]
)
def test_i31_a_number_that_is_no_count_is_not_reported(number: Any) -> None:
    meter = Meter(CLIENTS["claude"].usage)
    meter.note("answer", {"usage": {"inputTokens": number, "totalTokens": number}})
    meter.note("update", {"cost": {"amount": number, "currency": "USD"}})

    assert meter.usage() == NOT_REPORTED


@pytest.mark.parametrize(
    ("said", "code", "after"),
    [
        ("API Error: 429 overloaded", -32603, None),
        ("Error: rate limit; retry-after: 20", 1, 20),
        ("rate_limit_error: Please retry in 1500 ms", 1, 1.5),
        ('"Retry-After": "2 m"', 429, 120),
        ("Too many requests, try again after 1h", 1, 3600),
        ("Rate limit exceeded. Try again later.", 1, None),
    ],
)
def test_i31_a_limit_of_requests_is_known_by_a_clients_words_or_code(
    said: str, code: int, after: float | None
) -> None:
    found = fault_of(CLIENTS["gemini"], "gemini stopped", said, code)

    assert isinstance(found, RateLimited)
    assert (found.lines, found.after) == (("gemini stopped",), after)


def test_i31_another_fault_is_no_limit_of_requests() -> None:
    said = "429 tests failed; try again in 5 minutes"

    assert not isinstance(fault_of(CLIENTS["gemini"], "x", said, 1), RateLimited)


CODEX_LIMIT = "exceeded retry limit, last status: 429 Too Many Requests"
COPILOT_LIMIT = (
    "Error: Failed to get response from the AI model; retried 5 times (total retry wait time: 5.5 "
    "seconds) Last error: 429 You exceeded your rate limit. Please retry in 7s."
)


@pytest.mark.parametrize(
    ("client", "answer", "after"),
    [("codex", f"Warning: no metadata.\n\n{CODEX_LIMIT}", None), ("copilot", COPILOT_LIMIT, 7)],
)
def test_i31_a_client_that_says_so_as_the_agents_answer_is_not_taken_for_the_agent(
    client: str, answer: str, after: float | None
) -> None:
    with pytest.raises(RateLimited) as fault:
        refuse_limit(CLIENTS[client], answer)

    assert fault.value.after == after


def test_i31_an_agent_that_speaks_of_a_limit_is_heard() -> None:
    refuse_limit(CLIENTS["codex"], f"approved\n\nThe log says: {CODEX_LIMIT}")


def test_i31_a_known_program_reports_by_its_json(root: Path) -> None:
    program = root / "claude"
    program.write_text(f"#!{sys.executable}\nprint({json.dumps(CLAUDE)!r})\n")
    program.chmod(0o755)
    driver = CommandDriver(shlex.join([str(program), "-p"]), seconds=20)
    reply = driver.take(a_turn(root), ScriptedClient(root, root).tell)

    assert (driver.counts_tokens, reply.text, reply.usage) == (
        *(True, "approved"),
        Usage(3, 2, 9, 0.25, "USD"),
    )
