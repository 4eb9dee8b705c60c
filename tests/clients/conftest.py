"""Real clients of agents, installed once into the user's cache, their models on loopback."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import pytest

from pipeline.terminal.programs import installed_version
from tests.stubs.github import GitHubStub
from tests.stubs.model_server import ModelServer
from tests.stubs.repositories import UserRepository, remote_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.stubs.team import Team

OLDEST_NODE = (20, 0)
LIMIT = 240  # seconds after which an installation is stuck
OFFLINE = re.compile("ENOTFOUND|ENOTCACHED|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT")
MODELS = ("of-planner", "of-subplanner", "of-worker", "of-reviewer", "of-git")

ISSUE = """# ISSUE-7: Answer GET /health

Operators want to ask whether the service lives.

## Acceptance criteria

- AC1_status: `GET /health` answers 200.
- AC2_shape: the body is `{"status": "ok"}`.
"""
_SOON = "--fetch-retry-mintimeout=500"  # a machine without a network is told so at once
PROMPT = "work on issue ISSUE-7: add a GET /health endpoint with tests"


PACKAGES = {  # of each client the package, the version and the program
    "qwen": ("@qwen-code/qwen-code", "0.24.4", "qwen"),
    "gemini": ("@google/gemini-cli", "0.61.0", "gemini"),
    "claude": ("@agentclientprotocol/claude-agent-acp", "0.101.0", "claude-agent-acp"),
    "codex": ("@agentclientprotocol/codex-acp", "2.6.0", "codex-acp"),
    "opencode": ("opencode-ai", "1.18.33", "opencode"),
    "copilot": ("@github/copilot", "1.0.102", "copilot"),
}
VIBE, NEWER_PYTHONS = "mistral-vibe==3.0.2", ("python3.12", "python3.13", "python3.14")
PYENV = ".pyenv/versions/3.1[2-9]*/bin/python"  # its shims exist for versions that are not chosen


def command_of(client: str) -> str:
    """Return the command line of a client as an agent."""
    if client == "vibe":
        return _vibe()
    path = _installed(*PACKAGES[client])
    if client == "opencode":
        (program,) = Path(path).parent.parent.glob("opencode-linux-*[0-9]/bin/opencode")
        return f"{program} acp --pure"
    words = {"qwen": " --acp", "gemini": " --acp", "copilot": " --acp --stdio"}
    return path + words.get(client, "")


def _folder(name: str) -> Path:
    caches = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(caches, "issue-pipeline-course", name)


def _vibe() -> str:
    """Return the path of Mistral Vibe, which is a package of a newer Python."""
    found = _folder(VIBE.replace("==", "-")) / "bin" / "vibe-acp"
    if not found.exists():
        found_ones = [*filter(None, map(shutil.which, NEWER_PYTHONS)), *Path.home().glob(PYENV)]
        python = next((path for path in map(str, found_ones) if _runs(path)), None)
        if python is None:
            _unavailable(f"the tests with Mistral Vibe need one of {', '.join(NEWER_PYTHONS)}")
        install = [str(found.with_name("pip")), "install", "--quiet", VIBE]
        for words in ([python, "-m", "venv", str(found.parent.parent)], install):
            subprocess.run(words, timeout=LIMIT, check=True)
    return str(found)


def _runs(python: str) -> bool:
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


def _unavailable(reason: str) -> NoReturn:
    """Skip a test for what this machine lacks; fail it in CI, where nothing may be lacking."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def _installed(package: str, version: str, program: str) -> str:
    """Return the path of a client's program, from the cache or else from the registry."""
    node = installed_version("node")
    if node is None or node < OLDEST_NODE or shutil.which("npm") is None:
        _unavailable("the tests with real clients need Node.js 20 or newer and npm")
    folder = _folder(f"{program}-{version}")
    found = folder / "node_modules" / ".bin" / program
    if not found.exists():
        _install(folder, f"{package}@{version}")
    return str(found)


