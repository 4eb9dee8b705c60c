"""An instructor's limits are taken as they are meant, or refused in one line."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest

from pipeline.issues import read_issue
from pipeline.limits import KNOWN, LIMITS, enforce
from verify.limiting import OutOfRange, in_force, read_limits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def as_ever() -> Iterator[None]:
    yield
    enforce(())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "limits.json"


def test_limits_are_read_in_one_order_without_those_that_are_as_ever(file: Path) -> None:
    file.write_bytes(b'\xef\xbb\xbf{"elements": 100,\r\n "depth": 8, "digits": 308}')

    assert read_limits(str(file)) == (("depth", 8), ("elements", 100))


def test_the_limits_of_a_file_are_put_in_force_and_without_one_all_are_as_ever(file: Path) -> None:
    file.write_text('{"depth": 8}')
    first = in_force(str(file)), LIMITS.depth
    second = in_force(""), LIMITS.depth

    assert (first, second) == (((("depth", 8),), 8), ((), 64))


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ("", ":1:1: this is not JSON (expected a value, found the end of the file)"),
        ("[1]", ' is an array of 1 element (expected an object such as {"depth": 32})'),
        ('{"depht": 8}', ': "depht" is no limit (is depth meant?)'),
        ('{"\\u001b": 8}', ': "\\u001b" is no limit (verify limits lists them)'),
        ('{"depth": 7}', ": depth is 7 (expected a whole number from 8 to 128, in levels)"),
        ('{"depth": 129}', ": depth is 129 (expected a whole number from 8 to 128, in levels)"),
        ('{"depth": true}', ": depth is true (expected a whole number from 8 to 128, in levels)"),
        ('{"depth": 9.0}', ": depth is 9.0 (expected a whole number from 8 to 128, in levels)"),
        ('{"depth": "9"}', ': depth is "9" (expected a whole number from 8 to 128, in levels)'),
        (
            '{"depth": 9, "depth": 10}',
            ':1:14: this key stands twice in one object (expected each key once, found "depth")',
        ),
    ],
)
def test_what_sets_no_limit_is_refused_in_one_line(file: Path, document: str, told: str) -> None:
    file.write_text(document)
    with pytest.raises(OutOfRange) as refused:
        in_force(str(file))

    assert str(refused.value) == f"--limits {file}{told}"
    assert {name: getattr(LIMITS, name) for name in KNOWN} == {
        name: limit.value for name, limit in KNOWN.items()
    }


def test_a_file_of_limits_that_is_not_there_is_named(file: Path) -> None:
    with pytest.raises(OutOfRange) as refused:
        read_limits(str(file))

    assert str(refused.value) == f"--limits {file} does not exist"


def test_a_file_that_the_system_cannot_read_is_one_line(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("{}")

    def fails(*_: object) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("os.read", fails)

    with pytest.raises(OutOfRange, match=r"limits\.json cannot be read \(Input/output error\)$"):
        read_limits(str(file))


def test_the_courses_own_issues_are_read_whatever_a_run_reads_of_a_submission(
    file: Path, tmp_path: Path
) -> None:
    (tmp_path / "ISSUE-1.md").write_text(
        f"# ISSUE-1: Anything\n\n{'long ' * 300}\n\n"
        "## Acceptance criteria\n\n- AC1_done: It is done.\n"
    )
    file.write_text('{"artifact_bytes": 1024}')
    in_force(str(file))

    issue = read_issue(str(tmp_path), "ISSUE-1")

    assert issue is not None
    assert issue.title == "Anything"
