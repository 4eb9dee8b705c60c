"""The prompt of the specification starts a pipeline; a near miss is told what is expected."""

from __future__ import annotations

import pytest

from pipeline.running.prompt import NotAPrompt, Prompt, parse_prompt


@pytest.mark.spec("1.3", "4.3")
@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        (
            "work on issue ISSUE-7: add a GET /health endpoint",
            Prompt("ISSUE-7", "add a GET /health endpoint"),
        ),
        ("Work  on issue\tSHOP-12 :  two: parts \n", Prompt("SHOP-12", "two: parts")),
        ("work on issue A1-0: x\nand y", Prompt("A1-0", "x\nand y")),
    ],
)
def test_an_issue_and_a_task_are_read(text: str, prompt: Prompt) -> None:
    assert parse_prompt(text) == prompt


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "work on issue issue-7: x",
            "issue-7 is no issue id (did you mean ISSUE-7?)",
        ),
        (
            "work on issue 7: x",
            "7 is no issue id (expected capitals, a hyphen, digits: ISSUE-7)",
        ),
        (
            "implement ISSUE-7",
            (
                "this prompt starts no pipeline: implement ISSUE-7 (expected work on issue "
                "ISSUE-7: <task description>)"
            ),
        ),
        (
            "work on issue ISSUE-7",
            (
                "this prompt starts no pipeline: work on issue ISSUE-7 (expected work on issue "
                "ISSUE-7: <task description>)"
            ),
        ),
        (
            "",
            (
                "this prompt starts no pipeline: (empty) (expected work on issue <issue_id>: "
                "<task description>, such as: work on issue ISSUE-7: add a GET /health endpoint)"
            ),
        ),
        (
            "work on issue ISSUE-7/../8: x",
            "ISSUE-7/../8 is no issue id (expected capitals, a hyphen, digits: ISSUE-7)",
        ),
        (
            "work on issue ISSUE-7: " + "x" * 10_001,
            "the task has 10001 characters (expected at most 10000)",
        ),
    ],
)
def test_a_near_miss_is_told_the_expected_form(text: str, message: str) -> None:
    with pytest.raises(NotAPrompt) as caught:
        parse_prompt(text)

    assert str(caught.value) == message
