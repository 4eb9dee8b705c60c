"""Agents' clients and tokens: by name, and nothing of what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.doctor.clients import clients

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.doctor import Machine

    Make = Callable[..., Machine]


def test_without_a_client_and_a_token_two_notes_say_what_works_without(machine: Make) -> None:
    found = [(each.code, each.standing, each.found, each.advice) for each in clients(machine())]

    assert found == [
        (
            "client",
            "note",
            "none on PATH (looked for agent, claude-agent-acp, codex-acp, opencode, gemini, qwen)",
            "the driver replay needs none; for the driver acp, say: npm install -g opencode-ai",
        ),
        (
            "token",
            "note",
            "none is set",
            "the forge local needs none; for the forge github: export GH_TOKEN=$(gh auth token)",
        ),
    ]


def test_clients_are_named_with_the_names_of_their_keys(machine: Make) -> None:
    variables = {"OPENAI_API_KEY": "s3cr3t", "OPENAI_BASE_URL": " ", "GEMINI_API_KEY": ""}
    client = clients(machine(variables=variables, programs=("qwen", "gemini")))[0]

    assert (client.standing, client.found) == (
        "ok",
        "gemini (gemini; no key set), qwen (qwen; OPENAI_API_KEY set)",
    )
    assert client.advice == (
        "if gemini is not logged in: run `gemini` once and log in, or set GEMINI_API_KEY"
    )


def test_a_client_with_a_key_needs_no_advice(machine: Make) -> None:
    client = clients(machine(variables={"OPENAI_API_KEY": "x"}, programs=("qwen",)))[0]

    assert client.advice == ""


def test_no_value_of_a_variable_is_shown(machine: Make) -> None:
    variables = {"GH_TOKEN": "s3cr3t", "GITLAB_TOKEN": "s3cr3t", "OPENAI_API_KEY": "s3cr3t"}
    findings = clients(machine(variables=variables, programs=("qwen",)))

    assert findings[1].found == "GH_TOKEN and GITLAB_TOKEN set"
    assert "s3cr3t" not in repr(findings)
