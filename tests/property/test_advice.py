"""Whoever does what a finding says, to the letter, gets what was meant, or no worse."""

from __future__ import annotations

import json
import os
import random
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pipeline.protocol.json_text import NotStrictJson, Places, parse
from tests.stubs.literal_reader import followed, moved
from tools.mistakes import mistakes
from verify.grading.model import Outcome
from verify.selftest.mutants import Overlay, files_below
from verify.selftest.operators import OPERATORS, Target
from verify.selftest.shipped import the_course

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from verify.grading.model import Exercise, Finding, Report

COURSE = the_course()
ROUNDS = 8  # findings that a reader follows, one after the other
DECOY = "decoy of somebody else"
Files = dict[str, bytes]
Facts = frozenset[tuple[str, str, str]]


class Mutant(NamedTuple):
    """A solved submission, the one artifact that is different, and how."""

    exercise: Exercise
    solved: Files
    path: str
    name: str
    files: Files


# --- mutants ------------------------------------------------------------------------------------

KEYS = ("ci_status", "id", "note", "version", "title", "line_count", "url", "review_status")
VALUES: dict[str, tuple[Any, ...]] = {
    "path": ("src/App.js", "./{}", "/home/me/sandbox/{}", "sandbox/{}", "{} ", "\u200b{}", "{}:12"),
    "name": ("{} ", " {}", "X-{}", "{}2", "x_{}", "origin/{}", "refs/heads/{}", "{}.", "[{}]"),
    "any": (None, True, 7, 7.0, "7", "None", "N/A", "", [], {}, ["{}"], {"value": "{}"}, [None]),
}
NOISE = ('{}[]",:', "'`“”…\\", "\n\t\xa0\u200b", "0-+.e", "aNT#/*;=")


def documents() -> list[tuple[Exercise, Files, str]]:
    found = []
    for exercise in COURSE.exercises:
        folder = os.path.join(COURSE.folder_of(exercise), "solved")
        files = files_below(folder) if os.path.isdir(folder) else {}
        found += [(exercise, files, path) for path in exercise.paths if path in files]
    return [each for each in found if each[2].endswith(".json")]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    keys: Any = range(len(value)) if isinstance(value, list) else value
    for key in keys if isinstance(value, (dict, list)) else ():
        yield from places(value[key], (*path, key))


