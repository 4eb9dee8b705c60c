"""A model on loopback that answers from a script, in the APIs of OpenAI, Anthropic and Gemini."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import TracebackType

    from typing_extensions import Self

_GEMINI = re.compile(r"/models/([^/:]+):(generateContent|streamGenerateContent)")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request: the model's name, the tools that it may call, and the talk so far.

    `prompt` is the last part of the last user's message: clients put words of their own before it.
    `results` are those of the tools called since then, in order.
    """

    model: str
    tools: tuple[str, ...]
    prompt: str
    results: tuple[str, ...]


@dataclass(frozen=True)
class Say:
    """An answer in words."""

    text: str


@dataclass(frozen=True)
class Call:
    """An answer that calls a tool, which Codex may have in a namespace."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    namespace: str | None = None


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Say nothing: a client that is ended leaves its connections as they are."""


class ModelServer:
    """Serves a script on 127.0.0.1 and keeps what was asked, in order.

    The script is called by one request at a time. What it raises is kept in `faults`, and the
    client gets status 500.
    """

    def __init__(self, script: Callable[[Asked], Say | Call]) -> None:
        self.asked: list[Asked] = []
        self.faults: list[Exception] = []
        self._script = script
        self._lock = Lock()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        """Serve in a thread."""
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def answer(self, asked: Asked) -> Say | Call:
        """Ask the script, one request at a time."""
        with self._lock:
            self.asked.append(asked)
            try:
                return self._script(asked)
            except Exception as error:
                error.args = (*error.args, asked)
                self.faults.append(error)
                raise

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", "0"))
                body = json.loads(self.rfile.read(length) or b"{}")
                try:
                    events = _answered(server, self.path, body)
                except Exception:  # noqa: BLE001  # kept by the server, which the test looks at
                    self._send(500, "application/json", b'{"error":{"message":"script"}}')
                    return
                if len(events) == 1:
                    self._send(200, "application/json", json.dumps(events[0]).encode())
                else:
                    lines = "".join(map(_event, filter(None, events)))
                    self._send(200, "text/event-stream", lines.encode())

            def _send(self, status: int, kind: str, data: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # its name there
                pass

        return Handler


def _answered(server: ModelServer, path: str, body: Any) -> list[Any]:
    """Return the events of an answer; one alone is a whole JSON document."""
    gemini = _GEMINI.search(path)
    if gemini:
        whole = _gemini_answer(server.answer(_asked_gemini(gemini[1], body)))
        return [whole, ""] if gemini[2].startswith("stream") else [whole]
    if path.partition("?")[0].endswith("/messages"):
        return _anthropic_events(server.answer(_asked_anthropic(body)), body["model"])
    if path.endswith("/responses"):
        return _responses_events(server.answer(_asked_responses(body)))
    answer = server.answer(_asked_openai(body))
    if body.get("stream"):
        return _openai_events(answer, body["model"])
    return [_openai_answer(answer, body["model"])]


def _event(event: Any) -> str:
    """Return an event as a stream of events has it: its type, where it has one, and its data."""
    if isinstance(event, str):
        return f"data: {event}\n\n"
    named = f"event: {event['type']}\n" if "type" in event else ""
    return f"{named}data: {json.dumps(event)}\n\n"


def _asked(model: str, tools: Iterable[str], talk: list[tuple[str, str]]) -> Asked:
    """Return a request whose talk is pairs of who speaks, "user" or "tool", and a text."""
    last = max((i for i, (who, _) in enumerate(talk) if who == "user"), default=-1)
    return Asked(
        model=model,
        tools=tuple(tools),
        prompt=talk[last][1] if last >= 0 else "",
        results=tuple(text for who, text in talk[last + 1 :] if who == "tool"),
    )


def _texts(content: Any) -> list[str]:
    """Return the texts of a message, which is one or has parts."""
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in content or () if "text" in part]


def _asked_openai(body: Any) -> Asked:
    tools = [tool["function"]["name"] for tool in body.get("tools") or ()]
    said = [(each["role"], _texts(each.get("content"))) for each in body["messages"]]
    talk = [(who, texts[-1] if who == "user" else "\n".join(texts)) for who, texts in said if texts]
    return _asked(body["model"], tools, talk)


