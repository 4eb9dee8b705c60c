"""Each artifact has the highest level that was shown for it, the submission the lowest of them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from pipeline.files import DENIED, Unreadable
from pipeline.signing.envelope import signed
from pipeline.signing.statement import resource, statement
from verify.grading.artifacts import ArtifactRef
from verify.grading.levels import Level, Provenance, Traced, WhyNot
from verify.grading.model import PASSED, Check, Outcome, Result, Verdict
from verify.grading.provenance import (
    Dispatch,
    NoRecords,
    assess,
    dispatches_in,
    unsupported,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.grading.artifacts import Context
    from verify.grading.model import Exercise

    On = Callable[..., Context]
    Assessed = Callable[..., Provenance | None]


KEY = Ed25519PrivateKey.generate()
PEM = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
COMMIT = "12" * 20
FOLDER = ".pipeline/ISSUE-7"
PLAN, WORKER = f"{FOLDER}/plan.json", f"{FOLDER}/worker-result.json"
EVIDENCE = Check(
    code="F01.1", title="git agrees", run=lambda _: PASSED, hint="-", compares_git=True
)
OTHER = Check(code="F01.2", title="something else", run=lambda _: PASSED, hint="-")
NO_GIT = WhyNot(Level.CONSISTENT, "no check of this exercise compares artifacts with git")


@pytest.fixture
def exercise(toy_exercise: Callable[..., Exercise]) -> Exercise:
    """Return an exercise about a worker's result and the plan before it, in this order."""
    artifacts = (ArtifactRef("worker-result.json"), ArtifactRef("plan.json"))
    return replace(toy_exercise(EVIDENCE, OTHER), artifacts=artifacts)


@pytest.fixture
def artifacts(plan: dict[str, Any], worker_result: dict[str, Any]) -> dict[str, bytes]:
    """Return the two artifacts as they are submitted."""
    return {PLAN: json.dumps(plan).encode(), WORKER: json.dumps(worker_result).encode()}


@pytest.fixture
def assessed(exercise: Exercise, context_on: On) -> Assessed:
    """Return what assesses files by the results of checks, with what is looked for."""

    def of(
        files: dict[str, bytes],
        found: tuple[Result, ...] = (),
        key: str | None = PEM,
    ) -> Provenance | None:
        return assess(context_on(files, exercise=exercise), found, key)

    return of


def records(*agents: str) -> bytes:
    return b"".join(
        json.dumps({"event": event, "agent": agent}).encode() + b"\n"
        for agent in agents
        for event in ("start", "stop")
    )


def envelope(
    artifacts: dict[str, bytes], path: str, *inputs: str, role: str, issue: str = "ISSUE-7"
) -> bytes:
    sha256 = {name: hashlib.sha256(data).hexdigest() for name, data in artifacts.items()}
    made_from = [resource(name, sha256[name]) for name in inputs]
    predicate: Any = {"issue": issue, "role": role, "inputs": made_from, "tree": {"commit": COMMIT}}
    return json.dumps(signed(statement(path, sha256[path], predicate), KEY)).encode()


def witnessed(artifacts: dict[str, bytes]) -> dict[str, bytes]:
    return artifacts | {
        f"{FOLDER}/witness/plan.dsse.json": envelope(artifacts, PLAN, role="x-subplanner"),
        f"{FOLDER}/witness/worker-result.dsse.json": envelope(
            artifacts, WORKER, PLAN, role="x-worker"
        ),
    }


def results(outcome: Outcome = Outcome.PASS) -> tuple[Result, ...]:
    return Result(EVIDENCE, Verdict(outcome)), Result(OTHER, Verdict(Outcome.FAIL))


def levels(found: Provenance | None) -> list[tuple[str, str]]:
    assert found is not None
    return [(traced.name, traced.level.code) for traced in found.artifacts]


def reasons(found: Provenance | None, level: Level) -> list[str]:
    assert found is not None
    return [
        missed.reason for each in found.artifacts for missed in each.missed if missed.level == level
    ]


