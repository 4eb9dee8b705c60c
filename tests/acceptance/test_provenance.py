"""A run that is witnessed can be told from one that says so: by the key, and by nothing else."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pipeline.bootstrap import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Completed

AGENT = os.path.join(ROOT, "tests", "stubs", "lesson_agent.py")
CLIENT = f"{shlex.join([sys.executable, AGENT])} {{role}} {{root}} {{target}} {{artifact}}"
PROMPT = "work on issue ISSUE-202: page through the list of notes"
RUN = ("run", PROMPT, "--driver", "command", "--command", CLIENT)
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
    done = bench.pipeline(*RUN, "--witness", bench.key("instructor", "key"))
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


def test_a_witnessed_run_has_level_3_with_the_key_of_its_witness_and_the_same_mark(
    witnessed: Bench,
) -> None:
    plain, done = witnessed.graded("--provenance"), witnessed.graded(*with_key(witnessed))

    assert (done.returncode, done.stderr) == (0, "")
    assert "\n  not L2: dispatch.jsonl does not exist\n" in plain.stdout
    assert done.stdout.partition("Provenance:")[0] == plain.stdout.partition("Provenance:")[0]
    assert (
        "Provenance: L3, witnessed and signed "
        "(plan.json L3, worker-result.json L3, git-result.json L3)\n"
    ) in done.stdout


@pytest.mark.parametrize("events", [5, pytest.param(10, marks=pytest.mark.slow)])
def test_a_run_that_is_killed_never_attests_what_it_did_not_see(
    tmp_path: Path, events: int
) -> None:
    bench = bench_in(tmp_path)
    words = (*RUN, "--witness", bench.key("instructor", "key"))
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


def test_an_artifact_that_is_written_again_is_not_the_one_that_was_witnessed(bench: Bench) -> None:
    bench.put("plan.json", bench.read("plan.json"))

    found = bench.levels(*with_key(bench))

    assert {name: reasons for name, (_, reasons) in found.items()} == {
        "plan.json": ["it has been changed since it was witnessed"],
        "worker-result.json": ['it was made from a different "plan.json"'],
        "git-result.json": ['it was made from a different "plan.json"'],
    }


def test_a_key_that_is_no_public_one_is_one_line(witnessed: Bench) -> None:
    done = witnessed.graded("--witness-key", witnessed.key("instructor", "key"))

    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