def _asked_anthropic(body: Any) -> Asked:
    talk = []
    for each in body["messages"]:
        parts = each["content"]
        parts = [{"type": "text", "text": parts}] if isinstance(parts, str) else parts
        for part in parts:
            if part["type"] == "tool_result":
                talk.append(("tool", "\n".join(_texts(part.get("content")))))
            elif part["type"] == "text" and not part["text"].startswith("<system-reminder>"):
                talk.append((each["role"], part["text"]))
    return _asked(body["model"], [tool["name"] for tool in body.get("tools") or ()], talk)


def _asked_responses(body: Any) -> Asked:
    talk = []
    for each in body["input"]:
        if each["type"] == "function_call_output":
            talk.append(("tool", "\n".join(_texts(each["output"]))))
        elif each["type"] == "message":
            talk += [
                ("tool" if text.startswith("<subagent_notification>") else each["role"], text)
                for text in _texts(each["content"])
            ]
    tools = [tool["name"] for tool in body.get("tools") or () if "name" in tool]
    return _asked(body["model"], tools, talk)


_NUMBERS = count(1)  # a client takes two calls of one id for one call


def _delta(answer: Say | Call) -> dict[str, Any]:
    if isinstance(answer, Say):
        return {"role": "assistant", "content": answer.text}
    called = {"name": answer.tool, "arguments": json.dumps(answer.arguments)}
    call = {"index": 0, "id": f"call_{next(_NUMBERS)}", "type": "function", "function": called}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _reason(answer: Say | Call) -> str:
    return "stop" if isinstance(answer, Say) else "tool_calls"


_USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
_TOKENS = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}


def _openai_answer(answer: Say | Call, model: str) -> dict[str, Any]:
    choice = {"index": 0, "message": _delta(answer), "finish_reason": _reason(answer)}
    head = {"id": "answer", "object": "chat.completion", "created": 1, "model": model}
    return {**head, "choices": [choice], "usage": _USAGE}


def _openai_events(answer: Say | Call, model: str) -> list[Any]:
    head = {"id": "answer", "object": "chat.completion.chunk", "created": 1, "model": model}
    first = {"index": 0, "delta": _delta(answer), "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": _reason(answer)}
    events = [{**head, "choices": [first]}, {**head, "choices": [last], "usage": _USAGE}]
    return [*events, "[DONE]"]


def _responses_events(answer: Say | Call) -> list[Any]:
    item: dict[str, Any]
    if isinstance(answer, Say):
        text = {"type": "output_text", "text": answer.text}
        item = {"type": "message", "role": "assistant", "id": "said", "content": [text]}
    else:
        called = {"name": answer.tool, "arguments": json.dumps(answer.arguments)}
        item = {"type": "function_call", "call_id": f"call_{next(_NUMBERS)}", **called}
        item["namespace"] = answer.namespace
    return [
        {"type": "response.created", "response": {"id": "answer"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "answer", "usage": _TOKENS}},
    ]


def _anthropic_events(answer: Say | Call, model: str) -> list[Any]:
    block: dict[str, Any]
    if isinstance(answer, Say):
        block, reason = {"type": "text", "text": ""}, "end_turn"
        delta = {"type": "text_delta", "text": answer.text}
    else:
        called = {"id": f"call_{next(_NUMBERS)}", "name": answer.tool, "input": {}}
        block, reason = {"type": "tool_use", **called}, "tool_use"
        delta = {"type": "input_json_delta", "partial_json": json.dumps(answer.arguments)}
    number = next(_NUMBERS)  # a client takes two messages of one id for one message
    head = {"id": f"answer_{number}", "type": "message", "role": "assistant", "model": model}
    empty: dict[str, Any] = {
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _TOKENS,
    }
    end = {"stop_reason": reason, "stop_sequence": None}
    return [
        {"type": "message_start", "message": {**head, **empty}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": _TOKENS},
        {"type": "message_stop"},
    ]


def _asked_gemini(model: str, body: Any) -> Asked:
    talk = []
    for each in body["contents"]:
        texts = _texts(each["parts"])
        talk += [(each["role"], texts[-1])] if texts else []
        answers = (part.get("functionResponse") for part in each["parts"])
        talk += [("tool", json.dumps(answer)) for answer in answers if answer]
    declared = [tool.get("functionDeclarations", ()) for tool in body.get("tools") or ()]
    return _asked(model, (each["name"] for group in declared for each in group), talk)


def _gemini_answer(answer: Say | Call) -> dict[str, Any]:
    part: dict[str, Any] = (
        {"text": answer.text}
        if isinstance(answer, Say)
        else {"functionCall": {"name": answer.tool, "args": dict(answer.arguments)}}
    )
    content = {"role": "model", "parts": [part]}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    }
