"""`pipeline classify`: the tier of one task, its agents, and why."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.files import Unreadable, read_file, read_standard_input
from pipeline.protocol.issue import MalformedIssue, parse_issue
from pipeline.protocol.layout import is_issue_id
from pipeline.protocol.markdown_issue import issue_in_file
from pipeline.protocol.validate import SHOWN, validate
from pipeline.schema import KINDS
from pipeline.terminal.display import json_document, printed, quoted, visible
from pipeline.terminal.exit_codes import PASSED
from pipeline.terminal.fault import Fault, unusable
from pipeline.terminal.streams import deliver

if TYPE_CHECKING:
    from pipeline.classify.rules import Judgement
    from pipeline.schema import Plan
    from pipeline.terminal.arguments import Arguments

_EPILOG = """\
examples:
  python3 -m pipeline classify "rename the class UserManager to AccountManager across the codebase"
  python3 -m pipeline classify ISSUE-202
  python3 -m pipeline classify "show the totals" --issue-file notes/ISSUE-7.md
  python3 -m pipeline classify "add a health endpoint" --plan .pipeline/ISSUE-7/plan.json --json

exit codes: 0 classified, 1 the plan is not valid, 2 nothing to classify or wrong usage
"""


def add_options(parser: Arguments) -> None:
    """Add the options of `pipeline classify`."""
    parser.description = (
        "Show the tier of a task (trivial, standard or complex), and why.\n"
        "The same text always gets the same tier; no model is used."
    )
    parser.epilog = _EPILOG
    parser.set_defaults(command=_classify)
    task = "the task in words, an issue's id, or the prompt of `pipeline run`"
    parser.add_argument("task", metavar="TASK", nargs="?", help=task)
    file = "read the task from a text file or an issue's file; - is standard input"
    parser.add_argument("--file", metavar="F", help=file)
    issue = "the text of the task's issue, which decides (default: issues/<issue_id>.md)"
    parser.add_argument("--issue-file", metavar="FILE", default="", help=issue)
    plan = "a plan.json: use its files, domains and tests instead of estimates"
    parser.add_argument("--plan", metavar="PLAN", help=plan)
    parser.add_argument("--json", action="store_true", help="print the classification as JSON")


def _classify(
    task: str | None, file: str | None, issue_file: str, plan: str | None, *, json: bool
) -> int:
    from pipeline.classify.rules import classify

    if (task is None) == (file is None):
        raise unusable('expected either a TASK, such as "fix a typo in the README", or --file')
    text, issue_text = _from_file(file) if file is not None else (task or "", "")
    if not text.strip():
        raise unusable("the task is empty; expected a sentence that says what to do")
    if issue_file or not issue_text:
        text, issue_text = _with_issue(text, issue_file)
    if file is None and os.path.isfile(text):
        name = visible(text, 300)
        raise unusable(f"{name} does not describe a task; to read one from a file, use --file")
    judgement = classify(text, issue_text=issue_text, plan=_plan(plan) if plan else None)
    deliver(json_document(judgement.record) if json else _as_text(judgement))
    return PASSED


def _from_file(path: str) -> tuple[str, str]:
    """Return an issue's title and text; for any other file, its text as the task."""
    try:
        text = _bytes_of(path).decode("utf-8-sig")
        return parse_issue(text, path).title, text
    except UnicodeDecodeError:
        raise unusable(f"{_name(path)}: is not UTF-8 text") from None
    except MalformedIssue:
        return text.strip(), ""


def _with_issue(text: str, path: str) -> tuple[str, str]:
    """Return a task and the text of its issue, which is found as `pipeline run` finds it."""
    from pipeline.run.assignment import Prompt, issue_named, parse_prompt, root_of

    try:
        prompt = Prompt(text.strip(), "") if is_issue_id(text.strip()) else parse_prompt(text)
    except Fault:
        return text, issue_in_file(path).text if path else ""
    if prompt.place:  # nothing is fetched
        return prompt.task or text, ""
    try:
        issue = issue_named(prompt.issue, "" if path else root_of(""), ".", path)
    except Fault as fault:
        if isinstance(fault, MalformedIssue) or not prompt.task:
            raise
        return prompt.task, ""  # there is no issue
    return prompt.task or issue.title, issue.text


def _bytes_of(path: str) -> bytes:
    try:
        return read_standard_input() if path == "-" else read_file(path)
    except Unreadable as error:
        raise unusable(f"{_name(path)}: {error}") from None


def _plan(path: str) -> Plan:
    """Return a valid plan, or raise the validator's lines as a `Fault`."""
    result = validate(_bytes_of(path), KINDS["plan"])
    if result.problems:
        lines = [problem.line_for(path) for problem in result.problems[:SHOWN]]
        if len(result.problems) > SHOWN:
            lines.append(f"{_name(path)}: and {len(result.problems) - SHOWN} more problems")
        raise Fault(*lines)
    plan: Plan = result.value
    return plan


def _name(path: str) -> str:
    return "<stdin>" if path == "-" else visible(path, 300) or '""'


def _as_text(judgement: Judgement) -> str:
    """Return the record for people: the tier, its rule, and every signal with its evidence."""
    record = judgement.record
    names = ", ".join(judgement.signals.domains)
    lines = [
        f"tier     {record['tier']}",
        f"agents   {', '.join(record['agents'])}",
        f"because  {judgement.rule.sentence.replace('`', '')}",
        "",
        f"files    {record['file_count']}",
        f"domains  {record['domain_scope']}" + (f" ({names})" if names else ""),
        "",
        "evidence",
    ]
    lines += [f"  {e.signal}: {quoted(e.quote)} ({e.source})" for e in judgement.evidence]
    return printed(visible(line, 400) for line in lines)
