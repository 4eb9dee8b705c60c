"""`pipeline classify`: the tier of one task, its agents, and why."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.files import Unreadable, read_file, read_standard_input
from pipeline.protocol.issue import MalformedIssue, parse_issue
from pipeline.protocol.layout import is_issue_id
from pipeline.protocol.patterns import TEXT
from pipeline.protocol.validate import validate
from pipeline.schema import KINDS
from pipeline.terminal.display import inert, json_document, quoted, visible
from pipeline.terminal.exit_codes import PASSED
from pipeline.terminal.fault import Fault, unusable
from pipeline.terminal.streams import deliver

if TYPE_CHECKING:
    from pipeline.classify.rules import Judgement
    from pipeline.schema import Plan

_EPILOG = """\
examples:
  python3 -m pipeline classify "rename the class UserManager to AccountManager across the codebase"
  python3 -m pipeline classify --file sandbox/issues/ISSUE-202.md
  python3 -m pipeline classify "add a health endpoint" --plan .pipeline/ISSUE-7/plan.json --json

exit codes: 0 classified, 1 the plan is not valid, 2 nothing to classify or wrong usage
"""
_SHOWN = 20  # problems of a plan, and pieces of evidence
_QUOTE = 100  # characters of one piece of evidence


def add(commands: Any) -> None:
    """Add the command to a parser's commands."""
    parser = commands.add_parser(
        "classify",
        help="show the tier of a task, its agents, and why",
        description="Show the tier of a task (trivial, standard or complex), and why. The same"
        " text always gets the same tier; no model is used.",
        epilog=_EPILOG,
    )
    parser.add_argument("task", metavar="TASK", nargs="?", help="the task, in words")
    parser.add_argument(
        "--file",
        metavar="F",
        help="read the task from a text file or an issue's file; - is standard input",
    )
    plan = "a plan.json: use its files, domains and tests instead of estimates"
    parser.add_argument("--plan", metavar="PLAN", help=plan)
    parser.add_argument(
        "--project",
        metavar="DIR",
        default="",
        help="the target project; a folder that the plan adds to it counts as a new part",
    )
    parser.add_argument("--json", action="store_true", help="print only the record")
    parser.set_defaults(command=_classify)


class _Text(NamedTuple):
    """What to classify: a task, and the issue that it is the title of."""

    task: str
    issue_text: str = ""
    criteria: tuple[str, ...] = ()


def _classify(
    task: str | None, file: str | None, plan: str | None, project: str, *, json: bool
) -> int:
    from pipeline.classify.rules import classify

    if task is not None and file is not None:
        raise unusable("give TASK or --file, not both")
    if task is None and file is None:
        raise unusable('expected a TASK, such as "fix a typo in the README"')
    text = _from_file(str(file)) if task is None else _Text(_in_words(task))
    if not re.search(TEXT.pattern, text.task):
        raise unusable("the task is empty; expected a sentence that says what to do")
    judgement = classify(
        text.task,
        issue_text=text.issue_text,
        criteria=text.criteria,
        plan=_plan(plan) if plan is not None else None,
        root=_root(project),
    )
    deliver(_as_json(judgement) if json else _as_text(judgement))
    return PASSED


def _in_words(task: str) -> str:
    """Return the task; a file's name or an issue's id is refused where words are expected."""
    if is_issue_id(task):
        raise unusable(
            f"{task} is an issue id, not a description of a task; use --file "
            f"sandbox/issues/{task}.md"
        )
    if " " not in task and os.path.isfile(task):
        name = visible(task, 300)
        raise unusable(f"{name} is a file; use --file {name}")
    return task


def _from_file(path: str) -> _Text:
    """Return a file's text: an issue's title and criteria where it has an issue's form."""
    try:
        text = _bytes_of(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise unusable(f"{_name(path)}: is not UTF-8 text") from None
    try:
        issue = parse_issue(text, path)
    except MalformedIssue:
        return _Text(text.strip())
    return _Text(issue.title, text, tuple(issue.criteria.values()))


def _bytes_of(path: str) -> bytes:
    try:
        return read_standard_input() if path == "-" else read_file(path)
    except Unreadable as error:
        raise unusable(f"{_name(path)}: {error}") from None


def _plan(path: str) -> Plan:
    """Return a valid plan.

    Raises:
        Fault: it cannot be read (2), or is not valid (1): then the validator's lines.
    """
    result = validate(_bytes_of(path), KINDS["plan"])
    if not result.problems:
        plan: Plan = result.value
        return plan
    lines = [problem.line_for(path) for problem in result.problems[:_SHOWN]]
    if len(result.problems) > _SHOWN:
        lines.append(f"{_name(path)}: and {len(result.problems) - _SHOWN} more problems")
    raise Fault(*lines)


def _root(project: str) -> str:
    if project and not os.path.isdir(project):
        raise unusable(f"{_name(project)}: is not a folder; --project names the target project")
    return project


def _name(path: str) -> str:
    return "<stdin>" if path == "-" else visible(path, 300) or '""'


def _as_json(judgement: Judgement) -> str:
    return json_document(judgement.record)


def _as_text(judgement: Judgement) -> str:
    """Return the record for people: the tier, its rule, and every signal with its evidence."""
    record = judgement.record
    lines = [
        f"tier     {record['tier']}",
        f"agents   {', '.join(record['agents'])}",
        f"because  {judgement.rule.sentence.replace('`', '')}",
        "",
        f"files    {record['file_count']}",
        f"domains  {_domains(judgement)}",
        "",
        "evidence",
    ]
    lines += [
        f"  {each.signal}: {quoted(each.quote, _QUOTE)} ({each.source})"
        for each in judgement.evidence[:_SHOWN]
    ]
    if len(judgement.evidence) > _SHOWN:
        lines.append(f"  and {len(judgement.evidence) - _SHOWN} more")
    return "".join(f"{inert(visible(line, 400))}\n" for line in lines)


def _domains(judgement: Judgement) -> str:
    names = ", ".join(judgement.signals.domains)
    scope = judgement.record["domain_scope"]
    return f"{scope} ({names})" if names else scope
