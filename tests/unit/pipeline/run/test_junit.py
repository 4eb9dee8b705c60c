"""Reports of a project's tests are counted, and hostile ones harm nobody."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.run.junit import counts_of

if TYPE_CHECKING:
    from pathlib import Path

REPORT = """<?xml version="1.0"?>
<testsuites><testsuite name="api" tests="9" failures="0">
  <testcase classname="api.Health" name="answers"/>
  <testcase classname="api.Health" name="is \x01"><failure message="no">trace</failure></testcase>
  <testcase name="breaks"><error/></testcase>
  <testcase name="waits"><skipped/></testcase>
</testsuite></testsuites>
""".replace("\x01", "&#x202e;shaped")
COUNTED = {
    "counts": {"passed": 1, "failed": 2, "skipped": 1},
    "failures": ["api.Health is \\u{202e}shaped", "breaks"],
}
BOMB = """<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<testsuite><testcase name="&b;"/></testsuite>"""
OUTSIDE = (
    '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&a;"/>'
    "</testsuite>"
)


def counted(folder: Path, since: float = 0.0) -> dict[str, Any]:
    return counts_of([str(folder)], ["junit.xml", "build/*/*.xml"], since)


def test_i31_the_cases_of_reports_are_counted_not_what_a_suite_says_of_itself(
    tmp_path: Path,
) -> None:
    (tmp_path / "build" / "test").mkdir(parents=True)
    (tmp_path / "build" / "test" / "TEST-a.xml").write_text(REPORT)

    assert counted(tmp_path) == COUNTED
    (tmp_path / "junit.xml").write_text('<testsuite><testcase name="b"/></testsuite>')
    assert counted(tmp_path)["counts"] == {"passed": 2, "failed": 2, "skipped": 1}


@pytest.mark.parametrize(
    "text",
    [
        *(BOMB, OUTSIDE, "", "<testsuite>", "no xml", "<html/>", "\0"),
        '<?xml version="1.0" encoding="nonsense"?><testcase name="a"/>',
        # codecs of Python that no report is in, or that fail in ways of their own
        *(
            f'<?xml version="1.0" encoding="{name}"?><testcase name="a"/>'
            for name in ("utf-7", "shift_jis", "idna", "punycode", "undefined", "hex")
        ),
        "<a>" * 100_000,
        # well-formed, and so deep that each byte costs fifty of memory
        f"{'<testcase>' * 2_000}{'</testcase>' * 2_000}",
    ],
)
def test_i31_what_is_no_report_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "junit.xml").write_text(text)

    assert counted(tmp_path) == {}


def test_i31_a_report_of_an_earlier_run_or_elsewhere_is_not_counted(tmp_path: Path) -> None:
    project, other = tmp_path / "project", tmp_path / "other.xml"
    project.mkdir()
    other.write_text(REPORT)
    (project / "junit.xml").symlink_to(other)
    assert counted(project) == {}

    (project / "junit.xml").unlink()
    (project / "junit.xml").write_text(REPORT)
    os.utime(project / "junit.xml", (1, 1))
    assert counted(project, time.time()) == {}


def test_i31_a_report_that_is_no_file_or_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "junit.xml")
    assert counted(tmp_path) == {}

    (tmp_path / "junit.xml").unlink()
    (tmp_path / "junit.xml").write_text(REPORT)
    monkeypatch.setattr("pipeline.run.junit._MOST_BYTES", len(REPORT) - 1)
    assert counted(tmp_path) == {}
