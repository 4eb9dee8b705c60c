"""A run that is witnessed can be told from one that says so: by the key, and by nothing else."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pipeline.bootstrap import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Completed = subprocess.CompletedProcess[str]
    Run = Callable[..., Completed]

PROMPT = "work on issue ISSUE-202: page through the list of notes"
FOLDER = ".pipeline/ISSUE-202"
NAMES = ("plan.json", "worker-result.json", "git-result.json")


class Bench(NamedTuple):
    """A repository of a learner's, two pairs of keys, and how to run and to grade."""

    root: Path
    keys: Path
    environment: dict[str, str]
    script: str

    def python(self, *words: str) -> Completed:
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    def pipeline(self, *words: str) -> Completed:
        return self.python("-m", "pipeline", *words)

    def key(self, whose: str, which: str) -> str:
        return str(self.keys / whose / f"witness.{which}.pem")

    def graded(self, *words: str, project: str = ".") -> Completed:
        return self.python(self.script, "--exercise", "04", "--project", project, *words)

    def levels(self, *words: str) -> dict[str, tuple[str, list[str]]]:
        """Return the level of each artifact, with what is said of the third."""
        done = self.graded("--format", "json", *words)
        assert done.stderr == ""
        (exercise,) = json.loads(done.stdout)["exercises"]
        return {
            each["path"].rpartition("/")[2]: (
                each["level"],
                [missed["reason"] for missed in each["missed"] if missed["level"] == "L3"],
            )
            for each in exercise["provenance"]["artifacts"]
        }

    def put(self, path: str, value: Any) -> None:
        (self.root / FOLDER / path).write_text(json.dumps(value))

    def read(self, path: str) -> Any:
        return json.loads((self.root / FOLDER / path).read_bytes())


def bench_in(top: Path) -> Bench:
    """Return a committed repository with the sandbox in it, and pairs of keys outside of it."""
    root = top / "repository"
    ignored = shutil.ignore_patterns("node_modules", ".pipeline", ".cursor")
    shutil.copytree(os.path.join(ROOT, "sandbox"), root / "sandbox", ignore=ignored)
    identity = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "A Learner"), ("EMAIL", "learner@example.org"))
    }
    ours = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONPATH": ROOT,
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "120",
    }
    script = os.path.join(ROOT, "docs", "practitioner", "tutorials", "verify.py")
    bench = Bench(root, top / "keys", {**os.environ, **identity, **ours}, script)
    for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "chore: x")):
        subprocess.run(["git", *words], cwd=root, env=bench.environment, check=True)
    for whose in ("instructor", "learner"):
        made = bench.pipeline("witness", "keygen", str(bench.keys / whose))
        assert (made.returncode, made.stderr) == (0, "")
    return bench


