"""Which stretches of an archive are whose, told from names and places alone."""

from __future__ import annotations

import pickle

from verify.sources.archive_layout import Layout, Payload, Place, Within
from verify.sources.base import Entry
from verify.sources.naming import CANVAS, PLAIN, Naming


def _layout(*paths: str, above: str = "all", forced: str = "", around: bool = True) -> Layout:
    places = [
        Place(path.removesuffix("/"), path.endswith("/"), at * 10, at * 10 + 10)
        for at, path in enumerate(paths)
    ]
    return Layout(lambda _: iter(places), above, forced, around=around)


def test_a_payload_is_small_and_names_the_stretch() -> None:
    payload = _layout("work/", "work/ada/1", "work/ada/2", "work/bob/1").payload("work/ada")

    assert payload == Payload("work/ada", "work/", Naming(PLAIN), ((10, 30),))
    assert len(pickle.dumps(payload)) < 200


def test_nothing_around_all_where_there_can_be_nothing() -> None:
    layout = _layout("work/ada/1", "work/bob/1", around=False)

    assert list(layout.entries()) == [Entry("work", "work")]


def test_many_members_of_one_learner_are_one_stretch() -> None:
    places = (Place(f"ada/{at}", is_folder=False, start=at, end=at + 1) for at in range(10_000))
    layout = Layout(lambda _: places, "all", around=False)

    assert layout.payload("ada").stretches == ((0, 10_000),)


def test_scattered_learners_are_put_together() -> None:
    layout = _layout("ada/1", "bob/1", "ada/2", "cy/1", "bob/2")

    assert [entry.inner for entry in layout.entries()] == ["ada", "bob", "cy"]
    assert layout.payload("bob").stretches == ((10, 20), (40, 50))


def test_only_members_of_the_submission_have_a_path_in_it() -> None:
    within = Within(Payload("x/doe_1", "x/", Naming(CANVAS), ()))
    asked = ["x/doe_1_2_plan.json", "x/doe_2_3_plan.json", "doe_1_2_plan.json", "x/doe_1/a"]

    assert [within.path(path, is_folder=False) for path in asked] == ["plan.json", "", "", "a"]
    assert within.path("x/doe_1", is_folder=True) == ""
