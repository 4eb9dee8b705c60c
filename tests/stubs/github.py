"""A small GitHub on the loopback interface: pull requests that last, and faults on demand."""

from __future__ import annotations

import json
import subprocess
import threading
from collections import defaultdict, deque
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from tests.stubs.github_openapi import sample

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Self

DOCS = "https://docs.github.com/rest"
TOKEN = "ghp_ofNobodyAtAll0123456789"  # noqa: S105  # the stub's own, worth nothing elsewhere


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request as it came; header names in lower case, the body parsed."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any = None


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One answer. A scripted one stands in for the real one.

    `body` is sent as JSON, bytes as they are. `after` is how many seconds it takes. `obeys` has the
    request done first, though the answer does not tell so. `cut` breaks the connection off in the
    middle of the body.
    """

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    after: float = 0
    obeys: bool = False
    cut: bool = False


def error(status: int, message: str, **headers: str) -> Reply:
    """Return an error of GitHub's; underscores in names of headers stand for hyphens."""
    body = {"message": message, "documentation_url": DOCS, "status": str(status)}
    return Reply(status=status, body=body, headers=_named(headers))


def invalid(**entry: str) -> Reply:
    """Return GitHub's 422 with one entry of `errors`."""
    entry = {"resource": "PullRequest", "code": "custom", **entry}
    body = {"message": "Validation Failed", "errors": [entry], "documentation_url": DOCS}
    return Reply(status=422, body={**body, "status": "422"})


def _named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


