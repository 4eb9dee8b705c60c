"""A submission's own tests are run with its work, without it, and with small faults in it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.jails import needs_jail
from verify.course.checks.running import FAIL, NOTICE, PASS
from verify.grading.model import Outcome
from verify.grading.ways import JAIL
from verify.running import own_tests
from verify.running.own_tests import OwnTests
from verify.running.service import Project

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.grading.model import Verdict

pytestmark = needs_jail
BASE = {"src/sum.mjs": b"export const sum = () => 0;\n", "src/zero.mjs": b"export default 0;\n"}
WORK = b"export function sum(a, b) {\n  return a + b + 1;\n}\n"
HEAD = "import assert from 'node:assert';\nimport test from 'node:test';\n"
TEST = (
    HEAD
    + """import { sum } from '../src/sum.mjs';
test('sum', () => { assert.equal(sum(1, 2), 4); });
"""
)
VAIN = HEAD + "test('nothing', () => {});\n"


@pytest.fixture
def tested(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> Callable[..., OwnTests]:
    """Return what makes the tests of a submission with these files beside its work."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    if shutil.which("node") is None:
        pytest.skip("tests of Node.js need it")

    def make(*, base: dict[str, bytes] = BASE, seed: int = 7, **files: str) -> OwnTests:
        own = {f"test/{name}.test.mjs": text.encode() for name, text in files.items()}
        project = Project("app", {**base, "src/sum.mjs": WORK, **own}, ("node",))
        return OwnTests(project, base, JAIL, seed, "ISSUE-1")

    return make


def said(verdict: Verdict) -> tuple[str, str]:
    """Return the outcome, and what it says first."""
    return verdict.outcome.value, verdict.findings[0].message


def answers(tests: OwnTests) -> list[tuple[str, str]]:
    return [said(tests.answer(question)) for question in (PASS, FAIL, NOTICE)]


def test_good_tests_pass_fail_without_the_change_and_notice_faults(
    tested: Callable[..., OwnTests],
) -> None:
    assert answers(tested(sum=TEST)) == [
        ("pass", "the tests pass"),
        ("pass", "the tests fail without the change"),
        ("pass", "the tests notice 4 of 4 small faults"),
    ]


def test_tests_that_test_nothing_pass_without_the_change_and_notice_no_fault(
    tested: Callable[..., OwnTests],
) -> None:
    vain = tested(sum=VAIN)
    noticed = vain.answer(NOTICE)

    assert [said(vain.answer(question)) for question in (PASS, FAIL)] == [
        ("pass", "the tests pass"),
        ("fail", "the tests pass without the change"),
    ]
    assert said(noticed) == ("fail", "the tests notice 0 of 4 small faults")
    assert {(f.file, f.line) for f in noticed.findings} == {("app/src/sum.mjs", 2)}
    assert all(" :: " in finding.found for finding in noticed.findings)
    assert noticed.findings[0].action.endswith(
        " --run --run-tests --seed 7 makes the same faults again."
    )


def test_tests_that_fail_say_so(tested: Callable[..., OwnTests]) -> None:
    failing = tested(sum=TEST.replace("4)", "5)")).answer(PASS)
    forged = tested(sum=f"{TEST.replace('4)', '5)')}\nprocess.on('exit', () => {{}});").answer(PASS)

    assert said(failing) == said(forged) == ("fail", "the tests fail")
    assert failing.findings[0].found == "exit code 1"
    assert failing.findings[0].action == "Run node --test in app/, and fix what fails."


def test_a_seed_chooses_the_same_faults_again(
    tested: Callable[..., OwnTests], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_tests, "MOST", 1)
    found = [tested(sum=VAIN, seed=seed).answer(NOTICE).findings for seed in (7, 7, 1)]

    assert found[0] == found[1]
    assert found[0][0].found != found[2][0].found


def test_what_cannot_be_asked_is_not_checked(tested: Callable[..., OwnTests]) -> None:
    no_tests = tested().answer(PASS)
    as_before = tested(base={**BASE, "test/sum.test.mjs": TEST.encode()}).answer(PASS)
    no_base = tested(base={}, sum=TEST).answer(PASS)

    assert said(no_base) == ("not checked", "the course has no sources to compare with")
    assert said(no_tests) == ("not checked", "there are no tests for node --test")
    assert said(as_before) == ("fail", "the tests are as before")


def test_tests_that_do_not_end_exceed_a_limit(
    tested: Callable[..., OwnTests], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_tests, "IN_ALL", 1)
    endless = tested(sum="setInterval(() => {}, 1000);").answer(PASS)

    assert endless.outcome is Outcome.FAIL
    assert endless.findings[0].found == "a limit was exceeded"
