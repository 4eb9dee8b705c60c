"""The table of clients says what each needs, and what of the environment it gets."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pipeline.drivers.environment import chosen
from pipeline.drivers.profiles import COMMON, FORGE_TOKENS, PROFILES
from pipeline.tiers import CLIENTS
from tests.stubs.scripted_client import a_turn

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stubs.scripted_client import ScriptedClient


def test_the_clients_are_those_of_the_routing_table_that_speak_the_protocol() -> None:
    assert sorted(PROFILES) == sorted(set(CLIENTS) - {"copilot"})


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_complete_and_hands_on_no_token_of_a_forge(name: str) -> None:
    profile = PROFILES[name]
    texts = (profile.install, profile.login, profile.mode, profile.program)

    assert (profile.name, all(texts)) == (name, True)
    assert profile.definitions != ()
    assert set(FORGE_TOKENS).isdisjoint({*COMMON, *profile.keys, *profile.environment})


def test_a_client_gets_what_it_needs_and_what_is_named_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OF_THE_USER", "OTHER", "GH_TOKEN"):
        monkeypatch.setenv(name, "secret")
    found = chosen(PROFILES["qwen"], ["OF_THE_USER"])

    assert sorted(name for name, value in found.items() if value == "secret") == [
        "OF_THE_USER",
        "OPENAI_API_KEY",
    ]


def test_a_variable_of_the_users_is_taken_before_the_profiles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = chosen(PROFILES["opencode"], [])["OPENCODE_PERMISSION"]
    monkeypatch.setenv("OPENCODE_PERMISSION", "mine")

    assert usual == '{"edit":"ask","bash":"ask","webfetch":"ask"}'
    assert chosen(PROFILES["opencode"], ["OPENCODE_PERMISSION"])["OPENCODE_PERMISSION"] == "mine"


def test_the_agents_process_has_that_environment(
    client: ScriptedClient, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GITHUB_TOKEN", "OPENAI_API_KEY", "OF_THE_USER"):
        monkeypatch.setenv(name, "secret")
    client.driver({}, passed=["OF_THE_USER"]).take(a_turn(root), client.told.append)
    found = client.environment()

    assert sorted(name for name, value in found.items() if value == "secret") == [
        "OF_THE_USER",
        "OPENAI_API_KEY",
    ]


def test_the_table_is_read_without_the_sdk_of_the_protocol() -> None:
    code = (
        "import sys, pipeline.drivers.profiles; "
        "print(sorted({'acp', 'pydantic', 'asyncio'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