def _install(folder: Path, package: str) -> None:
    made = folder.with_name(f"{folder.name}.{os.getpid()}")
    made.mkdir(parents=True)
    (made / "package.json").write_text("{}")
    words = ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = subprocess.run(
        [shutil.which("npm") or "npm", *words, "--fetch-retries=1", _SOON, package],
        cwd=made,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    if done.returncode:
        shutil.rmtree(made)
        if OFFLINE.search(done.stderr):
            _unavailable(f"npm reaches no registry and has not cached {package}")
        pytest.fail(done.stderr)
    try:
        made.rename(folder)
    except OSError:  # another run was first
        shutil.rmtree(made)


class Scene:
    """A user's repository with the project `app`, its remote, and a GitHub and models for it."""

    def __init__(self, folder: Path, github: GitHubStub) -> None:
        self.user = UserRepository(folder / "work")
        self.root = self.user.folder.resolve()
        self.home = folder / "home"
        self.home.mkdir()
        self.temporary = folder / "tmp"  # not the home: Codex has no sandbox in a temporary folder
        self.temporary.mkdir()
        self.user.write("README.md", "# Services\n")
        self.user.write("app/package.json", '{"type": "module"}\n')
        self.user.write("app/issues/ISSUE-7.md", ISSUE)
        self.user.commit("chore: begin")
        self.bare = remote_for(self.user, folder / "bare.git")
        github.bare = self.bare
        self.github = github
        self.environment: dict[str, str] = {}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the pipeline on the issue, with a client that `environment` is for."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        where = ("--project", "app", "--forge", "github", "--seconds", "60")
        return subprocess.run(
            [sys.executable, "-m", "pipeline", "run", PROMPT, *where, "--driver", "acp", *words],
            cwd=self.root,
            env={
                **kept,
                "HOME": str(self.home),
                "TMPDIR": str(self.temporary),
                **self.github.variables,
                **self.environment,
            },
            capture_output=True,
            encoding="utf-8",
            timeout=240,
            check=False,
        )

    def settings(self, client: str, value: object) -> None:
        """Write a client's own settings into the home folder."""
        folder = self.home / f".{client}"
        folder.mkdir()
        (folder / "settings.json").write_text(json.dumps(value), encoding="utf-8")

    def for_qwen(self, server: ModelServer) -> None:
        """Have Qwen Code ask the server, for which it knows a model for each role."""
        address = f"{server.url}/v1"
        keys = {"baseUrl": address, "envKey": "OPENAI_API_KEY"}
        self.settings(
            "qwen",
            {
                "security": {"auth": {"selectedType": "openai"}},
                "privacy": {"usageStatisticsEnabled": False},
                "memory": {"enableManagedAutoMemory": False},  # no requests of its own
                "ui": {"enableFollowupSuggestions": False},
                "modelProviders": {"openai": [{"id": m, "name": m, **keys} for m in MODELS]},
                "model": {"name": "of-planner"},
            },
        )
        self.environment = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": address}

    def for_gemini(self, server: ModelServer) -> None:
        """Have Gemini CLI ask the server."""
        self.settings(
            "gemini",
            {
                "security": {"auth": {"selectedType": "gemini-api-key"}},
                "privacy": {"usageStatisticsEnabled": False},
            },
        )
        self.environment = {
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": server.url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    def for_claude(self, server: ModelServer) -> None:
        """Have Claude Code ask the server."""
        self.settings("claude", {"promptSuggestionEnabled": False})
        self.environment = {"ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": server.url}

    def for_codex(self, server: ModelServer) -> None:
        """Have Codex ask the server, with one model for all roles: it refuses names it has not."""
        folder = self.home / ".codex"
        folder.mkdir()
        (folder / "config.toml").write_text(
            f"""model = "of-worker"
model_provider = "stub"

[model_providers.stub]
name = "stub"
base_url = "{server.url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
""",
            encoding="utf-8",
        )
        self.environment = {"OPENAI_API_KEY": "none"}

    def for_copilot(self, server: ModelServer) -> None:
        """Have Copilot CLI ask the server, with one model for all roles, and nobody else."""
        self.environment = {
            "COPILOT_PROVIDER_BASE_URL": f"{server.url}/v1",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "of-worker",
            "COPILOT_OFFLINE": "true",
        }

    def for_vibe(self, server: ModelServer) -> None:
        """Have Mistral Vibe ask the server, for which it knows a model for each role."""
        folder = self.home / ".vibe"
        folder.mkdir()
        models = "".join(
            f'[[models]]\nname = "{name}"\nprovider = "stub"\nalias = "{name}"\n' for name in MODELS
        )
        (folder / "config.toml").write_text(
            f"""active_model = "of-planner"
enable_telemetry = false
enable_update_checks = false
enable_auto_update = false
enable_connectors = false

[[providers]]
name = "stub"
api_base = "{server.url}/v1"
api_key_env_var = "MISTRAL_API_KEY"

{models}""",
            encoding="utf-8",
        )
        (folder / "trusted_folders.toml").write_text(
            f'trusted = ["{self.root}"]\nuntrusted = []\n', encoding="utf-8"
        )
        self.environment = {"MISTRAL_API_KEY": "none"}

    def for_opencode(self, server: ModelServer) -> None:
        """Have opencode ask the server, for which it knows a model for each role."""
        options = {"baseURL": f"{server.url}/v1", "apiKey": "none"}
        provider = {"npm": "@ai-sdk/openai-compatible", "options": options}
        folder = self.home / ".config" / "opencode"
        folder.mkdir(parents=True)
        settings = {
            "autoupdate": False,
            "enabled_providers": ["stub"],
            "model": "stub/of-planner",
            "small_model": "stub/of-planner",
            "provider": {"stub": {**provider, "models": {name: {} for name in MODELS}}},
        }
        (folder / "opencode.json").write_text(json.dumps(settings), encoding="utf-8")


class Played(NamedTuple):
    """A run that is over: the scene, who played, the server that they played on."""

    scene: Scene
    team: Team
    server: ModelServer
    done: subprocess.CompletedProcess[str]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """Return a repository and a GitHub for it."""
    with GitHubStub() as github:
        yield Scene(tmp_path, github)


@pytest.fixture
def play(scene: Scene) -> Iterator[Callable[..., Played]]:
    """Return a function that has a team take the issue to its end with a client."""
    servers: list[ModelServer] = []

    def run(team: Team, client: str, *words: str) -> Played:
        command = command_of(client)
        server = ModelServer(team).__enter__()
        servers.append(server)
        getattr(scene, f"for_{client}")(server)
        done = scene.run("--client", client, "--client-command", command, *words)
        assert [str(fault) for fault in server.faults] == [], done.stderr
        return Played(scene, team, server, done)

    yield run
    for server in servers:
        server.__exit__(None, None, None)