class GitHubStub:
    """A server for one repository, which takes every request with its token.

    `bare` is the repository that is pushed to: a pull request needs its branches. `variables` are
    what the forge needs to find the stub.
    """

    def __init__(self, *, repository: str = "octo/hello", bare: Path | None = None) -> None:
        self.repository = repository
        self.bare = bare
        self.token = TOKEN
        self.rights = {"admin": False, "push": True, "pull": True}
        self.archived = False
        self.pulls: list[dict[str, Any]] = []
        self.issues: dict[str, dict[str, Any]] = {}
        self.said: dict[str, Any] = {}  # of each pull request, as GraphQL has it
        self.known = {"hubot", "reviewers"}  # who may be asked for a review
        self.requests: list[Request] = []
        self.replies: list[tuple[Request, Reply]] = []
        self._scripts: dict[str, deque[Reply]] = defaultdict(deque)
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.stub = self  # type: ignore[attr-defined]  # the handler's only way to it
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @property
    def variables(self) -> dict[str, str]:
        """Return the environment of a forge that is to talk to the stub."""
        return {"GITHUB_API_URL": self.url, "GH_REPO": self.repository, "GH_TOKEN": self.token}

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def script(self, method: str, *replies: Reply) -> None:
        """Answer the next requests of a method so."""
        self._scripts[method].extend(replies)

    def answer(self, request: Request) -> Reply:
        """Return what is answered, as scripted or else as GitHub would."""
        with self._lock:
            self.requests.append(request)
            script = self._scripts[request.method]
            scripted = script.popleft() if script else None
            reply = self._usual(request) if scripted is None or scripted.obeys else scripted
            if scripted is not None and scripted.obeys:
                reply = replace(
                    scripted, body=reply.body if scripted.body is None else scripted.body
                )
            self.replies.append((request, reply))
        self._closing.wait(reply.after)
        return reply

    def _usual(self, request: Request) -> Reply:
        if request.headers.get("authorization") != f"Bearer {self.token}":
            return error(401, "Bad credentials")
        home = f"/repos/{self.repository}"
        if request.path in ("/graphql", home):
            return self._described() if request.path == home else self._asked(request.body)
        if issue := self.issues.get(request.path.removeprefix(f"{home}/issues/")):
            return Reply(body=issue)
        if request.method == "POST" and request.path.endswith(("/labels", "/requested_reviewers")):
            return self._completed(request)
        if request.path != f"{home}/pulls":
            return error(404, "Not Found")
        return self._opened(request.body) if request.method == "POST" else self._listed(request)

    def _described(self) -> Reply:
        _, _, name = self.repository.partition("/")
        known = {"name": name, "full_name": self.repository, "permissions": self.rights}
        return Reply(body={**sample("full-repository"), **known, "archived": self.archived})

    def _asked(self, question: dict[str, Any]) -> Reply:
        asked = question["variables"]
        if f"{asked['owner']}/{asked['name']}" != self.repository or asked["number"] > len(
            self.pulls
        ):
            said = [{"type": "NOT_FOUND", "message": "Could not resolve to a PullRequest"}]
            return Reply(body={"data": {"repository": None}, "errors": said})
        state = self.pulls[asked["number"] - 1]["state"].upper()
        return Reply(body={"data": {"repository": {"pullRequest": {"state": state, **self.said}}}})

    def _completed(self, request: Request) -> Reply:
        *_, number, what = request.path.split("/")
        if int(number) > len(self.pulls):
            return error(404, "Not Found")
        if what == "labels":
            self.pulls[int(number) - 1]["labels"] = request.body["labels"]
            return Reply(body=[])
        people, teams = request.body["reviewers"], request.body["team_reviewers"]
        if not {*people, *teams} <= self.known:
            return error(422, "Reviews may only be requested from collaborators.")
        self.pulls[int(number) - 1]["requested_reviewers"] = [*people, *teams]
        return Reply(status=201, body=self.pulls[int(number) - 1])

    def _listed(self, request: Request) -> Reply:
        query = request.query
        head = query.get("head", "") if ":" in query.get("head", "") else ""  # else it is ignored
        return Reply(
            body=[
                pull
                for pull in self.pulls
                if query.get("state", "open") in (pull["state"], "all")
                and head in ("", pull["head"]["label"])
                and query.get("base", "") in ("", pull["base"]["ref"])
            ]
        )

    def _opened(self, body: Any) -> Reply:
        if not isinstance(body, dict):
            return error(400, "Problems parsing JSON")
        owner = self.repository.partition("/")[0]
        for key in ("title", "head", "base"):
            if not isinstance(body.get(key), str):
                return invalid(field=key, code="missing_field")
        head = body["head"] if ":" in body["head"] else f"{owner}:{body['head']}"
        refusal = self._refusal(head, body["base"])
        if refusal is not None:
            return refusal
        pull = self._pull(head, body)
        self.pulls.append(pull)
        return Reply(status=201, body=pull, headers={"Location": pull["url"]})

    def _refusal(self, head: str, base: str) -> Reply | None:
        branch = head.partition(":")[2]
        tips = {name: self._tip(name) for name in (base, branch)}
        for key, name in (("base", base), ("head", branch)):
            if not tips[name]:
                return invalid(field=key, code="invalid")
        if tips[base] == tips[branch]:
            return invalid(message=f"No commits between {base} and {branch}")
        same = [p for p in self.pulls if p["head"]["label"] == head and p["base"]["ref"] == base]
        if any(pull["state"] == "open" for pull in same):
            return invalid(message=f"A pull request already exists for {head}.")
        return None

    def _tip(self, branch: str) -> str:
        words = ["git", "-C", str(self.bare), "rev-parse", "--verify", f"refs/heads/{branch}"]
        return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()

    def _pull(self, head: str, body: dict[str, Any]) -> dict[str, Any]:
        number = len(self.pulls) + 1
        owner, _, branch = head.partition(":")
        pull: dict[str, Any] = sample("pull-request") | {"draft": body.get("draft", False)}
        pull |= {"number": number, "state": "open", "title": body["title"]}
        pull |= {
            "body": body.get("body"),
            "url": f"{self.url}/repos/{self.repository}/pulls/{number}",
        }
        pull["html_url"] = f"https://github.com/{self.repository}/pull/{number}"
        pull["head"] |= {"label": head, "ref": branch, "sha": self._tip(branch)}
        pull["head"]["user"]["login"] = owner
        base = body["base"]
        label = f"{self.repository.partition('/')[0]}:{base}"
        pull["base"] |= {"label": label, "ref": base, "sha": self._tip(base)}
        return pull


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer."""
        self._answer()

    def do_POST(self) -> None:
        """Answer."""
        self._answer()

    def _answer(self) -> None:
        stub: GitHubStub = self.server.stub  # type: ignore[attr-defined]  # see GitHubStub
        reply = stub.answer(self._request())
        data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        headers = {"Content-Type": "application/json; charset=utf-8", **reply.headers}
        self.close_connection = True
        try:
            self.send_response(reply.status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if reply.cut else data)
        except OSError:  # the client has waited long enough
            return

    def _request(self) -> Request:
        parts = urlsplit(self.path)
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(data) if data else None
        except ValueError:
            body = data
        return Request(
            method=self.command,
            path=parts.path,
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body,
        )

    def log_message(self, *_: object) -> None:
        """Say nothing."""
