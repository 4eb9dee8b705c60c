"""A verdict may advise one next step for all that it found."""

from __future__ import annotations

from verify.verdicts import Finding, Outcome, Verdict


def test_a_next_step_can_be_given_to_all_findings_of_a_verdict() -> None:
    verdict = Verdict(Outcome.FAIL, (Finding("one"), Finding("two", next_step="Old.")), more=3)

    assert verdict.advising("New.") == Verdict(
        Outcome.FAIL, (Finding("one", next_step="New."), Finding("two", next_step="New.")), more=3
    )
