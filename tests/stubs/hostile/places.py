"""Hands the corpus in: in a folder, in a .zip, as archives of their own, and as histories."""

from __future__ import annotations

import os
import shutil
import stat
import zipfile
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT
from tests.stubs.hostile.cases import PLAN, Case
from tests.stubs.hostile.gits import BUNDLES
from tests.stubs.hostile.making import solved
from tests.stubs.hostile.repositories import REPOSITORIES, working_copy
from tests.stubs.hostile.tars import TARS
from tests.stubs.hostile.trees import Node, NotHere, lay_out, members, nodes_of
from tests.stubs.hostile.zips import ZIPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Members = Iterator[tuple[str, bytes | int]]

FIRST = "a-good"
SECRET = "CANARY-5f2c"  # noqa: S105  # a text that must never be shown
_EVIDENCE = os.path.join(ROOT, "fixtures", "submissions", "expert", "04-evidence", "solved")
_SOLVED = [Node(PLAN, "file", "SOLVED")]


def learner_of(index: int, case: Case) -> str:
    """Return what a case's learner is called."""
    return str(case.recipe) if case.kind == "learner" else f"m{index:03}"


def neighbour_of(index: int) -> str:
    """Return who stands behind a case's learner, with a plan that passes."""
    return f"m{index:03}z-good"


def make_canary(folder: str) -> None:
    """Make what lies outside of all submissions: plans, of which a finding would show the text."""
    data = solved().replace(b'"x-planner"', b'"%b"' % SECRET.encode())
    for path in ("plan.json", PLAN, PLAN.removeprefix("sandbox/"), "config"):
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "wb") as file:
            file.write(data)


def archive(name: str) -> bytes:
    """Return an archive by its name in the corpus."""
    stem, suffix = os.path.splitext(name)
    return ZIPS[stem]() if suffix == ".zip" and stem in ZIPS else TARS[name]()


def suffix_of(name: str) -> str:
    """Return the ending of an archive's name, which it is handed in with."""
    return name[name.index(".") :]


def in_folder(root: str, cases: Sequence[Case], canary: str) -> dict[str, int]:
    """Lay out the submissions that a folder can hold, each beside one that passes."""
    lay_out(os.path.join(root, FIRST), _SOLVED)
    held = {}
    for index, case in enumerate(cases):
        path = os.path.join(root, learner_of(index, case))
        if case.kind in ("plan", "tree", "learner") and _is_for_folders(case):
            nodes = _SOLVED if case.kind == "learner" else nodes_of(case, canary)
            lay_out(path, nodes)
        elif case.kind == "repository" and not case.recipe.endswith(".bundle"):
            REPOSITORIES[case.recipe](working_copy(path), canary)
        else:
            continue
        lay_out(os.path.join(root, neighbour_of(index)), _SOLVED)
        held[case.name] = index
    return held


def _is_for_folders(case: Case) -> bool:
    return case.kind != "tree" or not any("device" in node for node in case.recipe)


def in_archives(root: str, cases: Sequence[Case]) -> dict[str, int]:
    """Lay out each learner's own archive in a place of its own, between two that pass."""
    held = {}
    for index, case in enumerate(cases):
        if case.kind == "archive":
            place = os.path.join(root, learner_of(index, case))
            lay_out(os.path.join(place, FIRST), _SOLVED)
            lay_out(os.path.join(place, neighbour_of(index)), _SOLVED)
            with open(archive_path(root, index, case), "wb") as file:
                file.write(archive(case.recipe))
            held[case.name] = index
    return held


def archive_path(root: str, index: int, case: Case) -> str:
    """Return where a learner's own archive lies."""
    who = learner_of(index, case)
    return os.path.join(root, who, who + suffix_of(case.recipe))


def _members(cases: Sequence[Case], held: dict[str, int]) -> Members:
    """Yield the members of one archive of all submissions that it can hold."""
    yield f"{FIRST}/{PLAN}", solved()
    for index, case in enumerate(cases):
        who = learner_of(index, case)
        if case.kind == "archive":
            yield who + suffix_of(case.recipe), archive(case.recipe)
        elif case.kind in ("plan", "tree", "learner"):
            nodes = _SOLVED if case.kind == "learner" else nodes_of(case, "/nowhere")
            try:
                found = members(nodes)
            except NotHere:
                continue
            yield from ((f"{who}/{path}", data) for path, data in found)
        else:
            continue
        held[case.name] = index
        yield f"{neighbour_of(index)}/{PLAN}", solved()


def in_zip(path: str, cases: Sequence[Case]) -> dict[str, int]:
    """Write one .zip of all submissions that it can hold."""
    held: dict[str, int] = {}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, data in _members(cases, held):
            info = zipfile.ZipInfo(name)
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            mode = data if isinstance(data, int) else stat.S_IFREG
            info.external_attr = (mode | 0o644) << 16
            file.writestr(info, b"/etc/passwd" if isinstance(data, int) else data, compresslevel=1)
    return held


def in_evidence(root: str, cases: Sequence[Case], canary: str) -> dict[str, int]:
    """Lay out submissions whose claims are checked against a hostile history."""
    held = {}
    for index, case in enumerate(cases):
        if case.kind != "repository":
            continue
        path = os.path.join(root, learner_of(index, case))
        shutil.copytree(_EVIDENCE, path)
        bundled = os.path.join(path, ".pipeline", "history.bundle")
        if case.recipe.endswith(".bundle"):
            with open(bundled, "wb") as file:
                file.write(BUNDLES[case.recipe.removesuffix(".bundle")]())
        else:
            os.unlink(bundled)
            REPOSITORIES[case.recipe](working_copy(path), canary)
        held[case.name] = index
    return held
