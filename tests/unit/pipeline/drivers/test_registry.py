"""A driver is made by its name, from options that are for it."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.drivers.base import DriverFault
from pipeline.drivers.registry import DRIVERS, driver

if TYPE_CHECKING:
    from collections.abc import Mapping


def fault_of(name: str, **options: Any) -> str:
    with pytest.raises(DriverFault) as fault:
        driver(name, **options)
    assert fault.value.usage is True
    return str(fault.value)


@pytest.mark.parametrize(
    ("name", "options", "client"),
    [
        ("replay", {}, ""),
        ("acp", {"client": "codex"}, "codex"),
        ("command", {"command": "agent {prompt}"}, ""),
    ],
)
def test_every_driver_is_made_by_its_name(name: str, options: dict[str, Any], client: str) -> None:
    made = driver(name, **options)
    made.close()

    assert (made.name, made.client) == (name, client)


def test_every_driver_of_the_table_can_be_made() -> None:
    given: Mapping[str, dict[str, Any]] = {
        "acp": {"client": "qwen"},
        "command": {"command": "agent"},
    }
    made = [driver(name, **given.get(name, {})) for name in DRIVERS]
    for each in made:
        each.close()

    assert [each.name for each in made] == list(DRIVERS)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("cursor", {}, "no driver cursor: --driver is one of replay, acp, command"),
        (
            "acp",
            {},
            "--driver acp needs --client, one of cursor, claude, codex, opencode, gemini, qwen",
        ),
        ("replay", {"client": "qwen"}, "--client is for --driver acp, not replay"),
        ("replay", {"models": {"*": "x"}}, "--model is for --driver acp or command, not replay"),
        ("replay", {"delegate": True}, "--delegate is for --driver acp, not replay"),
        ("command", {"passed": ["X"]}, "--pass-env is for --driver acp, not command"),
        ("acp", {"recording": "x"}, "--recording is for --driver replay, not acp"),
    ],
)
def test_an_option_that_is_for_another_driver_is_refused(
    name: str, options: dict[str, Any], words: str
) -> None:
    assert fault_of(name, **options) == words


def test_without_the_sdk_of_the_protocol_the_command_that_installs_it_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = builtins.__import__

    def without_acp(name: str, *rest: Any) -> Any:
        if name == "pipeline.drivers.acp.driver":
            raise ModuleNotFoundError("No module named 'acp'", name="acp.connection")
        return usual(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_acp)

    assert fault_of("acp", client="qwen") == (
        "--driver acp needs the SDK of the protocol: run `python3 start.py headless`"
    )
