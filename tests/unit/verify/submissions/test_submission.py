"""A submission is found in what was submitted: its root, its history, one archive."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pipeline.files import MISSING, NOT_REGULAR, Unreadable
from tests.stubs.archives import tar_bytes, written, zip_bytes
from tests.stubs.repositories import UserRepository
from verify.submissions.files import Folder, NoSubmission, PortableFolder, Unresolved, folder_at
from verify.submissions.submission import OpenSubmission, open_content, root_of

if TYPE_CHECKING:
    from pathlib import Path

    from verify.submissions.files import Files


@pytest.fixture
def work(tmp_path: Path) -> UserRepository:
    made = UserRepository(tmp_path / "alice")
    made.commit("feat: it", **{"src/app.py": "x = 1\n"})
    return made


@pytest.mark.parametrize("folder", [Folder, PortableFolder])
def test_a_history_is_opened_once_at_the_root_or_the_top(
    folder: type[Folder], work: UserRepository
) -> None:
    work.commit("docs: it", **{"deep/project/plan.json": "{}\n"})
    with OpenSubmission(folder(str(work.folder)), ["plan.json"]) as submission:
        history = submission.history()
        again = submission.history()
        assert history is not None
        message = history.commit(work.git("rev-parse", "HEAD")).message

    assert (again is history, message, submission.place) == (True, "docs: it", "deep/project/")


WANTED = ["sandbox/.pipeline/ISSUE-1/plan.json", "sandbox/notes.md"]
PLAN = WANTED[0]
ZIP = zip_bytes((PLAN, b"zip"))
NOT_THERE = f"{PLAN} is missing, but there is"
TOO_DEEP = "there are more than 20,000 files and folders, or 64 folders in one another"
DEEP = '"y.zip" is nested too deeply (at most 2 levels)'
TREES: dict[str, tuple[dict[str, bytes], str]] = {
    "at the top": ({PLAN: b"top", f"deep/{PLAN}": b"deep"}, "top"),
    "four down": ({f"a/b/c/d/{PLAN}": b"deep", "a/x": b"", "b/x": b""}, "deep"),
    "five down": (
        {f"a/b/c/d/e/{PLAN}": b"deep", "x": b""},
        "the project is at a/b/c/d/e, more than 4 folders deep",
    ),
    "thirty down": (
        {f"{'a/' * 30}{PLAN}": b"deep", "x": b""},
        f"the project is at {'a/' * 29}a, more than 4 folders deep",
    ),
    "deeper than is searched": ({f"{'a/' * 65}{PLAN}": b"deep"}, TOO_DEEP),
    "versions": ({f"p/Version {n}/{PLAN}": b"%d" % n for n in (1, 9, 10)}, "10"),
    "versions and more": (
        {f"Version 1/{PLAN}": b"", f"Version 2/{PLAN}": b"", "a": b""},
        'there are 2 projects: "Version 1", "Version 2"',
    ),
    "the outermost": ({f"a/{PLAN}": b"near", f"b/c/{PLAN}": b"deep"}, "near"),
    "any of them": ({"a/sandbox/notes.md": b"", f"b/c/{PLAN}": b"deep"}, "missing"),
    "the folder alone": ({"a/sandbox/.pipeline/ISSUE-1/x": b"", f"b/c/{PLAN}": b""}, "missing"),
    "two": ({f"a/{PLAN}": b"", f"b/{PLAN}": b""}, 'there are 2 projects: "a", "b"'),
    "hidden": ({f".trash/{PLAN}": b"", "README": b""}, f'{NOT_THERE} ".trash/{PLAN}"'),
    "closed": ({f"fixtures/{PLAN}": b"", "docs/x": b""}, MISSING),
    "bare": (
        {"HEAD": b"", "objects/x": b"", "refs/x": b""},
        "the submission is a bare git repository",
    ),
    "bare within": (
        {f"a.git/{name}": b"" for name in ("HEAD", "objects/x", "refs/x")},
        '"a.git" is a bare git repository',
    ),
    "an archive": ({"work.zip": ZIP, ".DS_Store": b"", "README": b""}, "zip"),
    "an archive in a folder": ({"a/work.ZIP": ZIP}, "zip"),
    "an archive in an archive": ({"x.zip": zip_bytes(("a/y.zip", ZIP))}, "zip"),
    "too many archives": ({"w.zip": zip_bytes(("x.zip", zip_bytes(("y.zip", ZIP))))}, DEEP),
    "archives": ({"a.zip": ZIP, "b.7z": b""}, 'there are 2 archives: "a.zip", "b.7z"'),
    "a broken one": ({"a.zip": ZIP[:60]}, '"a.zip" cannot be read: it is damaged or cut short'),
    "work beside it": ({"old.zip": ZIP, PLAN: b"top"}, "top"),
    "work below it": ({"old.zip": ZIP, f"a/{PLAN}": b"near"}, "near"),
    "a project beside it": (
        {"old.zip": zip_bytes(("a/x", b""), ("README", b"")), "src/x": b""},
        f'neither the project nor "old.zip" in it has {PLAN}, so it is unclear which one counts',
    ),
    "work in an archive of a project": ({"src/x": b"", "src/a/work": ZIP}, "zip"),
    "a clone in an archive": (
        {"w.zip": zip_bytes(("a/x", b""), ("README", b"")), "README": b""},
        "missing",
    ),
    "an archive four down": ({"a/b/c/d/work": ZIP, "a/b/x.pdf": b"%PDF"}, "zip"),
    "an archive five down": (
        {"a/b/c/d/e/w.zip": ZIP},
        '"a/b/c/d/e/w.zip" is more than 4 folders deep',
    ),
    "no project": ({"x": b"", "a/y.pdf": b"%PDF"}, 'there is no project, only "x", "a/y.pdf"'),
    "the artifact alone": ({"plan.json": b"{}"}, 'there is no project, only "plan.json"'),
    "a program's zip": ({"a/x.docx": ZIP}, 'there is no project, only "a/x.docx"'),
    "nothing": ({}, "missing"),
}


def written_tree(folder: Path, tree: dict[str, bytes]) -> None:
    for path, data in tree.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


def came_of(files: Files, paths: list[str] = WANTED) -> str:
    """Return what reading the plan comes to."""
    try:
        with OpenSubmission(files, paths) as submission:
            return submission.read(PLAN).decode()
    except Unreadable as error:
        return error.reason
    except Unresolved as error:
        return error.reason


PROJECT = {"src/app.js": b"", "README.md": b""}
PACKAGE = {"node_modules/a/package.json": b"{}", "node_modules/a/test/a.tgz": b"\x1f\x8b"}
STRAYS: dict[str, dict[str, bytes]] = {
    place: {place: b"{}" if ".json" in place.casefold() else ZIP}
    for place in (
        *(
            ".hidden/p.zip",
            ".git/p.zip",
            ".git/objects/ab/p",
            "node_modules/p.zip",
            "node_modules/b/p.zip",
        ),
        *("__MACOSX/p.zip", "__MACOSX/._p.zip", "a/.b/p.gz", ".pipeline/p.zip", ".p.zip", "._p"),
        *("sandbox/.pipeline/p.zip", ".DS_Store", ".a/b/c/d/e/f/g/p", f"{'a/' * 20}.h/p.zip"),
        *("plan.json", "a/b/plan.json", "ISSUE-1/plan.json", "pipeline/ISSUE-1/plan.json"),
        *(
            "sandbox/pipeline/ISSUE-1/plan.json",
            "sandbox/.pipeline/plan.json",
            "PLAN.JSON",
            "plan.json.txt",
        ),
        *(".pipeline/ISSUE-1/plan.json", "x/y/.pipeline/ISSUE-1/plan.json", f"docs/{PLAN}"),
        *("sandbox/.pipeline/issue-1/plan.json", "sandbox/.pipeline/ISSUE_1/plan.json"),
        *(f".old/{PLAN}", f"node_modules/{PLAN}", f"sandbox/{PLAN}", f"Sandbox{PLAN[7:]}"),
        *("sandbox/ISSUE-1/plan-final.json", "sandbox/ISSUE-1-plan.json", "plan (1).json"),
    )
}


@pytest.mark.parametrize("place", STRAYS)
def test_g3_an_archive_or_artifact_that_is_anywhere_else_is_unresolved(
    tmp_path: Path, place: str
) -> None:
    written_tree(tmp_path, {**PROJECT, **STRAYS[place]})

    assert came_of(open_content(str(tmp_path)), [PLAN]) == f'{NOT_THERE} "{place}"'


NO_WORK: dict[str, dict[str, bytes]] = {
    "a clone": {".git/HEAD": b"", ".git/objects/ab/x": b"\x78\x01", "README.md": b""},
    "code": PROJECT,
    "packages": {**PROJECT, **PACKAGE, ".venv/pyvenv.cfg": b"", ".venv/lib/a.json.gz": b"\x1f\x8b"},
    "fixtures": {**PROJECT, f"fixtures/x/{PLAN}": b"{}"},
    "a schema": {**PROJECT, "docs/plan.schema.json": b"{}", "docs/plan.md": b""},
    "another issue": {**PROJECT, "sandbox/.pipeline/ISSUE-2/plan.json": b"{}"},
    "its other root": {".pipeline/ISSUE-1/plan.json": b"{}", "sandbox/src/app.js": b""},
    "macOS": {**PROJECT, "__MACOSX/._p.zip": b"\0\5\x16\7", "__MACOSX/._plan.json": b"\0\5\x16\7"},
    "an empty folder": {".gitkeep": b""},
}


@pytest.mark.parametrize("name", NO_WORK)
def test_g6_a_clone_without_work_is_graded_whatever_its_tools_installed(
    tmp_path: Path, name: str
) -> None:
    written_tree(tmp_path, NO_WORK[name])

    assert came_of(open_content(str(tmp_path)), [PLAN]) == MISSING


def test_g6_a_readme_alone_is_unresolved(tmp_path: Path) -> None:
    written_tree(tmp_path, {"README": b"", "a/readme.rst": b"", "LICENSE": b""})

    assert came_of(open_content(str(tmp_path))) == (
        'there is no project, only "LICENSE", "README", "a/readme.rst"'
    )


@pytest.mark.parametrize("name", TREES)
def test_the_root_is_the_outermost_folder_that_holds_what_is_wanted(
    tmp_path: Path, name: str
) -> None:
    tree, expected = TREES[name]
    written_tree(tmp_path, tree)

    assert came_of(open_content(str(tmp_path))) == expected
    if tree:
        archive = written(tmp_path / "all.tar", tar_bytes(*tree.items()))
        assert came_of(open_content(archive)) == expected


def test_a_link_in_the_place_of_the_work_is_found_there_and_none_is_entered(tmp_path: Path) -> None:
    (tmp_path / "real" / "sandbox").mkdir(parents=True)
    (tmp_path / "top").mkdir()
    (tmp_path / "real" / "sandbox" / "notes.md").touch()
    (tmp_path / "top" / "a").symlink_to(tmp_path / "real")
    answers = [came_of(folder_at(str(tmp_path / "top")))]
    (tmp_path / "top" / "sandbox").symlink_to(tmp_path / "real" / "sandbox")
    answers.append(came_of(folder_at(str(tmp_path / "top"))))

    assert answers == [MISSING, NOT_REGULAR]


def test_no_more_is_searched_than_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name / "x").mkdir(parents=True)
    (tmp_path / "c" / "sandbox").mkdir()
    (tmp_path / "c" / "sandbox" / "notes.md").touch()
    files = folder_at(str(tmp_path))
    monkeypatch.setattr("verify.submissions.submission.MAX_SEARCHED", 10)
    place = root_of(files, WANTED)
    monkeypatch.setattr("verify.submissions.submission.MAX_SEARCHED", 9)

    assert (place, came_of(files)) == ("c/", TOO_DEEP.replace("20,000", "9"))


def test_what_was_named_is_a_folder_an_archive_or_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, error, said in (
        (tmp_path / "missing", NoSubmission, "does not exist"),
        (tmp_path / "pipe", Unresolved, '"pipe" is neither a folder nor a file'),
        (written(tmp_path / "a.rar", b"Rar!"), Unresolved, '"a.rar" is a RAR archive'),
    ):
        with pytest.raises(error, match=said):
            open_content(str(path))


def test_all_questions_are_asked_of_the_root_that_was_found(tmp_path: Path) -> None:
    written(tmp_path / "work.zip", ZIP)
    one, other = (OpenSubmission(open_content(str(tmp_path)), WANTED) for _ in "12")
    with one, other:
        answers = [one.is_file(PLAN), other.names("sandbox/.pipeline"), one.names("")]

    assert answers == [True, ["ISSUE-1"], ["sandbox"]]
