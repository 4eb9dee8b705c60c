"""`pipeline.toml` is read as its base has it; the command line wins, and danger asks first."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

from pipeline.bootstrap import ROOT
from pipeline.cli import main
from pipeline.commands import run
from pipeline.git import Repository
from pipeline.run.settings import OF_ONE_CALL, Setting, allow, settings_of
from pipeline.terminal.arguments import Arguments, CommandOption
from pipeline.terminal.fault import Fault
from tests.stubs.agents import Scripted, put, works
from tests.stubs.repositories import UserRepository

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from pipeline.drivers.base import Turn
    from tests.unit.pipeline.run.conftest import Bench

ASKS = "pipeline.toml sets what can start programs, reach further than the jail or weaken a check"
FAULTS = [
    ("attempts = 50\n", '1:12: "attempts": expected 1 to 20, found 50'),
    ("attempts = true\n", '1:12: "attempts": expected 1 to 20, found true'),
    ("attempts = 1979-05-27\n", '1:12: "attempts": expected 1 to 20, found a date or a time'),
    ("# x\n  drft = true\n", '2:3: "drft": is not an option of pipeline run (did you mean draft?)'),
    ("draft = 'yes'\n", '1:9: "draft": expected true or false, found "yes"'),
    (
        "\"label\"=['a', 1]\n",
        '1:9: "label": expected a list of texts, found an array of 2 elements',
    ),
    ("base = ' '\n", '1:8: "base": expected a text, found " "'),
    ("[draft]\nx = 1\n", '1:2: "draft": expected true or false, found a table'),
    (
        "tier = 'huge'\n",
        '1:8: "tier": expected one of "trivial", "standard", "complex", found "huge"',
    ),
    ("a = = 1\n", "1:5: is not TOML: Invalid value"),
    ("draft = true\ndraft = false\n", "2:14: is not TOML: Cannot overwrite a value"),
    *(
        (f"{name} = true\n", f'1:1: "{name}": is for one call: give it on the command line')
        for name in ("retry", "dry-run")
    ),
]


def parser() -> Arguments:
    found = Arguments()
    run.add_options(found)
    return found


def options() -> tuple[CommandOption, ...]:
    found: tuple[CommandOption, ...] = parser().get_default("command").args[0]
    return found


def project(folder: Path, text: str | None) -> UserRepository:
    """Return a repository whose `main` has the settings."""
    user = UserRepository(folder / "repository")
    user.commit("chore: x", **{"a.js": "", **({"pipeline.toml": text} if text is not None else {})})
    return user


def read(user: UserRepository, *words: str) -> dict[str, Setting]:
    given = vars(parser().parse_args(["work on issue ISSUE-7: x", *words]))
    return settings_of(Repository(str(user.folder)), options(), given)


def told(user: UserRepository, *words: str) -> dict[str, tuple[object, str]]:
    """Return the options that have no default value, and where each comes from."""
    found = read(user, *words).items()
    return {name: setting[:2] for name, setting in found if setting.origin != "default"}


def test_the_command_line_wins_over_the_file_and_the_file_over_the_default(tmp_path: Path) -> None:
    text = 'attempts = 5\n\ndraft = true\nlabel = ["a", "b"]\noffline = true\n'
    user = project(tmp_path, text)
    settings = read(user, "--no-draft", "--label", "c")

    assert told(user, "--no-draft", "--label", "c") == {
        "attempts": (5, "pipeline.toml:1"),
        "draft": (False, "command line"),
        "label": (["c"], "command line"),
        "offline": (True, "pipeline.toml:5"),
    }
    assert settings["rounds"] == Setting(1, "default")
    assert [*told(user, "--no-settings")] == ["no-settings"]
    assert [*settings] == [option.name for option in options()]


def test_a_fault_is_one_line_with_its_line_and_column(tmp_path: Path) -> None:
    user = project(tmp_path, None)
    found = []
    for text, _ in FAULTS:
        user.commit("chore: y", **{"pipeline.toml": text})
        with pytest.raises(Fault) as caught:
            read(user)
        found.append((text, *caught.value.lines, caught.value.code))

    assert found == [(text, f"pipeline.toml:{line}", 2) for text, line in FAULTS]


@pytest.mark.parametrize("folder", ["missing", "a.js", "/etc", ".."])
def test_a_project_that_is_not_in_the_repository_is_one_line(
    tmp_path: Path,
    folder: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(project(tmp_path, f"project = '{folder}'\n").folder)

    code = main(["run", "work on issue ISSUE-7: x", "--dry-run"])

    line = "pipeline run: pipeline.toml:1: project: is not a folder in the repository\n"
    assert (code, *capsys.readouterr()) == (2, "", line)


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("latin", b"base = '\xe9'\n", "pipeline.toml: is not UTF-8"),
        ("long", b"#" * (1 << 17), "pipeline.toml: is too large (expected at most 64 KiB)"),
        ("link", None, "pipeline.toml: is not a file (expected a text in TOML)"),
    ],
)
def test_what_is_no_small_text_is_refused(
    tmp_path: Path, name: str, content: bytes | None, line: str
) -> None:
    user = project(tmp_path, None)
    place = user.folder / "pipeline.toml"
    if content is None:
        place.symlink_to("/etc/passwd")
    else:
        place.write_bytes(content)
    user.commit(f"chore: {name}")

    with pytest.raises(Fault) as caught:
        read(user)
    assert caught.value.lines == (line,)


def test_only_the_base_has_settings_not_the_work_tree_and_not_the_branch_of_an_issue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    user = project(tmp_path, "attempts = 5\n")
    user.write("pipeline.toml", "allow-failing-tests = true\n")
    in_work_tree = told(user), capsys.readouterr().err
    user.git("switch", "-q", "-c", "feature/issue-7-health")
    user.commit("feat: x")
    committed = told(user), capsys.readouterr().err
    user.git("config", "branch.feature/issue-7-health.pipelineBase", "next")
    user.git("branch", "next", "main")
    remembered = told(user), capsys.readouterr().err

    expected = {"attempts": (5, "pipeline.toml:1")}
    line = "pipeline: pipeline.toml counts as it is committed on {}: yours differs\n"
    assert in_work_tree == (expected, line.format("HEAD"))
    assert committed == (expected, line.format("main"))
    assert remembered == (expected, line.format("next"))
    assert told(user, "--base", "next")["attempts"] == (5, "pipeline.toml:1")


def test_a_repository_without_a_commit_or_without_the_file_has_no_settings(tmp_path: Path) -> None:
    empty = UserRepository(tmp_path / "empty")

    assert told(empty) == told(project(tmp_path, None)) == {}


def test_what_can_do_harm_counts_once_the_user_has_allowed_this_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = project(tmp_path, "no-jail = true\nforge = 'github'\ndraft = true\nsignoff = false\n")
    repository = Repository(str(user.folder))
    with pytest.raises(Fault) as caught:
        allow(repository, read(user))
    *lines, advice = caught.value.lines
    what, command = advice.split(": ")

    assert lines == [ASKS, "pipeline.toml:1: no-jail = true", 'pipeline.toml:2: forge = "github"']
    assert (what, caught.value.code) == ("To allow it in this repository", 2)
    allow(repository, read(user, "--jail", "--forge", "local"))
    for words in command.split("; "):
        user.git(*words.split()[1:])
    allow(repository, read(user))
    user.commit("chore: y", **{"pipeline.toml": "forge = 'gitlab'\n"})
    monkeypatch.setattr(sys, "stdin", _terminal("n\n"))
    monkeypatch.setattr(sys, "stderr", _terminal(""))
    with pytest.raises(Fault, match="nothing was started"):
        allow(repository, read(user))
    monkeypatch.setattr(sys, "stdin", _terminal("y\n"))
    allow(repository, read(user))
    allow(repository, read(user))


def _terminal(text: str) -> io.StringIO:
    stream = io.StringIO(text)
    stream.isatty = lambda: True  # type: ignore[method-assign]
    return stream


def test_an_option_is_dangerous_unless_it_is_known_not_to_be(tmp_path: Path) -> None:
    values = {bool: True, int: 3, float: 0.5, str: "a", list: ["a"]}
    lines = [
        f"{option.name} = {json.dumps(next(iter(option.choices), values[option.kind]))}"
        for option in options()
        if option.name not in OF_ONE_CALL
    ]
    settings = read(project(tmp_path, "\n".join(lines)))

    assert [name for name, setting in settings.items() if not setting.is_allowed] == [
        *("issue-file", "witness", "driver", "client", "client-command", "command", "pass-env"),
        *("allow-command", "allow-read", "allow-write", "allow-network", "no-jail"),
        *("test-command", "allow-failing-tests", "forge", "remote", "signoff"),
    ]


def test_the_published_schema_has_each_option_and_agrees_with_the_command(tmp_path: Path) -> None:
    path = Path(ROOT, "docs/reference/schemas/pipeline.schema.json")
    schema = json.loads(path.read_text(encoding="utf-8"))
    names = [option.name for option in options() if option.name not in OF_ONE_CALL]
    user = project(tmp_path, None)

    assert [*schema["properties"]] == names
    for text, _ in FAULTS:
        try:
            document = tomllib.loads(text)
        except ValueError:
            continue
        if not any(type(value).__name__ == "date" for value in document.values()):
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate(document, schema)
    assert read(user)["attempts"].value == schema["properties"]["attempts"]["default"]


def test_an_agent_may_not_change_the_settings(bench: Bench) -> None:
    def loosens(turn: Turn) -> None:
        works(turn)
        put(turn, "pipeline.toml", "allow-failing-tests = true\n")

    bench = bench._replace(about=replace(bench.about, target="."))

    assert bench.run(Scripted(implement=loosens)) == 1
    assert bench.stop[:2] == [
        "x-worker made changes that its role does not allow; nothing was undone",
        "pipeline.toml: has the settings of runs, which only a person changes",
    ]
