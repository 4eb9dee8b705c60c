"""A run that is witnessed can be told from one that says so: by the key, and by nothing else."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.benches import RUN, Bench

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Completed, Environment

SCRIPT = os.path.join(ROOT, "docs", "practitioner", "tutorials", "verify.py")


class Witnessed(Bench):
    """A repository and a pair of keys beside it, and what is said of its provenance."""

    def key(self, which: str) -> str:
        return str(self.root.parent / "keys" / f"witness.{which}.pem")

    def graded(self, *words: str) -> Completed:
        return self.python(SCRIPT, "--exercise", "04", "--project", ".", *words)

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


@pytest.fixture
def bench(tmp_path: Path, environment: Environment) -> Witnessed:
    made = Witnessed(tmp_path / "repository", environment(COLUMNS="120"))
    keygen = made.pipeline("witness", "keygen", str(tmp_path / "keys"))
    assert (keygen.returncode, keygen.stderr) == (0, "")
    return made


def test_a_witnessed_run_has_level_3_with_the_key_of_its_witness_and_the_same_mark(
    bench: Witnessed,
) -> None:
    run = bench.pipeline(*RUN, "--witness", bench.key("key"))
    plain, done = bench.graded("--provenance"), bench.graded("--witness-key", bench.key("pub"))
    private = bench.graded("--witness-key", bench.key("key"))

    assert (run.returncode, run.stderr) == (0, "")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\n  not L2: dispatch.jsonl does not exist\n" in plain.stdout
    assert done.stdout.partition("Provenance:")[0] == plain.stdout.partition("Provenance:")[0]
    assert (
        "Provenance: L3, witnessed and signed "
        "(plan.json L3, worker-result.json L3, git-result.json L3)\n"
    ) in done.stdout
    assert (private.returncode, private.stdout, len(private.stderr.splitlines())) == (2, "", 1)


@pytest.mark.parametrize("events", [5, pytest.param(10, marks=pytest.mark.slow)])
def test_a_run_that_is_killed_never_attests_what_it_did_not_see(
    bench: Witnessed, events: int
) -> None:
    with bench.started("--witness", bench.key("key")) as process:
        assert process.stdout is not None
        for _ in range(events):
            process.stdout.readline()
        process.kill()

    resumed = bench.pipeline(*RUN, "--witness", bench.key("key"))

    found = bench.levels("--witness-key", bench.key("pub"))
    lost = [name for name, (level, _) in found.items() if level != "L3"]
    assert (resumed.returncode, resumed.stderr) == (0, "")
    assert found["plan.json"] == ("L3", [])
    assert all(found[name][1] == ["its envelope does not exist"] for name in lost)
    assert resumed.stdout.count(", not witnessed (kept)") == len(lost)