def test_artifacts_that_git_agrees_with_are_consistent_and_nothing_more_is_read(
    exercise: Exercise, artifacts: dict[str, bytes], context_on: On
) -> None:
    context = context_on(artifacts, exercise=exercise)

    found = assess(context, results())

    assert found == Provenance(
        (
            Traced("plan.json", PLAN, Level.CONSISTENT),
            Traced("worker-result.json", WORKER, Level.CONSISTENT),
        )
    )
    assert context.submission.read_paths == [WORKER, PLAN]  # type: ignore[attr-defined]  # of the fake


@pytest.mark.parametrize("outcome", [Outcome.FAIL, Outcome.SKIP])
def test_one_check_of_the_evidence_that_does_not_pass_leaves_them_declared(
    artifacts: dict[str, bytes], outcome: Outcome, assessed: Assessed
) -> None:
    found = assessed(artifacts, results(outcome), None)

    message = "git does not confirm what the artifacts say (F01.1)"
    assert levels(found) == [("plan.json", "L0"), ("worker-result.json", "L0")]
    assert reasons(found, Level.CONSISTENT) == [message, message]


def test_without_evidence_and_a_question_or_without_markers_nothing_is_reported(
    exercise: Exercise, artifacts: dict[str, bytes], context_on: On
) -> None:
    context = context_on(artifacts, exercise=exercise)

    assert assess(context, results()[1:], None) is None
    assert assess(context_on({}, exercise=replace(exercise, artifacts=())), results(), PEM) is None


def test_records_of_the_client_corroborate(artifacts: dict[str, bytes], assessed: Assessed) -> None:
    files = artifacts | {f"{FOLDER}/dispatch.jsonl": records("x-subplanner", "x-worker")}

    found = assessed(files, results()[1:], "")

    assert levels(found) == [("plan.json", "L2"), ("worker-result.json", "L2")]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", ["dispatch.jsonl does not exist"] * 2),
        (b"{", ["dispatch.jsonl is not strict JSON on line 1"] * 2),
        (records("x-subplanner"), ['dispatch.jsonl has no completed run of "x-worker"']),
    ],
)
def test_missing_or_broken_records_are_reported(
    artifacts: dict[str, bytes], data: bytes, message: list[str], assessed: Assessed
) -> None:
    files = artifacts | ({f"{FOLDER}/dispatch.jsonl": data} if data else {})

    found = assessed(files, results()[1:], "")

    assert reasons(found, Level.CORROBORATED) == message


def test_what_a_run_signed_is_witnessed(artifacts: dict[str, bytes], assessed: Assessed) -> None:
    found = assessed(witnessed(artifacts))

    assert found == Provenance(
        (
            Traced("plan.json", PLAN, Level.WITNESSED),
            Traced("worker-result.json", WORKER, Level.WITNESSED),
        )
    )


def test_what_was_altered_afterwards_is_not_and_neither_is_what_was_made_of_it(
    artifacts: dict[str, bytes], assessed: Assessed
) -> None:
    files = witnessed(artifacts)
    files[PLAN] += b" "

    found = assessed(files)

    assert levels(found) == [("plan.json", "L0"), ("worker-result.json", "L0")]
    assert reasons(found, Level.WITNESSED) == [
        "the artifact has been changed since it was witnessed",
        'the artifact was made from a different "plan.json"',
    ]


def test_a_contradiction_of_git_is_reported_beside_any_level_above_it_and_nothing_else_is(
    exercise: Exercise, artifacts: dict[str, bytes], context_on: On
) -> None:
    context = context_on(witnessed(artifacts), exercise=exercise)
    message, silent = (
        assess(context, results(Outcome.FAIL), PEM),
        assess(context, results()[1:], PEM),
    )
    why = WhyNot(Level.CONSISTENT, "git does not confirm what the artifacts say (F01.1)")

    assert message is not None
    assert silent is not None
    assert [each.missed for each in message.artifacts] == [(why,), (why,)]
    assert [each.missed for each in silent.artifacts] == [(), ()]
    assert levels(message) == levels(silent) == [("plan.json", "L3"), ("worker-result.json", "L3")]


