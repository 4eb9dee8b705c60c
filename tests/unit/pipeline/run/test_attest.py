"""What a run signs is what it saw: the turn, the trees around it, and what it was made from."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.git import Repository
from pipeline.run import guard
from pipeline.run.attest import AcceptedTurn, attest
from pipeline.run.context import Run
from pipeline.run.stages.plan import PLANNING
from pipeline.signing.attester import Attester
from pipeline.signing.keys import make_pair
from pipeline.terminal.fault import Fault
from tests.stubs.agents import Scripted, plan, plans, put, read, result, works, write

if TYPE_CHECKING:
    from pipeline.drivers.base import Turn
    from tests.unit.pipeline.run.conftest import Bench

WHOLE = Path(__file__).parent / "whole" / "statement.json"
ENVELOPES = ("plan", "worker-result", "git-result")


@pytest.fixture
def key(tmp_path: Path) -> str:
    """Return the path of a private key."""
    return make_pair(str(tmp_path / "keys"))[0]


def attester(bench: Bench, key: str) -> Attester:
    return Attester(key, str(bench.root))


def run(bench: Bench, key: str, driver: Scripted, **options: Any) -> int:
    models = {"x-worker": "big"}
    return bench.run(driver, attester=attester(bench, key), models=models, **options)


def signed(bench: Bench, name: str) -> dict[str, Any]:
    """Return the statement of an envelope."""
    envelope = read(bench.folder / "witness" / f"{name}.dsse.json")
    statement: dict[str, Any] = json.loads(base64.b64decode(envelope["payload"]))
    return statement


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_each_artifact_of_a_run_is_attested_with_what_was_seen_of_it(
    bench: Bench, key: str
) -> None:
    commit = bench.git("rev-parse", "HEAD")

    code = run(bench, key, Scripted())

    statement = signed(bench, "worker-result")
    trees = statement["predicate"].pop("tree")
    assert (code, bench.stop) == (0, [])
    assert sorted(os.listdir(bench.folder / "witness")) == sorted(
        f"{name}.dsse.json" for name in ENVELOPES
    )
    whole = WHOLE.read_text(encoding="utf-8")
    for name, file in (("(of the result)", "worker-result.json"), ("(of the plan)", "plan.json")):
        whole = whole.replace(name, sha256(bench.folder / file))
    assert statement == json.loads(whole)
    assert trees["commit"] == commit
    assert trees["before"] != trees["after"]
    planned, done, published = (signed(bench, name)["predicate"]["tree"] for name in ENVELOPES)
    assert planned["after"] == done["before"]
    assert done["after"] == published["before"]
    assert published["after"] not in (published["before"], done["before"])
    predicate = signed(bench, "git-result")["predicate"]
    message = {name: predicate[name] for name in ("role", "wrote", "prompted", "turn")}
    assert message == {"role": "x-git", "wrote": "runner", "prompted": "x-git", "turn": 4}
    assert [each["name"].rpartition("/")[2] for each in predicate["inputs"]] == [
        "plan.json",
        "worker-result.json",
    ]


def test_in_delegated_mode_it_is_reported_whose_session_was_prompted(
    bench: Bench, key: str
) -> None:
    run(bench, key, Scripted(), delegate=True)

    predicate = signed(bench, "plan")["predicate"]
    message = {name: predicate[name] for name in ("role", "prompted", "mode")}
    assert message == {"role": "x-subplanner", "prompted": "x-planner", "mode": "delegated"}


def test_what_is_not_accepted_is_not_attested(bench: Bench, key: str) -> None:
    def blocked(turn: Turn) -> None:
        write(turn, result(status="blocked"))

    code = run(bench, key, Scripted(implement=blocked))

    assert code == 1
    assert os.listdir(bench.folder / "witness") == ["plan.dsse.json"]


def test_work_that_is_sent_back_is_attested_as_it_is_in_the_end(bench: Bench, key: str) -> None:
    def reworks(turn: Turn) -> None:
        works(turn)
        write(turn, result() | {"summary": "Mended after the review"})

    driver = Scripted(
        implement=[works, reworks], review=[lambda _: "changes needed", lambda _: "approved"]
    )

    code = run(bench, key, driver)

    statement = signed(bench, "worker-result")
    assert (code, statement["predicate"]["turn"]) == (0, 4)
    assert statement["subject"][0]["digest"]["sha256"] == sha256(
        bench.folder / "worker-result.json"
    )


def kept(bench: Bench) -> list[str]:
    return [event.text for event in bench.events if event.what == "kept"]


def test_a_run_says_of_what_it_keeps_whether_it_was_witnessed(bench: Bench, key: str) -> None:
    bench.run(Scripted(), until="plan")
    run(bench, key, Scripted(), until="implement")
    run(bench, key, Scripted())

    assert kept(bench) == [
        "app/.pipeline/ISSUE-7/plan.json, not witnessed",
        "app/.pipeline/ISSUE-7/plan.json, not witnessed",
        "app/.pipeline/ISSUE-7/worker-result.json, witnessed before",
    ]


def test_a_killed_turn_that_is_kept_is_not_witnessed(bench: Bench, key: str) -> None:
    def dies(turn: Turn) -> None:
        plans(turn)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(bench, key, Scripted(plan=dies))
    code = run(bench, key, Scripted())

    assert code == 0
    assert kept(bench) == ["app/.pipeline/ISSUE-7/plan.json, not witnessed"]
    assert sorted(os.listdir(bench.folder / "witness")) == [
        "git-result.dsse.json",
        "worker-result.dsse.json",
    ]


def test_a_commit_of_an_earlier_run_is_attested_without_a_turn(bench: Bench, key: str) -> None:
    run(bench, key, Scripted())
    (bench.folder / "git-result.json").unlink()

    code = run(bench, key, Scripted())

    predicate = signed(bench, "git-result")["predicate"]
    assert code == 0
    assert (predicate["prompted"], predicate["turn"]) == ("", 0)


def test_a_role_that_touches_an_envelope_stops_the_run(bench: Bench, key: str) -> None:
    def forges(turn: Turn) -> None:
        works(turn)
        put(turn, "app/.pipeline/ISSUE-7/witness/worker-result.dsse.json", "{}")

    code = run(bench, key, Scripted(implement=forges))

    assert code == 1
    name = "app/.pipeline/ISSUE-7/witness/worker-result.dsse.json"
    assert f"{name}: is not the artifact of x-worker" in bench.stop


def test_a_folder_of_envelopes_that_is_a_link_stops_the_run(
    bench: Bench, key: str, tmp_path: Path
) -> None:
    bench.folder.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (bench.folder / "witness").symlink_to(tmp_path / "elsewhere")

    code = run(bench, key, Scripted())

    assert code == 1
    assert bench.stop == [
        "app/.pipeline/ISSUE-7/witness leads to a different folder: remove the link"
    ]
    assert os.listdir(tmp_path / "elsewhere") == []


def test_what_has_changed_since_the_turn_ended_is_not_attested(bench: Bench, key: str) -> None:
    repository = Repository(str(bench.root))
    going = Run(
        about=bench.about,
        repository=repository,
        driver=Scripted(),
        forge=bench.forge,
        listen=bench.events.append,
        attester=attester(bench, key),
    )
    before = guard.take(repository, "app")
    bench.folder.mkdir(parents=True)
    (bench.folder / "plan.json").write_text(json.dumps(plan()))
    after = guard.take(repository, "app")
    (bench.folder / "plan.json").write_text("{}")

    with pytest.raises(Fault) as stop:
        attest(going, AcceptedTurn(PLANNING, "", before, after))

    assert stop.value.lines == (
        (
            "app/.pipeline/ISSUE-7/plan.json has changed since x-subplanner ended, "
            "so it is not witnessed"
        ),
        "Delete it, then run the same command again.",
    )
    assert not (bench.folder / "witness").exists()
