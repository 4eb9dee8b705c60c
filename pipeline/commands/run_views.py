"""How a run is shown while it happens: a line for each stage, or an event for each line."""

from __future__ import annotations

import json
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import inert, inert_json, visible
from pipeline.terminal.streams import ReaderGone, Undelivered, columns, deliver, tell

if TYPE_CHECKING:
    from pipeline.running.events import Event

VERSION = 1
_TICK = 0.5  # seconds between two pictures of a stage that is going on
_DETAIL = 60
_ROOM = 20  # columns that the names of stage and role take before what the agent does


class Quietly:
    """A stream that nobody reads any more stops no run: what is done must be finished."""

    def __init__(self) -> None:
        self._gone = False

    def write(self, text: str) -> None:
        """Write to stdout until it has gone."""
        if self._gone:
            return
        try:
            deliver(text)
        except (ReaderGone, Undelivered):
            self._gone = True


class JsonLines:
    """Each event as one line of JSON, for machines; the fields are in docs/reference/run.md."""

    def __init__(self) -> None:
        self._out = Quietly()

    def __call__(self, event: Event) -> None:
        """Write one event."""
        fields: dict[str, Any] = {"version": VERSION, "event": event.what, "issue": event.issue}
        for name in ("stage", "role", "text"):
            value = getattr(event, name)
            if value:
                fields[name] = value
        if event.seconds:
            fields["seconds"] = round(event.seconds, 3)
        text = json.dumps({**fields, **(event.data or {})})
        # The same document: GitHub's runner obeys `##[command]` anywhere in what a job prints.
        self._out.write(inert_json(text) + "\n")

    def close(self) -> None:
        """Nothing is left on the screen."""


class Lines:
    """A line for each stage when it is over; on a terminal a live line while it is going on."""

    def __init__(self) -> None:
        self._out = Quietly()
        self._live = _LiveLine() if sys.stderr.isatty() else None

    def __call__(self, event: Event) -> None:
        """Show one event."""
        if self._live and event.what in ("dispatched", "progress"):
            self._live.show(event.stage, event.role, event.text)
            return
        self.close()
        if event.what == "stopped":
            lines = (event.data or {}).get("lines", [event.text])
            tell(inert(f"pipeline: {event.issue} stopped: {visible(lines[0], 2000)}"))
            for line in lines[1:]:
                tell(inert(f"  {visible(line, 600)}"))
        elif event.what in _SENTENCES:
            self._out.write(_SENTENCES[event.what](event))

    def close(self) -> None:
        """Take the live line off the screen."""
        if self._live:
            self._live.clear()


def _begun(event: Event) -> str:
    data = event.data or {}
    agents = ", ".join(data["agents"])
    where = "the repository" if data["target"] == "." else visible(data["target"], 200)
    return (
        f"{event.issue}: {visible(event.text, 200)}\n"
        f"{data['tier']}: {visible(data['reason'], 200)} ({agents})\n"
        f"target project: {where}\n\n"
    )


def _stage(event: Event, mark: str, text: str) -> str:
    seconds = f"  {event.seconds:.1f} s" if event.seconds >= 0.05 else ""  # noqa: PLR2004  # shown as 0.1
    return f"{mark} {event.stage:<10}{event.role:<17}{visible(text, 300)}{seconds}\n"


def _ended(event: Event) -> str:
    data = event.data or {}
    if data.get("code"):
        return ""
    if data.get("until"):
        return (
            f"\nEnded after {data['until']}, as asked: without --until the same command goes on.\n"
        )
    return "\nThe pull request is ready for review.\n"


_SENTENCES = {
    "begun": _begun,
    "again": lambda event: _stage(event, "!", f"again: {event.text}"),
    "kept": lambda event: _stage(event, "=", f"{event.text} (kept)"),
    "done": lambda event: _stage(event, "+", event.text),
    "ended": _ended,
}


class _LiveLine:
    """One line on stderr that is drawn again and again: what goes on, and for how long."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stage = ""
        self._text = ""
        self._since = 0.0
        self._ended = threading.Event()
        self._ticker: threading.Thread | None = None

    def show(self, stage: str, role: str, text: str) -> None:
        """Draw the line; begin to count where it is another stage's."""
        with self._lock:
            name = f"{stage:<10}{role:<17}"
            if name != self._stage:
                self._stage, self._since = name, time.monotonic()
            self._text = visible(text, _DETAIL)
            self._draw()
            if self._ticker is None:
                self._ended.clear()
                self._ticker = threading.Thread(target=self._tick, daemon=True)
                self._ticker.start()

    def clear(self) -> None:
        """Wipe the line and stop drawing it."""
        ticker = self._ticker
        if ticker is None:
            return
        self._ended.set()
        ticker.join()
        self._ticker, self._stage = None, ""
        _draw("\r\x1b[K")

    def _tick(self) -> None:
        while not self._ended.wait(_TICK):
            with self._lock:
                self._draw()

    def _draw(self) -> None:
        seconds = int(time.monotonic() - self._since)
        line = f"~ {self._stage}{seconds:>4} s  {self._text}"
        _draw("\r" + line[: max(columns(sys.stderr) - 1, _ROOM)] + "\x1b[K")


def _draw(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        return