def test_a_check_that_waits_for_the_evidence_is_not_named_besides(
    exercise: Exercise, artifacts: dict[str, bytes], context_on: On
) -> None:
    second = replace(EVIDENCE, code="F01.3", requires=("F01.1",))
    third = replace(EVIDENCE, code="F01.4", requires=("F01.2",))
    found = assess(
        context_on(artifacts, exercise=exercise),
        (
            Result(EVIDENCE, Verdict(Outcome.FAIL)),
            Result(second, Verdict(Outcome.SKIP), "F01.1"),
            Result(third, Verdict(Outcome.SKIP), "F01.2"),
        ),
    )

    message = "git does not confirm what the artifacts say (F01.1, F01.4)"
    assert reasons(found, Level.CONSISTENT) == [message, message]


class Past(NamedTuple):
    """A history that has some commits."""

    commits: tuple[str, ...]
    cut: str = ""

    def find(self, name: str) -> dict[str, str]:
        return {each: "commit" for each in self.commits if each == name}


def damaged() -> Past:
    raise Unreadable(DENIED, "is damaged")


BEGAN = "the turn began at the commit 1212121212, which is not in the git history"


@pytest.mark.parametrize(
    ("history", "message"),
    [
        (lambda: Past((COMMIT,)), []),
        (lambda: Past(()), [BEGAN, BEGAN]),
        (lambda: Past((), "the clone is shallow"), []),
        (damaged, []),
    ],
    ids=["there", "another", "cut", "damaged"],
)
def test_a_run_on_another_repository_is_reported_where_there_is_a_history(
    exercise: Exercise,
    artifacts: dict[str, bytes],
    context_on: On,
    history: Callable[[], Any],
    message: list[str],
) -> None:
    context = context_on(witnessed(artifacts), exercise=exercise)
    context.submission.history = history  # type: ignore[method-assign]  # a fake's

    assert reasons(assess(context, (), PEM), Level.WITNESSED) == message


@pytest.mark.parametrize("value", [b"", b"[1]", b'{"produced_by": 1}'])
def test_what_names_no_one_is_traced_to_no_one(
    exercise: Exercise,
    artifacts: dict[str, bytes],
    context_on: On,
    value: bytes,
    assessed: Assessed,
) -> None:
    files = artifacts | {PLAN: value, f"{FOLDER}/dispatch.jsonl": records("x-worker")}

    found = assessed(files, results())
    nobody = context_on({PLAN: value, WORKER: value}, exercise=exercise)

    assert assess(nobody, results(), None) is None
    message = "the artifact has no produced_by"
    assert found is not None
    assert found.artifacts[0] == Traced(
        "plan.json",
        PLAN,
        Level.DECLARED,
        tuple(WhyNot(level, message) for level in (Level(1), Level(2), Level(3))),
    )


def test_artifacts_of_several_issues_are_distinguished_and_each_issue_has_its_records(
    exercise: Exercise, artifacts: dict[str, bytes], context_on: On
) -> None:
    sources = (ArtifactRef("plan.json", issue="ISSUE-8"), ArtifactRef("plan.json"))
    files = artifacts | {
        ".pipeline/ISSUE-8/plan.json": artifacts[PLAN],
        ".pipeline/ISSUE-8/dispatch.jsonl": records("x-subplanner"),
    }

    several = replace(exercise, artifacts=sources)
    found = assess(context_on(files, exercise=several), (), "")

    assert levels(found) == [("plan.json", "L0"), ("ISSUE-8/plan.json", "L2")]
    assert found is not None
    assert found.artifacts[0].missed == (
        NO_GIT,
        WhyNot(Level.CORROBORATED, "dispatch.jsonl does not exist"),
    )


PLANNED, DONE, PUBLISHED = "x-subplanner", "x-worker", "x-git"


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def start(agent: str, id_: str = "") -> dict[str, str]:
    return {"event": "start", "agent": agent, "id": id_}


def stop(agent: str, id_: str = "", status: str = "") -> dict[str, str]:
    return {"event": "stop", "agent": agent, "id": id_, "status": status}


def test_agents_are_reported_in_the_order_in_which_they_ended() -> None:
    data = lines(start(PLANNED), stop(PLANNED), start(DONE), start(PUBLISHED), stop(PUBLISHED))

    assert dispatches_in(data + lines(stop(DONE, status="completed"))) == (
        Dispatch(PLANNED, 1, 2),
        Dispatch(PUBLISHED, 4, 5),
        Dispatch(DONE, 3, 6),
    )


