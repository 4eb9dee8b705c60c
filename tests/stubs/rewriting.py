"""Honest work on one issue, of several families of solutions, and copies that were rewritten."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

FAMILIES = 6
NAMES = {
    "item": ("tag", "label", "entry", "record", "element", "row", "data", "it"),
    "items": ("tags", "labels", "entries", "all", "list", "rows", "found", "result"),
    "store": ("store", "repo", "db", "memory", "tagStore", "storage", "bag", "cache"),
    "reply": ("reply", "res", "response", "answer", "out"),
    "request": ("request", "req", "ctx", "incoming", "input"),
    "key": ("key", "id", "name", "slug", "title", "k"),
}
ACTIONS = ("list", "find", "create", "remove", "rename", "count", "search", "merge", "export")
GUARDS = (
    "if (!{key}) {{ {fault} }}",
    "if ({key} === undefined || {key} === '') {{ {fault} }}",
    "const wrong = typeof {key} !== 'string';\n  if (wrong) {fault}",
    "if (!/^[a-z]+$/.test({key})) {fault}",
    "const {{ {key} }} = {request}.params;\n  if (!{store}.has({key})) {fault}",
    "{request}.assert({key} != null);",
    "",
)
FAULTS = (
    "return {reply}.code(400).send({{ error: '{words}' }});",
    "throw new Error('{words}');",
    "throw Object.assign(new Error('{words}'), {{ statusCode: 422 }});",
    "{reply}.status(400); return {{ message: '{words}' }};",
    "return null;",
)
LOOPS = (
    "const {items} = [];\n  for (const {item} of {store}.values()) {items}.push({item});",
    "const {items} = [...{store}.values()].filter(({item}) => {item}.{key} !== {key});",
    "let {items} = 0;\n  {store}.forEach(({item}) => {{ {items} += {item}.size; }});",
    "for (let i = 0; i < {store}.length; i += 1) {{ if ({store}[i].{key} === {key}) return i; }}",
    "const {items} = Object.keys({store}).reduce((sum, {item}) => sum + {item}.length, 0);",
    "const {items} = await Promise.all({store}.map(async ({item}) => {item}.load({key})));",
    "const {items} = {store}.slice().sort((a, b) => a.{key}.localeCompare(b.{key}));",
    "let {item} = {store}.get({key});\n  while ({item}.next) {item} = {item}.next;",
)
LOGS = ("", "", "{request}.log.info('{words}');", "console.log(`{words} ${{{key}}}`);")
ENDS = (
    "return {items};",
    "return {reply}.send({items});",
    "{reply}.code(200).header('x-total', String({items}.length)).send({items});",
    "return {{ {items}, total: {items}.length }};",
    "{store}.delete({key});\n  {reply}.code(204).send();",
    "return JSON.stringify({items}, null, 2);",
)
HEADS = (
    "export async function {action}({request}, {reply}) {{",
    "export const {action} = async ({request}, {reply}) => {{",
    "export function {action}({store}, {key}) {{",
    "export function {action}({request}, {{ {store}, {key} }}) {{",
)
MESSAGES = (
    "the tag is missing unknown wrong empty name must have a value not found already taken please"
    " give one other that cannot be used here because it was removed earlier too long"
)
PROSE = (
    "add the handler route store test for tags and answer with problem document status when a tag"
    " is missing keep notes as they are register module in app cover each criterion sort by name"
    " refuse an empty body count how many have it return JSON without cache"
)


def honest(draw: Random, family: int) -> dict[str, bytes]:
    """Return one learner's files: a plan and a source, as the family and the learner write them."""
    names = {kind: draw.choice(words) for kind, words in NAMES.items()}

    def chosen(options: tuple[str, ...], action: int) -> str:
        usual = options[(family * 5 + action * 3) % len(options)]
        return usual if draw.random() < 0.5 else draw.choice(options)

    functions = []
    for number, action in enumerate(ACTIONS):
        parts = [chosen(each, number) for each in (HEADS, GUARDS, LOGS, LOOPS, ENDS)]
        fault = chosen(FAULTS, number)
        if draw.random() < 0.3:
            parts.insert(draw.randrange(1, 4), draw.choice(LOOPS[:3] + GUARDS[1:3]))
        text = "\n  ".join(filter(None, parts)).replace("{fault}", fault)
        while "{words}" in text:
            text = text.replace("{words}", words_of(draw, MESSAGES, 4), 1)
        functions.append(text.format(action=f"{action}{names['item'].title()}", **names) + "\n}\n")
    draw.shuffle(functions)
    plan = {
        "affected_files": ["sandbox/src/tags/routes.js", "sandbox/test/tags/routes.test.js"],
        "steps": [
            {"order": at, "file": file, "description": words_of(draw, PROSE, 25)}
            for at, file in enumerate(("sandbox/src/tags/routes.js", "sandbox/test/tags/r.test.js"))
        ],
    }
    return {"plan.json": json.dumps(plan).encode(), "routes.js": "\n".join(functions).encode()}


def words_of(draw: Random, text: str, count: int) -> str:
    """Return words in the order of the text, as people on one issue say much the same."""
    pool = text.split()
    start = draw.randrange(len(pool))
    return " ".join(
        pool[(start + at) % len(pool)] if draw.random() < 0.8 else draw.choice(pool)
        for at in range(count)
    )


def rewritten(files: dict[str, bytes], draw: Random) -> dict[str, bytes]:
    """Return a copy: other names, order, comments, quotes and spacing, and a few other words."""
    text = files["routes.js"].decode()
    functions = re.split(r"(?<=\n}\n)\n", text)
    draw.shuffle(functions)
    text = "\n\n\n".join(functions)
    new = {word: f"{draw.choice('xyz')}_{word[::-1]}" for words in NAMES.values() for word in words}
    new |= {
        f"{action}{word.title()}": f"do{action}" for action in ACTIONS for word in NAMES["item"]
    }
    text = re.sub(r"'[^'\n]*'|\w+", lambda match: new.get(match[0], match[0]), text)
    text = text.replace("'", '"') if draw.random() < 0.7 else text.replace("'", "`")
    lines = []
    for line in text.split("\n"):
        if draw.random() < 0.15:
            lines.append(f"// {words_of(draw, PROSE, 6)}")
        if draw.random() < 0.05:
            lines.append(f"/* {words_of(draw, MESSAGES, 9)}\n */")
        lines.append(line.replace("  ", "\t").replace(" = ", "=").replace("{ ", "{"))
    plan = json.loads(files["plan.json"])
    for step in plan["steps"]:
        words = step["description"].split()
        step["description"] = " ".join(
            draw.choice(PROSE.split()) if draw.random() < 0.05 else word for word in words
        )
    return {
        "plan.json": json.dumps(plan, indent=4).encode(),
        "routes.js": "\n".join(lines).encode(),
    }
