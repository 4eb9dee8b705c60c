"""The command reports each problem in a line and tells the verdict by its exit code."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING

import pytest

from pipeline.validate_command import main

if TYPE_CHECKING:
    from pathlib import Path

Output = tuple[int, str, str]
GIT = {"branch": "feature/a", "commit_sha": "0123abc", "commit_message": "feat: x"}
BRANCH = "$.branch: wrong form (expected feature/<slug>, such as feature/issue-7-health, found "
NO_KIND = (
    "the name does not tell what this is (expected one of plan.json, worker-result.json,"
    " git-result.json, classifications.json; or name it with"
    " --kind plan|worker-result|git-result|classifications)"
)
WORKER = '{"status": "x", "blockers": [], "summary": "x", "files_changed": ['


class Stdin:
    """A standard input of given bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def valid(tmp_path: Path) -> str:
    """Return the name of a valid artifact in the working directory."""
    (tmp_path / "git-result.json").write_text(json.dumps(GIT), encoding="utf-8")
    return "git-result.json"


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> Output:
    code = main(["--validate", *arguments])
    return (code, *capsys.readouterr())


def test_a_valid_artifact_prints_ok(capsys: pytest.CaptureFixture[str], valid: str) -> None:
    assert output(capsys, valid) == (0, "OK\n", "")


def test_several_valid_artifacts_print_ok_once(
    capsys: pytest.CaptureFixture[str], valid: str
) -> None:
    assert output(capsys, valid, valid, f"./{valid}") == (0, "OK\n", "")


@pytest.mark.spec("7.1")
def test_the_worst_verdict_of_several_artifacts_counts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, valid: str
) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "git-result.json").write_text(json.dumps({**GIT, "branch": "main"}))
    bad = f'bad/git-result.json:1:12: {BRANCH}"main")\n'
    missing = "plan.json: does not exist\n"

    assert output(capsys, valid, "bad/git-result.json") == (1, "", bad)
    assert output(capsys, "plan.json", "bad/git-result.json", valid) == (2, "", missing + bad)


def test_the_exercise_profile_asks_for_more(capsys: pytest.CaptureFixture[str], valid: str) -> None:
    problem = "git-result.json:1:1: $.produced_by: this field is missing\n"

    assert output(capsys, valid, "--profile", "exercise") == (1, "", problem)
    assert output(capsys, valid, "--profile", "core") == (0, "OK\n", "")


def test_the_kind_can_be_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(json.dumps(GIT), encoding="utf-8")

    assert output(capsys, "x.txt") == (2, "", f"x.txt: {NO_KIND}\n")
    assert output(capsys, "x.txt", "--kind", "git-result") == (0, "OK\n", "")


def test_a_kind_that_is_named_wins_over_the_name_of_the_file(
    capsys: pytest.CaptureFixture[str], valid: str
) -> None:
    code, out, err = output(capsys, valid, "--kind", "plan")

    assert (code, out, err.splitlines()) == (
        1,
        "",
        [
            "git-result.json:1:1: $.affected_files: this field is missing",
            "git-result.json:1:1: $.steps: this field is missing",
        ],
    )


def test_standard_input_is_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Stdin(b'{"branch": "main"\n'))
    problem = (
        "<stdin>:2:1: an object goes on wrongly here (expected a comma or },"
        " found the end of the file)\n"
    )

    assert output(capsys, "-", "--kind", "git-result") == (1, "", problem)


def test_standard_input_needs_a_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert output(capsys, "-") == (2, "", f"<stdin>: {NO_KIND}\n")


def test_standard_input_above_the_limit_is_invalid(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Stdin(b" " * ((1 << 20) + 1)))
    sentence = "<stdin>: is larger than 1024 KiB, the most that is read\n"

    assert output(capsys, "-", "--kind", "plan") == (1, "", sentence)


def test_a_closed_standard_input_cannot_be_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", None)

    assert output(capsys, "-", "--kind", "plan") == (2, "", "<stdin>: is closed\n")


@pytest.mark.spec("8.3")
@pytest.mark.parametrize(
    ("count", "shown", "rest"), [(20, 20, []), (21, 20, [1]), (3000, 20, [2980])]
)
def test_twenty_problems_are_shown_and_the_rest_is_counted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, count: int, shown: int, rest: list[int]
) -> None:
    text = WORKER + ",\n".join(["1"] * count) + "]}"
    (tmp_path / "worker-result.json").write_text(text, encoding="utf-8")
    first = f"worker-result.json:1:{len(WORKER) + 1}: $.files_changed[0]"
    others = [f"worker-result.json:{n + 1}:1: $.files_changed[{n}]" for n in range(1, shown)]

    code, out, err = output(capsys, "worker-result.json")

    assert (code, out) == (1, "")
    assert err.splitlines() == [
        *[f"{place}: wrong type (expected a string, found 1)" for place in (first, *others)],
        *[f"worker-result.json: and {number} more problems" for number in rest],
    ]


@pytest.mark.spec("8.2")
def test_a_file_above_the_limit_is_invalid(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with (tmp_path / "plan.json").open("wb") as file:
        file.truncate(1 << 30)
    sentence = "plan.json: is larger than 1024 KiB, the most that is read\n"

    assert output(capsys, "plan.json") == (1, "", sentence)


@pytest.mark.spec("8.2")
def test_a_file_at_the_limit_is_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "git-result.json").write_bytes(json.dumps(GIT).encode().ljust(1 << 20))

    assert output(capsys, "git-result.json") == (0, "OK\n", "")


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("nowhere/plan.json", "does not exist"),
        ("a\0/plan.json", "does not exist"),
        ("n" * 300 + "/plan.json", "does not exist"),
        ("folder/plan.json", "is a folder, not a regular file"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, path: str, sentence: str
) -> None:
    (tmp_path / "folder" / "plan.json").mkdir(parents=True)
    shown = path.replace("\0", "\\u{0}")
    shown = shown if len(shown) <= 300 else shown[:299] + "…"

    assert output(capsys, path) == (2, "", f"{shown}: {sentence}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--validate"],
        ["--validate", "plan.json", "--kind", "report"],
        ["--validate", "plan.json", "--profile", "strict"],
        ["plan.json"],
    ],
)
def test_wrong_usage_is_told_in_one_line_and_exits_with_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    out, err = capsys.readouterr()

    assert (caught.value.code, out) == (2, "")
    assert re.fullmatch(r"schema\.py: .+; --help shows what is possible\n", err)
