"""An artifact is validated: by its kind, in document order, by the command."""

from __future__ import annotations

import io
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT
from pipeline.protocol import validate as protocol
from pipeline.protocol.advice import problem_of
from pipeline.protocol.problems import Problem
from pipeline.protocol.validate import Validation, main, validate, validator
from pipeline.schema import KINDS

if TYPE_CHECKING:
    from pathlib import Path


Output = tuple[int, str, str]
GIT = {"branch": "feature/a", "commit_sha": "0123abc", "commit_message": "feat: x"}
NO_KIND = (
    "the file name does not show the kind of artifact: rename it to one of plan.json,"
    " worker-result.json, git-result.json, classifications.json, test-result.json,"
    " review-result.json, or use"
    " --kind plan|worker-result|git-result|classifications|test-result|review-result"
)
TOO_LARGE = "is larger than the limit of 1024 KiB"


class Stdin:
    """A standard input of given bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


@pytest.fixture(autouse=True)
def _in_a_folder_with_a_valid_artifact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "git-result.json").write_text(json.dumps(GIT), encoding="utf-8")


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> Output:
    code = main(KINDS, ["--validate", *arguments])
    return (code, *capsys.readouterr())


@pytest.mark.spec("7.1", "8.1")
def test_the_worst_verdict_of_several_artifacts_counts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    valid = "git-result.json"
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "git-result.json").write_text("[]")
    bad = (
        "bad/git-result.json:1:1: wrong type (expected an object in { }, "
        "found an array of 0 elements). To do: Write an object in { }, and nothing around it.\n"
    )
    missing = "plan.json: does not exist\n"

    assert output(capsys, valid, valid, f"./{valid}") == (0, "OK\n", "")
    assert output(capsys, valid, "bad/git-result.json") == (1, "", bad)
    assert output(capsys, "plan.json", "bad/git-result.json", valid) == (2, "", missing + bad)


def test_a_kind_that_is_named_wins_over_the_name_of_the_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(GIT), encoding="utf-8")
    (tmp_path / "x.txt").write_text(json.dumps(GIT), encoding="utf-8")

    assert output(capsys, "plan.json", "x.txt", "--kind", "git-result") == (0, "OK\n", "")
    assert output(capsys, "x.txt") == (2, "", f"x.txt: {NO_KIND}\n")


def test_standard_input_is_read_and_needs_a_kind(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = "this is not JSON (expected a key in double quotes, found ])"
    problem = f"<stdin>:2:1: {wrong}. To do: Write the key in double quotes.\n"
    monkeypatch.setattr("sys.stdin", Stdin(b"{\n]"))

    assert output(capsys, "-") == (2, "", f"<stdin>: {NO_KIND}\n")
    assert output(capsys, "-", "--kind", "git-result") == (1, "", problem)


@pytest.mark.parametrize(
    ("stdin", "code", "sentence"),
    [(Stdin(b" " * ((1 << 20) + 1)), 1, TOO_LARGE), (None, 2, "is closed")],
    ids=["above the limit", "closed"],
)
def test_a_standard_input_that_cannot_be_read_is_reported_in_one_line(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    stdin: Stdin | None,
    code: int,
    sentence: str,
) -> None:
    monkeypatch.setattr("sys.stdin", stdin)

    assert output(capsys, "-", "--kind", "plan") == (code, "", f"<stdin>: {sentence}\n")


@pytest.mark.spec("8.2")
def test_a_file_at_the_limit_is_read_and_one_above_is_invalid(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "git-result.json").write_bytes(json.dumps(GIT).encode().ljust(1 << 20))
    with (tmp_path / "plan.json").open("wb") as file:
        file.truncate(1 << 30)

    assert output(capsys, "git-result.json") == (0, "OK\n", "")
    assert output(capsys, "plan.json") == (1, "", f"plan.json: {TOO_LARGE}\n")


@pytest.mark.parametrize(
    ("path", "shown", "sentence"),
    [
        ("a\0/plan.json", "a\\u{0}/plan.json", "does not exist"),
        ("n" * 300 + "/plan.json", "n" * 299 + "…", "does not exist"),
        ("folder/plan.json", "folder/plan.json", "is a folder, not a regular file"),
    ],
    ids=["NUL", "long", "folder"],
)
def test_what_cannot_be_read_is_reported_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, path: str, shown: str, sentence: str
) -> None:
    (tmp_path / "folder" / "plan.json").mkdir(parents=True)

    assert output(capsys, path) == (2, "", f"{shown}: {sentence}\n")


@pytest.mark.parametrize("arguments", [[], ["--validate", "plan.json", "--profile", "strict"]])
def test_wrong_usage_exits_with_2(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(KINDS, arguments)

    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("schema.py: ")


def git_result(fields: dict[str, Any], profile: Any = "core") -> Validation:
    return validate(json.dumps({**GIT, **fields}).encode(), KINDS["git-result"], profile)


def test_a_valid_artifact_is_its_value_without_problems() -> None:
    assert git_result({}) == Validation(GIT)


def test_the_value_of_an_invalid_artifact_is_kept_beside_all_its_problems() -> None:
    found = git_result({"branch": 1, "commit_sha": 2}, "exercise")
    fields = 'only "branch", "commit_sha", "commit_message"'
    missing = "this field is missing"
    add = 'Add "produced_by" with the name of the agent that wrote the file (for example x-git).'
    text = "a string in double quotes"

    assert found == Validation(
        {**GIT, "branch": 1, "commit_sha": 2},
        (
            Problem(
                *("fields", ("branch",), "wrong type", text, "1", 1, 12),
                action="Write the name of the branch that has the commit.",
            ),
            Problem(
                *("fields", ("commit_sha",), "wrong type", text, "2", 1, 29),
                action="Write the hash that git rev-parse HEAD prints on the branch.",
            ),
            Problem("fields", ("produced_by",), missing, '"produced_by"', fields, 1, 59, add),
        ),
    )


def test_every_problem_is_kept_however_many_there_are() -> None:
    files = [f"src/{number}.js" for number in range(1501)]
    steps = [{"order": n, "file": name, "description": "x"} for n, name in enumerate(files)]
    plan = {"affected_files": files[:1], "steps": steps}

    found = validate(json.dumps(plan).encode(), KINDS["plan"])

    assert [p.path for p in found.problems] == [("steps", n, "file") for n in range(1, 1501)]


def test_what_one_action_repairs_is_one_problem_for_each_field() -> None:
    files = ["./a", "./b", "./c"]
    plan = {
        "affected_files": files,
        "steps": [{"step": 1, "file": file, "description": 2} for file in files],
        "produced_by": 3,
    }
    problems = validate(json.dumps(plan).encode(), KINDS["plan"]).problems

    assert [(p.path[-1], p.message) for p in problems] == [
        (0, "this is not a path in the project, in 6 places"),
        ("description", "wrong type, in 3 places"),
        ("order", "this field is missing, in 3 places"),
        ("produced_by", "wrong type"),
    ]


def test_a_type_of_error_that_has_no_words_is_reported_in_those_of_pydantic() -> None:
    error = {"type": "recursion_loop", "loc": ("a", 1), "msg": "Recursion error", "input": []}

    assert problem_of(error, []) == Problem(
        "fields",
        ("a", 1),
        "Recursion error",
        "",
        "an array of 0 elements",
        action="Write a different value.",
    )


@pytest.mark.parametrize(
    ("kind", "name", "holder", "found"),
    [
        ("plan", "affected_files", {"affected-files": 1}, "affected-files"),
        ("plan", "affected_files", {"files": [], "affected_fils": 2}, "affected_fils"),
        # a synonym with a value of its type
        ("plan", "affected_files", {"files": [], "title": "x"}, "files"),
        ("plan", "affected_files", {"files": 1}, None),
        ("plan", "order", {"order" * 50: "1"}, None),
        ("plan", "order", None, None),
        # another field of the contract is never meant
        ("git-result", "commit_sha", {"commit_message": "feat: x"}, None),
        ("worker-result", "blockers", {"status": "y", "blocker": 0}, "blocker"),
    ],
)
def test_a_missing_field_is_reported_with_a_name_that_is_near(
    kind: str, name: str, holder: Any, found: str | None
) -> None:
    path = ("steps", 0, name) if name == "order" else (name,)

    error = {"type": "missing", "loc": path, "input": holder}
    problem = problem_of(error, KINDS[kind].example)

    assert problem.action.startswith(f'Rename "{found}"' if found else f'Add "{name}"')


FIXTURES = os.path.join(ROOT, "fixtures", "artifacts", "invalid")


@pytest.fixture
def _another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = {**protocol._compiled(), "pydantic_core": "0.0.0"}  # noqa: SLF001
    monkeypatch.setattr(protocol, "_compiled", lambda: compiled)
    monkeypatch.setattr(protocol, "_VALIDATORS", {})


def verdicts(kind: str) -> dict[str, Validation]:
    found = {}
    for name in sorted(os.listdir(FIXTURES)):
        if name.startswith(kind) and name.endswith(".json"):
            with open(os.path.join(FIXTURES, name), "rb") as file:
                found[name] = validate(file.read(), KINDS[kind], "exercise")
    return found


VERDICTS = {kind: verdicts(kind) for kind in KINDS}


def test_a_validator_is_built_once() -> None:
    assert validator(KINDS["plan"]) is validator(KINDS["plan"])


@pytest.mark.usefixtures("_another_version")
@pytest.mark.parametrize("kind", list(KINDS))
def test_with_another_version_the_models_give_the_same_verdicts(kind: str) -> None:
    assert verdicts(kind) == VERDICTS[kind]
