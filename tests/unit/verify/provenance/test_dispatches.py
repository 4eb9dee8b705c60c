"""A client's records name who ran to an end, and support the markers that fit them in order."""

from __future__ import annotations

import json
from typing import Any

import pytest

from verify.provenance.dispatches import Dispatch, NoRecords, dispatches_in, unsupported

PLANNED, DONE, PUBLISHED = "x-subplanner", "x-worker", "x-git"


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def start(agent: str, id_: str = "") -> dict[str, str]:
    return {"event": "start", "agent": agent, "id": id_}


def stop(agent: str, id_: str = "", status: str = "") -> dict[str, str]:
    return {"event": "stop", "agent": agent, "id": id_, "status": status}


def test_agents_are_told_in_the_order_in_which_they_ended() -> None:
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
    ("data", "told"),
    [
        (b"{\n", "is not strict JSON on line 1"),
        (lines(stop(DONE)) + b"\n" + lines(stop(DONE)), "is not strict JSON on line 2"),
        (b'{"event": "stop", "event": "start"}', "is not strict JSON on line 1"),
        (lines([]), "has no object on line 1"),
        (lines(stop("")), "names no event and agent on line 1"),
        (lines({"event": 1, "agent": DONE}), "names no event and agent on line 1"),
        (lines(stop(DONE) | {"id": 1}), "has an id or a status that is no text on line 1"),
        (lines(stop(DONE) | {"status": []}), "has an id or a status that is no text on line 1"),
        (b"{}\n" * 2_001, "has more than 2000 lines"),
    ],
)
def test_what_is_no_file_of_records_is_told_with_its_line(data: bytes, told: str) -> None:
    with pytest.raises(NoRecords) as raised:
        dispatches_in(data)

    assert str(raised.value) == told


RAN = (Dispatch(PLANNED, 1, 2), Dispatch(DONE, 3, 4), Dispatch(PUBLISHED, 5, 6))


def test_agents_that_ran_in_order_support_the_markers_and_who_did_not_run_is_named() -> None:
    assert unsupported((PLANNED, DONE, PUBLISHED), RAN) == ("", "", "")
    assert unsupported((PLANNED, "x-worker\u202e"), RAN) == (
        "",
        'dispatch.jsonl has no "x-worker\\u202e" that ran to its end',
    )


def test_an_agent_that_ran_too_early_is_named() -> None:
    ran = (Dispatch(DONE, 1, 2), Dispatch(PLANNED, 3, 4))
    within = (Dispatch(DONE, 2, 3), Dispatch(PLANNED, 1, 4))
    across = (Dispatch(PLANNED, 1, 3), Dispatch(DONE, 2, 4))

    told = ("", '"x-worker" ran only before the stage before had ended')
    assert unsupported((PLANNED, DONE), ran) == told
    assert unsupported((PLANNED, DONE), within) == told
    assert unsupported((PLANNED, DONE), across) == told


def test_an_agent_that_ran_twice_counts_with_the_run_that_fits() -> None:
    ran = (Dispatch(DONE, 1, 2), Dispatch(PLANNED, 3, 4), Dispatch(DONE, 5, 6))

    assert unsupported((PLANNED, DONE), ran) == ("", "")


def test_a_stage_that_is_not_supported_holds_up_no_other() -> None:
    assert unsupported(("x-planner", DONE, PUBLISHED), RAN) == (
        'dispatch.jsonl has no "x-planner" that ran to its end',
        "",
        "",
    )
