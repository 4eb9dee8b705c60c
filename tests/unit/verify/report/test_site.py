"""Tests of the whole report as files, and of where it stands."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import sys
from typing import TYPE_CHECKING

import pytest

from tests.report.cohorts import cohort
from tests.stubs.marks import FakeCohort
from verify.intake.table import Unusable
from verify.report import site
from verify.report.site import replaced, write_site

if TYPE_CHECKING:
    from pathlib import Path


def digests(folder: Path) -> dict[str, str]:
    """Return the digest of every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of forty learners, ten of them hostile, in two exercises."""
    folder = tmp_path_factory.mktemp("site") / "report"
    write_site(cohort(40, "practitioner/04", "expert/04"), str(folder))
    return folder


def test_every_learner_has_a_page_and_nothing_is_elsewhere(report: Path) -> None:
    names = list(digests(report))

    assert [name for name in names if not name.startswith("learners/")] == [
        *(".cohort-report", "assets/back.js", "assets/colours.css", "assets/learner.css"),
        *("assets/media.css", "assets/overview.css", "assets/page.css", "assets/table.css"),
        "assets/table.js",
        "index.html",
    ]
    index = (report / "index.html").read_text("utf-8")
    data = json.loads(re.findall(r'id="data">(.*)</script>', index)[0])

    assert len(names) == 50
    assert sorted(f"learners/{row[0]}.html" for row in data["rows"]) == names[10:]


def test_the_same_cohort_gives_the_same_bytes(report: Path, tmp_path: Path) -> None:
    write_site(cohort(40, "practitioner/04", "expert/04"), str(tmp_path / "other"))

    assert digests(tmp_path / "other") == digests(report)


def test_no_page_has_a_script_or_a_style_of_its_own_or_asks_another_host(report: Path) -> None:
    for path in report.rglob("*.html"):
        text = path.read_text("utf-8")
        scripts = re.findall(r"<script[^>]*>", text)

        assert "default-src 'none'" in text
        assert len(scripts) == text.count("<script") == 1 + (path.name == "index.html")
        assert not re.search(r"<style|\sstyle=|\son\w+=|(src|href)=\"(https?:)?//", text)


def test_an_empty_cohort_has_a_report_too(tmp_path: Path) -> None:
    write_site(FakeCohort(cohort(1).exercises, ()), str(tmp_path / "report"))

    assert "0 of 0 learners passed" in (tmp_path / "report/index.html").read_text("utf-8")


def test_too_many_learners_are_refused_and_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "LIMIT", 3)

    with pytest.raises(Unusable, match="--html can write at most 3 pages for learners"):
        write_site(cohort(4), str(tmp_path / "report"))

    assert os.listdir(tmp_path) == []


def test_what_is_not_installed_is_named_with_the_command_that_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "verify.report.pages")
    monkeypatch.setitem(sys.modules, "jinja2", None)

    with pytest.raises(Unusable, match="--html needs jinja2, which"):
        write_site(cohort(1), str(tmp_path / "report"))

    assert os.listdir(tmp_path) == []


def write(folder: Path, text: str) -> None:
    """Write a report of one page and one learner."""
    with replaced(str(folder)) as new:
        for name in ("index.html", "learners/a.html", "assets/x.css"):
            with open(os.path.join(new, name), "w", encoding="utf-8") as file:
                file.write(text)


def test_a_report_replaces_an_older_one_and_leaves_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "new" / "report").mkdir(parents=True)
    write(tmp_path / "new" / "report", "one")
    write(tmp_path / "new" / "report", "two")

    assert (tmp_path / "new/report/index.html").read_text() == "two"
    assert os.listdir(tmp_path / "new") == ["report"]


def test_what_fails_half_way_leaves_the_old_report(tmp_path: Path) -> None:
    write(tmp_path / "report", "one")

    with pytest.raises(KeyError), replaced(str(tmp_path / "report")):
        raise KeyError

    assert (tmp_path / "report/index.html").read_text() == "one"
    assert os.listdir(tmp_path) == ["report"]


def killed_between_the_renames(folder: Path) -> None:
    """Write a report in a process of its own, which is killed when the old one is moved away."""
    if not (child := os.fork()):
        rename = os.rename

        def killing(old: str, new: str) -> None:
            rename(old, new)
            os.kill(os.getpid(), signal.SIGKILL)

        pytest.MonkeyPatch().setattr(os, "rename", killing)
        write(folder, "two")
    os.waitpid(child, 0)


def test_the_next_report_takes_up_what_a_kill_between_the_renames_left(tmp_path: Path) -> None:
    report = tmp_path / "report"
    write(report, "one")
    killed_between_the_renames(report)
    left = os.listdir(tmp_path)
    with pytest.raises(KeyError), replaced(str(report)):
        raise KeyError
    recovered = (report / "index.html").read_text()
    killed_between_the_renames(report)
    write(report, "three")

    assert (len(left), left[0].startswith(".cohort-report-"), recovered) == (1, True, "one")
    assert (os.listdir(tmp_path), (report / "index.html").read_text()) == (["report"], "three")


def test_a_report_removes_nothing_that_is_not_its_own(tmp_path: Path) -> None:
    write(tmp_path / "report", "one")
    write(tmp_path / "other", "one")
    killed_between_the_renames(tmp_path / "other")
    (theirs,) = (name for name in os.listdir(tmp_path) if name.startswith("."))
    with replaced(str(tmp_path / "report")) as running:
        write(tmp_path / "report", "two")
        ours = os.path.basename(os.path.dirname(running))
        still_there = os.path.isdir(running)
        named_alike = tmp_path / f"{ours[:24]}mine.part"
        (named_alike / "old").mkdir(parents=True)
        (named_alike / "lock").touch()
        (named_alike / "thesis.md").write_text("years of work")
    write(tmp_path / "report", "three")

    assert still_there
    assert sorted(os.listdir(tmp_path)) == sorted([named_alike.name, theirs, "report"])
    assert (named_alike / "thesis.md").read_text() == "years of work"


@pytest.mark.parametrize("name", ["thesis.md", ".cohort-report"])
def test_a_folder_of_somebodys_files_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("years of work")

    with pytest.raises(Unusable, match=f"contains {name}, which is not part of a report"):
        write(tmp_path, "one")

    assert (tmp_path / name).read_text() == "years of work"


@pytest.mark.parametrize("name", ["notes.txt", "learners/notes.txt", "assets/logo.png"])
def test_a_report_that_somebody_put_files_into_is_refused(tmp_path: Path, name: str) -> None:
    write(tmp_path / "report", "one")
    (tmp_path / "report" / name).write_text("mine")

    with pytest.raises(Unusable, match=f"contains {name}, which is not part of a report"):
        write(tmp_path / "report", "two")

    assert (tmp_path / "report" / name).read_text() == "mine"


def test_a_file_or_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")

    for name in ("file", "link"):
        with pytest.raises(Unusable, match="is not a folder: choose a new folder"):
            write(tmp_path / name, "one")

    assert (tmp_path / "file").read_text() == "mine"


def test_a_disk_that_refuses_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")

    with pytest.raises(Unusable) as message:
        write(tmp_path / "file" / "report", "one")

    assert str(message.value).endswith(
        "; check the disk space and your permissions, or choose a different folder"
    )
    assert "\n" not in str(message.value)


def test_the_report_has_the_permissions_of_any_new_folder(tmp_path: Path) -> None:
    write(tmp_path / "report", "one")
    (tmp_path / "other").mkdir()

    assert (tmp_path / "report").stat().st_mode == (tmp_path / "other").stat().st_mode