def other_values(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the document with one field that is renamed, replaced by a decoy, or different."""
    for path in list(places(json.loads(data)))[1:]:
        *above, last = path
        for key in KEYS if isinstance(last, str) else ():
            for kind in ("renamed", "decoy"):
                document = json.loads(data)
                holder = document
                for step in above:
                    holder = holder[step]
                was = holder.pop(last)
                holder[key] = was if kind == "renamed" else type(was)()
                if kind == "decoy" and isinstance(was, str):
                    holder[key] = DECOY
                yield f"{path} {kind} {key}", json.dumps(document, indent=2)
        for value in (each for values in VALUES.values() for each in values):
            document = json.loads(data)
            holder = document
            for step in above:
                holder = holder[step]
            was = holder[last] if isinstance(holder[last], str) else "x"
            shown = json.dumps(value).replace("{}", json.dumps(was)[1:-1])
            holder[last] = json.loads(shown) if value not in ({}, []) else value
            yield f"{path} is {shown}", json.dumps(document, indent=2)


def damaged(data: bytes, random_: random.Random, count: int) -> Iterator[tuple[str, str]]:
    """Yield the text with a few letters or a line missing, doubled or in the way."""
    text = data.decode()
    for _ in range(count):
        at, size = random_.randrange(len(text)), random_.choice((1, 1, 1, 2, 5, 40))
        new = random_.choice(random_.choice(NOISE)) if random_.random() < 0.5 else ""
        if random_.random() < 0.2:
            new, size = text[at : at + size], 0
        if random_.random() < 0.5:  # where it hurts: at a sign of JSON's own
            signs = [match.start() for match in re.finditer(r'[{}\[\]",:]', text)]
            at, size = random_.choice(signs), min(size, 1)
        yield f"{at}: {text[at : at + size]!r} -> {new!r}", text[:at] + new + text[at + size :]


def forms(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the document as agents answer with it."""
    text = data.decode().strip()
    lines = text.split("\n")
    yield "numbered", "\n".join(f"{n:6}\t{line}" for n, line in enumerate(lines, start=1))
    yield "arrows", "\n".join(f"{n:6}→{line}" for n, line in enumerate(lines, start=1))
    yield "a diff", "\n".join(f"+{line}" for line in lines)
    yield "a header", "--- /dev/null\n+++ b/x\n@@ @@\n" + "\n".join(f"+{x}" for x in lines)
    yield "fenced", f"Sure:\n\n```json\n{text}\n```\nTell me [what] {{you}} think: it's done."
    yield "in a string", json.dumps(text)
    yield "in an array", f"[{text}]"
    yield "a tool's answer", json.dumps({"type": "result", "content": text})
    yield "deep", json.dumps({"r": {"content": [{"type": "text", "text": text}]}})
    yield (
        "beside another",
        f'{{"plan": {text}, "worker": {{"status": "completed", "blockers": []}}}}',
    )
    yield "beside a marker", f'{{"produced_by": "x-git", "document": {text}}}'
    yield "twice", f"{text}\n{text}"
    yield "Python", text.replace('"', "'")
    yield "curly", re.sub('"([^"]*)"', r"“\1”", text)
    yield "without its first bracket", text[1:]
    yield "without its last bracket", text[:-1]
    yield "without both", text[1:-1]
    for key in re.findall(r'"(\w+)":', text):
        yield f"{key} unquoted", text.replace(f'"{key}"', key)


def mutants(size: int, seed: int) -> Iterator[Mutant]:
    """Yield mutants of every artifact: those of the self-test, and those above, to a number."""
    random_ = random.Random(seed)  # noqa: S311
    made: list[Mutant] = []
    all_documents = documents()
    for exercise, files, path in all_documents:
        operators = (*OPERATORS["document"], *COURSE.operators)
        for fault in (f for o in operators for f in o(Target(path, "document", files))):
            changed = {file: data for file, data in {**files, **fault.files}.items() if data}
            made.append(Mutant(exercise, files, path, fault.label, changed))
        data = files[path]
        for name, text in (*other_values(data), *forms(data)):
            made.append(Mutant(exercise, files, path, name, {**files, path: text.encode()}))
    left = max(size - len(made), size // 3)
    for exercise, files, path in all_documents:
        for name, text in damaged(files[path], random_, left // len(all_documents) + 1):
            changed = {**files, path: text.encode("utf-8", "surrogatepass")}
            made.append(Mutant(exercise, files, path, name, changed))
    yield from random_.sample(made, min(size, len(made)))


# --- what an artifact says ----------------------------------------------------------------------


def facts(value: Any) -> Facts:
    """Return what an artifact says, each as its kind, whom it is about, and what."""
    return frozenset(_facts(value))


LISTS = ("affected_files", "files_changed", "agents", "signals", "blockers")
SCALARS = (
    *("status", "summary", "branch", "commit_sha", "commit_message", "pr_url", "produced_by"),
    *("task", "file_count", "domain_scope", "tier"),
)


def _facts(value: Any) -> Iterator[tuple[str, str, str]]:
    records = value if isinstance(value, list) else [value]
    for record in (each for each in records if isinstance(each, dict)):
        about = str(record.get("task"))
        for field in (each for each in LISTS if isinstance(record.get(each), list)):
            yield from ((field, about, json.dumps(element)) for element in record[field])
        steps, mapping = record.get("steps"), record.get("acceptance_mapping")
        for step in steps if isinstance(steps, list) else ():
            if isinstance(step, dict):
                yield "step", str(step.get("file")), str(step.get("description"))
        for label, file in mapping.items() if isinstance(mapping, dict) else ():
            yield "mapping", label, json.dumps(file)
        yield from ((each, about, json.dumps(record[each])) for each in SCALARS if each in record)


def value_of(data: bytes | None) -> Any:
    try:
        return parse(data or b"")
    except NotStrictJson:
        return None


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    items: Any = value.values() if isinstance(value, dict) else value
    for inner in items if isinstance(value, (dict, list)) else ():
        yield from texts(inner)


def plain(text: str) -> str:
    return re.sub(r"[\W_]", "", text)


def betrayal(solved: bytes, mutated: bytes, repaired: bytes) -> str:
    """Return what a green artifact says that neither the solved nor the mutated one said."""
    was, between, now = value_of(solved), value_of(mutated), value_of(repaired)
    before, after = facts(was), facts(now)
    kept = before if between is None else before & facts(between)
    if between is not None and (lost := kept - after):
        return f"lost {sorted(lost)}"
    known = set(texts(was))
    raw = mutated.decode("utf-8", "replace") + mutated.decode("latin-1") + json.dumps(between)
    for text in texts(now):
        if text == DECOY and any(DECOY in fact[2] for fact in after):
            return "a decoy is taken for a field"
        letters = {plain(each) for each in (raw, *texts(between))}
        if text not in known and not any(plain(text) in each for each in letters):
            return f"invented {text!r}"
    if between is None and before != after:
        return _damage(solved, mutated, before, after)
    return ""


def _damage(solved: bytes, mutated: bytes, before: Facts, after: Facts) -> str:
    """Return facts that differ although the damage of the text is elsewhere."""
    ours, theirs = solved.decode("utf-8", "replace"), mutated.decode("utf-8", "replace")
    at = next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), 0)
    places = Places(ours)
    spans = [start for start in places.values.values() if start <= at + 2]
    hit = ours[max(spans, default=0) : at + 45]
    key_hit = ours[
        max((start for start in places.keys.values() if start <= at), default=0) : at + 45
    ]
    far = [fact for fact in before ^ after if not _is_near(fact, hit + key_hit)]
    return f"{len(far)} facts differ far from the damage: {sorted(far)[:3]}" if far else ""


def _is_near(fact: tuple[str, str, str], hit: str) -> bool:
    words = [word for part in fact for word in re.findall(r"[\w/.-]{3,}", part)]
    return any(word[:5] in hit or word[-5:] in hit for word in words)


# --- the property -------------------------------------------------------------------------------


def graded(exercise: Exercise, files: Mapping[str, bytes]) -> Report:
    return COURSE.grade(exercise, Overlay("mutant", files), strict=True)


def findings_of(report: Report) -> list[Finding]:
    failed = [each for each in report.results if each.outcome is Outcome.FAIL]
    return [finding for each in failed for finding in each.verdict.findings]


def edited(finding: Finding, files: Files) -> Files | None:
    """Return the files once a finding is followed, None if only a person can."""
    if places := moved(finding):
        source, target = places
        rest = {path: data for path, data in files.items() if path != source}
        return {**rest, target: files[source]} if source in files else None
    if finding.file not in files:
        return None
    done = followed(finding, files[finding.file])
    return None if done is None or done == files[finding.file] else {**files, finding.file: done}


def worth(report: Report) -> tuple[int, int]:
    """Return how many checks pass and how many fail."""
    outcomes = Counter(result.outcome for result in report.results)
    return outcomes[Outcome.PASS], outcomes[Outcome.FAIL]


def counterexample(mutant: Mutant, counted: Counter[str]) -> str:
    """Return how following advice on a mutant harms it, empty if it does not."""
    files, report = mutant.files, graded(mutant.exercise, mutant.files)
    if report.passed:
        counted["mutants that pass"] += 1
        return ""
    for finding in findings_of(report):
        harm, _, _ = step_of(mutant, files, report, finding)
        if harm:
            return harm
    for _ in range(ROUNDS):
        finding = findings_of(report)[0]
        harm, files_after, report_after = step_of(mutant, files, report, finding)
        if harm or files_after is None or report_after is None:
            counted[f"end: only a person can: {finding.action.split(' ')[0]}"] += not harm
            return harm
        files, report = files_after, report_after
        counted["edits"] += 1
        if report.passed:
            counted["green"] += 1
            return ""
    counted["not green after all rounds"] += 1
    return ""


def step_of(
    mutant: Mutant, files: Files, report: Report, finding: Finding
) -> tuple[str, Files | None, Report | None]:
    """Follow one finding; return the harm that it does, the files and their report."""
    after = edited(finding, files)
    if after is None:
        return "", None, None
    then = graded(mutant.exercise, after)
    (passed, failed), (passed_then, failed_then) = worth(report), worth(then)
    label = f"{mutant.exercise.name} {mutant.path} {mutant.name}: {finding.message!r}"
    label = f"{label} {finding.path} {finding.action!r}"
    if passed_then < passed or (failed_then > failed and passed_then <= passed):
        return f"{label}: worse, {worth(report)} -> {worth(then)}", after, then
    if then.passed:
        for path in mutant.exercise.paths:
            if path.endswith(".json") and path in after:
                harm = betrayal(
                    mutant.solved.get(path, b""),
                    mutant.files.get(path) or files.get(path, b""),
                    after[path],
                )
                if harm:
                    return f"{label}: {harm}", after, then
    return "", after, then


@pytest.mark.figure
def test_m_advice_that_is_followed_literally_never_harms_a_mutant(
    how_many: Callable[[int, int], int],
) -> None:
    counted: Counter[str] = Counter()
    harms = []
    for seed, sample in ((26, 700), (7, 0), (8, 0)):
        size = how_many(sample, 20_000)
        for mutant in mutants(size, seed) if size else ():
            counted["mutants"] += 1
            if harm := counterexample(mutant, counted):
                harms.append(harm)
    print(*(f"{count:6} {what}" for what, count in sorted(counted.items())), sep="\n")

    assert harms == []


def test_m_advice_that_is_followed_literally_never_harms_a_mistake() -> None:
    counted: Counter[str] = Counter()
    harms = []
    for mistake in mistakes():
        solved = files_below(os.path.join(COURSE.folder_of(mistake.exercise), "solved"))
        path = mistake.change.get("file") or mistake.exercise.paths[0]
        files = mistake.files()
        mutant = Mutant(mistake.exercise, solved, path, mistake.name, files)
        if harm := counterexample(mutant, counted):
            harms.append(harm)
    print(*(f"{count:6} {what}" for what, count in sorted(counted.items())), sep="\n")

    assert harms == []
