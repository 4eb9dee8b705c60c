"""What the turns of an issue cost: a line of JSON when one begins, and one when it ends.

A turn that was cut by a kill has no end: it counts as one, with what it used not reported.
"""

from __future__ import annotations

import os
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pipeline.files import write_whole
from pipeline.run import history
from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypeGuard

    from pipeline.drivers.base import Reply
    from pipeline.run.context import Named, Run

RECORDS = NAME, TRANSCRIPT = "turns.jsonl", "transcript.jsonl"  # in the folder
_MOST, _MOST_REFUSED = 1e15, 100  # of a number; requests of a turn
_TOKENS = ("input", "output", "total")


class Stopwatch:
    """Writes down a turn of a stage, or the runner's own work in it."""

    def __init__(self, run: Run, stage: Named) -> None:
        """Note that it begins."""
        self._run, self._begun = run, time.monotonic()
        self.refused: list[str] = []
        self._folder = run.about.folder_on_disk
        self._before = {name: history.raw(self._folder, name) for name in RECORDS}
        self._entry = {"at": stage.name, "role": run.role(stage), "turn": f"{time.time_ns():x}"}
        history.append(self._folder, {**self._entry, "run": run.id, "begun": time.time()}, NAME)
        self._now = {**self._before, NAME: history.raw(self._folder, NAME)}

    def undo(self) -> None:
        """Forget it: nothing has begun."""
        self._restore(self._before)

    def end(self, reply: Reply | None = None, prompt: str = "") -> list[str]:
        """Note its end, and what the client says of it; return the records that were forged."""
        forged = [
            name for name, data in self._now.items() if history.raw(self._folder, name) != data
        ]
        if forged:
            self._restore(self._now)
        seconds = round(time.monotonic() - self._begun, 3)
        usage = asdict(reply.usage) if reply else {}
        model = {"model": reply.model} if reply and reply.model else {}
        refused = {"refused": self.refused[:_MOST_REFUSED]} if self.refused else {}
        said = {"seconds": seconds, **model, **usage, **refused}
        history.append(self._folder, {**self._entry, **said}, NAME)
        if self._run.transcript and prompt:
            talk = {"prompt": prompt, "answer": reply.text if reply else None}
            history.append(self._folder, {**self._entry, **model, **talk}, TRANSCRIPT)
        return forged

    def _restore(self, records: Mapping[str, bytes]) -> None:
        for name, data in records.items():
            path = os.path.join(self._folder, name)
            if data:
                write_whole(path, data)
            elif os.path.lexists(path):
                os.unlink(path)


def turns_of(folder: str) -> list[dict[str, Any]]:
    """Return the turns of an issue, each with what its end says; an entry is counted once."""
    turns: dict[str, dict[str, Any]] = {}
    for entry in history.entries(folder, NAME):
        turn = entry.get("turn")
        if isinstance(turn, str) and (turn in turns or isinstance(entry.get("role"), str)):
            turns[turn] = {**entry, **turns.get(turn, {})}
    return list(turns.values())


def cost_of(turns: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what turns have cost, in all and for each stage and role; None: not reported."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for turn in turns:
        groups.setdefault((turn["at"], turn["role"]), []).append(turn)
    stages = [{"stage": s, "role": r, **_sum(group)} for (s, r), group in groups.items()]
    return {**_sum(turns), "stages": stages}


def _sum(turns: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the sums of some turns, and of how many agents' turns a client has reported none."""
    by_agents = [turn for turn in turns if turn["role"].startswith("x-")]
    counted = [turn for turn in by_agents if _is_number(turn.get("total"))]
    tokens = {
        name: sum(numbers)
        for name in _TOKENS
        if (numbers := [turn[name] for turn in counted if _is_number(turn.get(name))])
    }
    priced = [turn for turn in by_agents if _is_number(turn.get("price"))]
    price: dict[str, float] = {}
    for turn in priced:
        unit = str(turn.get("currency"))
        price[unit] = round(price.get(unit, 0) + turn["price"], 9)
    return {
        "turns": len(by_agents),
        "seconds": round(sum(map(seconds_of, turns)), 3),
        "tokens": tokens or None,
        "price": price or None,
        "not_reported": {
            "tokens": len(by_agents) - len(counted),
            "price": len(by_agents) - len(priced),
        },
    }


def seconds_of(turn: Mapping[str, Any]) -> float:
    """Return how long a turn took; 0 where a kill has cut it."""
    seconds = turn.get("seconds")
    return float(seconds) if _is_number(seconds) else 0.0


def _is_number(value: Any) -> TypeGuard[float]:
    return type(value) in (int, float) and 0 <= value < _MOST


def parts_of(cost: Mapping[str, Any]) -> dict[str, str]:
    """Return the parts of a cost as texts, by their titles."""
    price, turns = cost["price"] or {}, cost["turns"]
    texts = {
        "tokens": f"{cost['tokens']['total']:,}" if cost["tokens"] else "",
        "price": " + ".join(f"{amount:.4f} {visible(unit, 8)}" for unit, amount in price.items()),
    }
    parts = {"turns": str(turns or "-"), "time": f"{cost['seconds']:,.1f} s"}
    for name, text in texts.items():
        missing = cost["not_reported"][name]
        some = f" ({missing} of {turns} turns not reported)" if missing else ""
        parts[name] = f"{text}{some}" if text else ("not reported" if turns else "-")
    return parts


def cost_line(cost: Mapping[str, Any]) -> str:
    """Return what turns have cost, in one line."""
    parts, count = parts_of(cost), cost["turns"]
    used = [f"{count} turn{'s' * (count != 1)}"] * bool(count) + [parts["time"]]
    if count and not (cost["tokens"] or cost["price"]):
        return ", ".join([*used, "tokens and price not reported"])
    return ", ".join([*used, *(f"{name} {parts[name]}" for name in ("tokens", "price") if count)])
