"""git gets the user's settings, and nothing of another repository."""

from __future__ import annotations

import os
import subprocess

import pytest

from pipeline.git.environment import environment


def test_what_names_another_repository_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/elsewhere/.git")
    monkeypatch.setenv("GIT_INDEX_FILE", "/elsewhere/index")
    monkeypatch.setenv("GIT_GLOB_PATHSPECS", "1")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "A Tester")

    kept = environment()

    assert {"GIT_DIR", "GIT_INDEX_FILE", "GIT_GLOB_PATHSPECS"} & kept.keys() == set()
    assert kept["GIT_AUTHOR_NAME"] == "A Tester"
    assert kept["PATH"] == os.environ["PATH"]


def test_every_variable_that_git_calls_local_is_left_out_but_settings() -> None:
    local = subprocess.run(
        ["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True
    ).stdout.split()
    settings = {"GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"}
    harmless = {"GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE"}
    with pytest.MonkeyPatch.context() as patch:
        for name in local:
            patch.setenv(name, "x")
        kept = environment()

    assert {name for name in local if name in kept} == settings | harmless


def test_what_is_asked_for_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")

    kept = environment({"GIT_DIR": "/here", "GIT_LITERAL_PATHSPECS": "0"})

    assert kept["GIT_DIR"] == "/here"
    assert kept["GIT_LITERAL_PATHSPECS"] == "0"
    assert kept["LC_ALL"] == "C"
