"""A file is written whole or not at all, with the mode that others get."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pipeline.writing import sweep, write_json, write_whole, writing_whole

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_that_is_written_in_parts_is_seen_only_when_all_of_it_is_there(
    tmp_path: Path,
) -> None:
    path = tmp_path / "new" / "file.txt"

    with writing_whole(str(path)) as file:
        file.write(b"one ")
        file.flush()
        before = path.exists()
        file.write(b"two")
    (tmp_path / "other").write_bytes(b"")

    assert not before
    assert path.read_bytes() == b"one two"
    assert path.stat().st_mode == (tmp_path / "other").stat().st_mode
    assert [each.name for each in path.parent.iterdir()] == ["file.txt"]


def test_what_was_there_stays_where_it_cannot_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.txt"
    path.write_text("before")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(str(path), b"after")

    assert path.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["file.txt"]


def test_what_was_there_stays_where_the_writer_gives_up(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("before")

    def give_up() -> None:
        with writing_whole(str(path)) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        give_up()

    assert path.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["file.txt"]


@pytest.mark.parametrize(("synced", "times"), [(True, 1), (False, 0)])
def test_a_file_is_forced_to_the_disk_unless_it_need_not_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, synced: bool, times: int
) -> None:
    forced: list[int] = []
    monkeypatch.setattr(os, "fsync", forced.append)

    with writing_whole(str(tmp_path / "file.txt"), synced=synced) as file:
        file.write(b"text")

    assert len(forced) == times


def test_a_link_is_replaced_and_its_target_left_alone(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("theirs")
    (tmp_path / "link").symlink_to("target")

    write_whole(str(tmp_path / "link"), b"ours")

    assert (tmp_path / "target").read_text() == "theirs"
    assert not (tmp_path / "link").is_symlink()


def test_json_is_readable_and_half_characters_are_escaped(tmp_path: Path) -> None:
    write_json(str(tmp_path / "plain.json"), {"a": "é"})
    write_json(str(tmp_path / "half.json"), {"a": "\udce9"})

    assert (tmp_path / "plain.json").read_text(encoding="utf-8") == '{\n  "a": "é"\n}\n'
    assert (tmp_path / "half.json").read_text(encoding="utf-8") == '{\n  "a": "\\udce9"\n}\n'


def test_what_a_killed_write_has_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    for name in (".write-abc.part", ".hidden", "plan.json", "x.part"):
        (tmp_path / name).write_text("")

    sweep(str(tmp_path))
    sweep(str(tmp_path / "nowhere"))

    assert sorted(path.name for path in tmp_path.iterdir()) == [".hidden", "plan.json", "x.part"]