@pytest.fixture(scope="module")
def witnessed(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Return a repository in which a run was witnessed with the instructor's key."""
    bench = bench_in(tmp_path_factory.mktemp("witnessed"))
    done = bench.pipeline("run", PROMPT, "--witness", bench.key("instructor", "key"))
    assert (done.returncode, done.stderr) == (0, "")
    return bench


@pytest.fixture
def bench(witnessed: Bench, tmp_path: Path) -> Bench:
    """Return a copy of what was handed in, for a test to alter."""
    root = tmp_path / "submission"
    shutil.copytree(witnessed.root, root, symlinks=True)
    return witnessed._replace(root=root)


def all_at(level: str, *reasons: str) -> dict[str, tuple[str, list[str]]]:
    return dict.fromkeys(NAMES, (level, list(reasons)))


def with_key(bench: Bench, whose: str = "instructor") -> tuple[str, str]:
    return "--witness-key", bench.key(whose, "pub")


def test_a_witnessed_run_has_level_3_with_the_key_of_its_witness(witnessed: Bench) -> None:
    done = witnessed.graded(*with_key(witnessed))

    assert (done.returncode, done.stderr) == (0, "")
    assert (
        "Provenance: L3, witnessed and signed "
        "(plan.json L3, worker-result.json L3, git-result.json L3)\n"
    ) in done.stdout


def test_the_mark_is_the_same_whatever_the_level(witnessed: Bench) -> None:
    told = [
        json.loads(witnessed.graded("--format", "json", *words).stdout)["exercises"][0]
        for words in ((), ("--provenance",), with_key(witnessed), with_key(witnessed, "learner"))
    ]

    marks = [{name: each[name] for name in ("passed", "score", "checks")} for each in told]
    assert marks == [marks[0]] * 4


@pytest.mark.parametrize("events", [3, 5, 10, 14])
def test_a_run_that_is_killed_never_attests_what_it_did_not_see(
    tmp_path: Path, events: int
) -> None:
    bench = bench_in(tmp_path)
    words = ("run", PROMPT, "--witness", bench.key("instructor", "key"))
    with subprocess.Popen(
        [sys.executable, "-m", "pipeline", *words, "--json"],
        cwd=bench.root,
        env=bench.environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for _ in range(events):
            process.stdout.readline()
        process.kill()

    resumed = bench.pipeline(*words)

    found = bench.levels(*with_key(bench))
    lost = [name for name, (level, _) in found.items() if level != "L3"]
    assert (resumed.returncode, resumed.stderr) == (0, "")
    assert found["plan.json"] == ("L3", [])
    assert all(found[name][1] == ["its envelope does not exist"] for name in lost)
    assert resumed.stdout.count(", not witnessed (kept)") == len(lost)


def test_a_key_of_somebody_else_shows_nothing(witnessed: Bench) -> None:
    found = witnessed.levels(*with_key(witnessed, "learner"))

    told = "its envelope is not signed by this key, or has been altered"
    assert {level for level, _ in found.values()} <= {"L0", "L1"}
    assert [reasons for _, reasons in found.values()] == [[told]] * 3


def test_an_artifact_that_is_written_again_is_not_the_one_that_was_witnessed(bench: Bench) -> None:
    bench.put("plan.json", bench.read("plan.json"))

    found = bench.levels(*with_key(bench))

    assert {name: reasons for name, (_, reasons) in found.items()} == {
        "plan.json": ["it has been altered after it was witnessed"],
        "worker-result.json": ['it was made from another "plan.json"'],
        "git-result.json": ['it was made from another "plan.json"'],
    }


def altered_payload(envelope: Any) -> Any:
    payload = json.loads(base64.b64decode(envelope["payload"]))
    payload["predicate"]["model"]["confirmed"] = "a better one"
    return envelope | {"payload": base64.b64encode(json.dumps(payload).encode()).decode()}


ALTERED = "its envelope is not signed by this key, or has been altered"


@pytest.mark.parametrize(
    ("alter", "told"),
    [
        (altered_payload, ALTERED),
        (
            lambda one: one | {"signatures": [{"sig": base64.b64encode(bytes(64)).decode()}]},
            ALTERED,
        ),
        (
            lambda one: one | {"signatures": one["signatures"] * 2},
            "its envelope has 2 signatures (expected one)",
        ),
        (
            lambda one: one | {"payloadType": "application/json"},
            "its envelope holds another type of payload (expected application/vnd.in-toto+json)",
        ),
        (lambda one: one | {"padding": " " * 70_000}, "its envelope is larger than 64 KiB"),
        (lambda _: [], "its envelope is no envelope"),
    ],
    ids=["payload", "signature", "signatures", "type", "huge", "none"],
)
def test_every_part_of_an_envelope_counts(
    bench: Bench, alter: Callable[[Any], Any], told: str
) -> None:
    bench.put("witness/plan.dsse.json", alter(bench.read("witness/plan.dsse.json")))

    assert bench.levels(*with_key(bench))["plan.json"][1] == [told]


def test_an_envelope_of_another_artifact_is_told(bench: Bench) -> None:
    folder = bench.root / FOLDER / "witness"
    shutil.copyfile(folder / "plan.dsse.json", folder / "git-result.dsse.json")

    assert bench.levels(*with_key(bench))["git-result.json"][1] == [
        'what is signed is about ".pipeline/ISSUE-202/plan.json"'
    ]


def test_an_envelope_of_another_issue_is_told(bench: Bench) -> None:
    shutil.copytree(bench.root / FOLDER, bench.root / ".pipeline" / "ISSUE-7")
    done = bench.graded("--issue", "ISSUE-7", *with_key(bench))

    assert "not L3: what is signed is about" in done.stdout
    assert "Provenance: L3" not in done.stdout


def test_the_statements_of_another_run_are_told(bench: Bench, tmp_path: Path) -> None:
    recording = tmp_path / "recording"
    shutil.copytree(os.path.join(ROOT, "fixtures", "solutions", "ISSUE-202"), recording)
    plan = json.loads((recording / "plan.json").read_bytes())
    plan["steps"][0]["description"] += ", another way"
    (recording / "plan.json").write_text(json.dumps(plan))
    other = bench._replace(root=tmp_path / "other")
    shutil.copytree(bench.root / "sandbox", other.root / "sandbox")
    for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "chore: x")):
        subprocess.run(["git", *words], cwd=other.root, env=bench.environment, check=True)
    done = other.pipeline(
        *("run", PROMPT, "--recording", str(recording), "--until", "plan"),
        *("--witness", bench.key("instructor", "key")),
    )
    for name in ("plan.json", "witness/plan.dsse.json"):
        shutil.copyfile(other.root / FOLDER / name, bench.root / FOLDER / name)

    with_git = bench.levels(*with_key(bench))
    shutil.rmtree(bench.root / ".git")
    without = bench.levels(*with_key(bench))

    assert done.returncode == 0
    assert with_git["plan.json"][1][0].endswith(", which the git history does not have")
    assert without["plan.json"] == ("L3", [])
    for found in (with_git, without):
        assert found["worker-result.json"][1] == ['it was made from another "plan.json"']
        assert found["git-result.json"][1] == ['it was made from another "plan.json"']


