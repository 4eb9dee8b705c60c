"""What a run tells of itself: a line for each stage, a live line, or events as lines of JSON."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pipeline.run.turns import cost_line
from pipeline.terminal.display import json_document, listed, visible
from pipeline.terminal.streams import Undelivered, columns, deliver, tell

if TYPE_CHECKING:
    from pipeline.run.context import Event

VERSION = 1  # of the events
_TICK = 0.5  # seconds between two redraws of the live line
_DETAIL = 60  # characters of what an agent does, on it


def _write(text: str) -> None:
    """Write to stdout; the run continues even if nothing reads the output."""
    with suppress(Undelivered):
        deliver(text)


def json_line(event: Event) -> None:
    """Write an event as one line of JSON; the fields are in docs/reference/run.md."""
    fields: dict[str, Any] = {"version": VERSION, "event": event.what, "issue": event.issue}
    texts = {"stage": event.stage, "role": event.role, "text": event.text}
    fields.update((name, value) for name, value in texts.items() if value)
    if event.seconds:
        fields["seconds"] = round(event.seconds, 3)
    _write(json_document({**fields, **(event.data or {})}, indent=None))


class Lines:
    """A line for each stage at its end; on a terminal also a live line while it runs."""

    def __init__(self, *, is_verbose: bool = False) -> None:
        self._is_verbose = is_verbose
        self._refusals, self._has_dispatched = 0, False
        self._live = _LiveLine() if sys.stderr.isatty() else None

    def __call__(self, event: Event) -> None:
        """Show one event."""
        self._has_dispatched |= event.what == "dispatched"
        if self._live and event.what in ("dispatched", "progress"):
            self._live.show(f"{event.stage:<10}{event.role:<17}", event.text)
            return
        self.close()
        if event.what == "refused":
            self._refusals += 1
            if self._is_verbose:
                _write(_stage(event, "x", f"refused: {event.text}"))
        elif event.what == "stopped":
            first, *more = (event.data or {}).get("lines", [event.text])
            tell(f"pipeline: {event.issue} stopped: {visible(first, 2000)}")
            for line in more:
                tell(f"  {visible(line, 600)}")
        elif event.what == "ended":
            self._end(event)
        elif event.what in _SENTENCES:
            _write(_SENTENCES[event.what](event))

    def _end(self, event: Event) -> None:
        cost = (event.data or {}).get("cost")
        if cost and self._has_dispatched:
            _write(f"used: {cost_line(cost)}\n")
        _write(_ended(event))
        if self._refusals:
            how = "" if self._is_verbose else " (-v lists them)"
            _write(f"refused requests: {self._refusals}{how}\n")

    def close(self) -> None:
        """Take the live line off the screen."""
        if self._live:
            self._live.clear()


def _begun(event: Event) -> str:
    data = event.data or {}
    terms = f"{data['jail']}\n" if data["jail"] else ""
    where = "the repository" if data["target"] == "." else visible(data["target"], 200)
    return (
        f"{event.issue}: {visible(event.text, 200)}\n"
        f"tier: {data['tier']} ({', '.join(data['agents'])})\n"
        f"target project: {where}\n{terms}\n"
    )


def _stage(event: Event, mark: str, text: str) -> str:
    after = f"  {event.seconds:.1f} s" if round(event.seconds, 1) else ""
    return f"{mark} {event.stage:<10}{event.role:<17}{visible(text, 300)}{after}\n"


def _done(event: Event) -> str:
    line, look_at = _stage(event, "+", event.text), (event.data or {}).get("look_at")
    what = "Look at these before you merge: they run by themselves, or they are existing tests"
    return f"{line}\n{what}:\n  {listed(look_at, 8)}\n" if look_at else line


def _ended(event: Event) -> str:
    data = event.data or {}
    if data.get("code"):
        return ""
    if until := data.get("until"):
        return (
            f"\nEnded after the {until} stage. To continue, run the same command without --until.\n"
        )
    return "\nThe pull request is ready for review.\n"


_SENTENCES = {
    "begun": _begun,
    "leftover": lambda event: f"! ended {visible(event.text)}, which an earlier run left running\n",
    "notice": lambda event: f"! {visible(event.text, 600)}\n",
    "waits": lambda event: _stage(event, "!", event.text),
    "again": lambda event: _stage(event, "!", f"again: {event.text}"),
    "escalated": lambda event: _stage(event, "!", f"escalated {event.text}"),
    "kept": lambda event: _stage(event, "=", f"{event.text} (kept)"),
    "done": _done,
}


class _LiveLine:
    """One line on stderr that is redrawn: what runs, and for how long."""

    def __init__(self) -> None:
        self._name = self._text = ""  # no name: nothing is on the screen
        self._since = 0.0
        self._drawing = threading.Lock()
        threading.Thread(target=self._tick, daemon=True).start()

    def show(self, name: str, text: str) -> None:
        """Draw the line; restart the clock if the stage has changed."""
        if name != self._name:
            self._name, self._since = name, time.monotonic()
        self._text = visible(text, _DETAIL)
        self._draw()

    def clear(self) -> None:
        """Wipe the line until the next is shown."""
        with self._drawing:
            if self._name:
                self._name = ""
                _put("\r\x1b[K")

    def _tick(self) -> None:
        while True:
            time.sleep(_TICK)
            self._draw()

    def _draw(self) -> None:
        with self._drawing:
            if self._name:
                seconds = int(time.monotonic() - self._since)
                line = f"~ {self._name}{seconds:>4} s  {self._text}"
                _put("\r" + line[: columns(sys.stderr) - 1] + "\x1b[K")


def _put(text: str) -> None:
    with suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()