def test_what_began_and_did_not_end_well_did_not_run_to_its_end() -> None:
    data = lines(start(PLANNED), stop(DONE, status="error"), stop(DONE, status="aborted"))

    assert dispatches_in(data) == ()


def test_an_end_belongs_to_the_beginning_of_its_id_and_without_one_to_the_last() -> None:
    began = lines(start(DONE, "a"), start(DONE, "b"))
    by_id = began + lines(stop(DONE, "a"), stop(DONE, "b"))

    assert dispatches_in(by_id) == (Dispatch(DONE, 1, 3), Dispatch(DONE, 2, 4))
    assert dispatches_in(began + lines(stop(DONE), stop(DONE))) == (
        Dispatch(DONE, 2, 3),
        Dispatch(DONE, 1, 4),
    )


def test_an_end_without_a_beginning_began_where_it_ended() -> None:
    assert dispatches_in(lines(start(DONE, "a"), stop(DONE, "b"))) == (Dispatch(DONE, 2, 2),)


def test_events_of_another_kind_and_further_fields_are_passed_over() -> None:
    data = lines({"event": "note", "agent": DONE}, stop(DONE) | {"files": [1], "model": None})

    assert dispatches_in(data.replace(b"\n", b"\r\n").rstrip()) == (Dispatch(DONE, 2, 2),)
    assert dispatches_in(data) == (Dispatch(DONE, 2, 2),)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{\n", "is not strict JSON on line 1"),
        (lines(stop(DONE)) + b"\n" + lines(stop(DONE)), "is not strict JSON on line 2"),
        (b'{"event": "stop", "event": "start"}', "is not strict JSON on line 1"),
        (lines([]), "has no valid record on line 1"),
        (lines(stop("")), "has no valid record on line 1"),
        (lines({"event": 1, "agent": DONE}), "has no valid record on line 1"),
        (lines(stop(DONE) | {"id": 1}), "has no valid record on line 1"),
        (lines(stop(DONE) | {"status": []}), "has no valid record on line 1"),
        (b"{}\n" * 2_001, "has more than 2000 lines"),
    ],
)
def test_what_is_no_file_of_records_is_reported_with_its_line(data: bytes, message: str) -> None:
    with pytest.raises(NoRecords) as raised:
        dispatches_in(data)

    assert str(raised.value) == message


RAN = (Dispatch(PLANNED, 1, 2), Dispatch(DONE, 3, 4), Dispatch(PUBLISHED, 5, 6))


def test_agents_that_ran_in_order_support_the_markers_and_who_did_not_run_is_named() -> None:
    assert unsupported((PLANNED, DONE, PUBLISHED), RAN) == ("", "", "")
    assert unsupported((PLANNED, "x-worker\u202e"), RAN) == (
        "",
        'dispatch.jsonl has no completed run of "x-worker\\u202e"',
    )


def test_an_agent_that_ran_too_early_is_named() -> None:
    ran = (Dispatch(DONE, 1, 2), Dispatch(PLANNED, 3, 4))
    within = (Dispatch(DONE, 2, 3), Dispatch(PLANNED, 1, 4))
    across = (Dispatch(PLANNED, 1, 3), Dispatch(DONE, 2, 4))

    message = ("", '"x-worker" did not run after the previous stage ended')
    assert unsupported((PLANNED, DONE), ran) == message
    assert unsupported((PLANNED, DONE), within) == message
    assert unsupported((PLANNED, DONE), across) == message


def test_an_agent_that_ran_twice_counts_with_the_run_that_fits() -> None:
    ran = (Dispatch(DONE, 1, 2), Dispatch(PLANNED, 3, 4), Dispatch(DONE, 5, 6))

    assert unsupported((PLANNED, DONE), ran) == ("", "")


def test_a_stage_that_is_not_supported_holds_up_no_other() -> None:
    assert unsupported(("x-planner", DONE, PUBLISHED), RAN) == (
        'dispatch.jsonl has no completed run of "x-planner"',
        "",
        "",
    )