def test_an_envelope_that_is_a_link_or_a_pipe_is_not_read(bench: Bench, tmp_path: Path) -> None:
    folder = bench.root / FOLDER / "witness"
    shutil.move(folder / "plan.dsse.json", tmp_path / "envelope")
    (folder / "plan.dsse.json").symlink_to(tmp_path / "envelope")
    (folder / "git-result.dsse.json").unlink()
    os.mkfifo(folder / "git-result.dsse.json")

    found = bench.levels(*with_key(bench))

    assert found["plan.json"][1] == ["its envelope is a link, not a regular file"]
    assert found["git-result.json"][1] == ["its envelope is a named pipe, not a regular file"]


def test_records_of_a_client_are_level_2(bench: Bench) -> None:
    events = [
        {"event": event, "agent": agent}
        for agent in ("x-subplanner", "x-worker", "x-git")
        for event in ("start", "stop")
    ]
    lines = "".join(json.dumps(event) + "\n" for event in events)
    (bench.root / FOLDER / "dispatch.jsonl").write_text(lines)

    done = bench.graded("--provenance")

    assert "Provenance: L2, corroborated by client records (" in done.stdout


@pytest.mark.parametrize("which", ["key", "nothing"])
def test_a_key_that_is_no_public_one_is_one_line(witnessed: Bench, which: str) -> None:
    done = witnessed.graded("--witness-key", witnessed.key("instructor", which))

    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1


def test_a_key_in_the_repository_stops_a_run_before_it_begins(bench: Bench) -> None:
    shutil.copy(bench.key("instructor", "key"), bench.root / "key.pem")

    done = bench.pipeline("run", PROMPT, "--witness", "key.pem")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "pipeline: --witness key.pem: is in the repository, where agents could read it\n"
    )


def test_a_second_pair_of_keys_in_the_same_folder_is_refused(witnessed: Bench) -> None:
    before = (witnessed.keys / "learner" / "witness.key.pem").read_bytes()

    done = witnessed.pipeline("witness", "keygen", str(witnessed.keys / "learner"))

    assert (done.returncode, done.stdout) == (2, "")
    assert "is there, and a key is never overwritten" in done.stderr
    assert (witnessed.keys / "learner" / "witness.key.pem").read_bytes() == before


def test_without_the_libraries_only_who_asks_is_told(bench: Bench, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden" / "securesystemslib"
    hidden.mkdir(parents=True)
    (hidden / "__init__.py").write_text("raise ImportError(name='securesystemslib')\n")
    paths = f"{tmp_path / 'hidden'}{os.pathsep}{ROOT}"
    lacking = bench._replace(environment=bench.environment | {"PYTHONPATH": paths})

    plain = lacking.graded()
    asked = lacking.graded(*with_key(bench))
    run = lacking.pipeline("run", PROMPT, "--witness", bench.key("instructor", "key"))

    advice = (
        "signatures need securesystemslib: python3 start.py witness, or pip install '.[witness]'"
    )
    assert plain.returncode == 0
    assert (asked.returncode, asked.stdout) == (2, "")
    assert asked.stderr.endswith(f"{advice}\n")
    assert (run.returncode, run.stderr) == (2, f"pipeline: {advice}\n")
