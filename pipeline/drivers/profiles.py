"""The agent clients that the driver `acp` knows, one row each: data, and no import of the SDK.

Sources: the clients' own documentation and sessions with them over the Agent Client Protocol.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# What every agent gets of the environment: where things are, the language, the way out.
COMMON = (
    *("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"),
    *("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"),
    *("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"),
    *("APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROGRAMDATA"),
    *("PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE"),
)

# What no agent gets, whatever is asked for: the pull request is opened by the runner alone.
FORGE_TOKENS = (
    *("GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"),
    *("GITLAB_TOKEN", "CI_JOB_TOKEN", "GITEA_TOKEN", "FORGEJO_TOKEN"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """How one client is started, asked and told what it may do.

    `argv` starts it as an agent of the protocol, and `install` gets it. Of the environment it gets
    the variables named by `keys`, where they are set, and those of `environment`. `mode` is that of
    a session; one whose role writes nothing has `reading`, one whose agent dispatches others
    `dispatching`, where they are not empty. `methods` are its ways to log in without a person,
    `login` tells a person how to. `definitions` are the folders where it looks for agents. `extras`
    is sent as `_meta` of the driver's capabilities.
    """

    name: str
    argv: tuple[str, ...]
    install: str
    login: str
    keys: tuple[str, ...]
    mode: str
    definitions: tuple[str, ...]
    reading: str = ""
    dispatching: str = ""
    methods: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    extras: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def program(self) -> str:
        """The program that must be on PATH."""
        return self.argv[0]


_ROWS = (
    Profile(
        name="cursor",
        argv=("agent", "acp"),
        install="see https://cursor.com/docs/cli/installation",
        login="run `agent login`, or set CURSOR_API_KEY",
        keys=("CURSOR_API_KEY",),
        mode="agent",
        definitions=(".cursor/agents", ".claude/agents"),
        methods=("cursor_login",),
        # Model and effort become separate options; as one text a change may fail unseen.
        extras=MappingProxyType({"parameterizedModelPicker": True}),
    ),
    Profile(
        name="claude",
        argv=("claude-agent-acp",),
        install="npm install -g @agentclientprotocol/claude-agent-acp",
        login="run `claude` and its command /login, or set ANTHROPIC_API_KEY",
        keys=(
            *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"),
            *("CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"),
        ),
        mode="default",
        definitions=(".claude/agents", "~/.claude/agents"),
    ),
    Profile(
        name="codex",
        argv=("codex-acp",),
        install="npm install -g @agentclientprotocol/codex-acp",
        login="run `codex login`, or set OPENAI_API_KEY",
        keys=("OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY", "CODEX_HOME"),
        mode="agent",
        reading="read-only",
        definitions=(".codex/agents", "~/.codex/agents"),
        methods=("api-key", "openai-api-key", "codex-api-key"),
    ),
    Profile(
        name="opencode",
        argv=("opencode", "acp"),
        install="npm install -g opencode-ai",
        login="run `opencode auth login`, or set the key of your provider and pass it on",
        keys=(
            *("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY"),
            *("OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT", "OPENCODE_CONFIG_DIR"),
        ),
        mode="build",
        definitions=(".opencode/agents", ".opencode/agent", "~/.config/opencode/agents"),
        environment=MappingProxyType(
            {
                # By itself it edits and runs without asking.
                "OPENCODE_PERMISSION": '{"edit":"ask","bash":"ask","webfetch":"ask"}',
                "OPENCODE_DISABLE_AUTOUPDATE": "1",
            }
        ),
    ),
    Profile(
        name="gemini",
        argv=("gemini", "--acp"),
        install="npm install -g @google/gemini-cli",
        login="run `gemini` once and log in, or set GEMINI_API_KEY",
        keys=(
            *("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
            *("GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_GENAI_USE_VERTEXAI"),
            *("GOOGLE_APPLICATION_CREDENTIALS", "GEMINI_CLI_TRUST_WORKSPACE"),
        ),
        mode="default",
        dispatching="yolo",  # in every other mode its policy denies a dispatch without asking
        definitions=("~/.gemini/agents", ".gemini/agents"),
        methods=("gemini-api-key",),
    ),
    Profile(
        name="qwen",
        argv=("qwen", "--acp"),
        install="npm install -g @qwen-code/qwen-code",
        login="run `qwen` once and log in, or set OPENAI_API_KEY and OPENAI_BASE_URL",
        keys=("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "DASHSCOPE_API_KEY"),
        mode="default",
        definitions=(".qwen/agents", "~/.qwen/agents"),
        methods=("openai",),
    ),
)

PROFILES: Mapping[str, Profile] = MappingProxyType({row.name: row for row in _ROWS})


def installed(find: Callable[[str], str | None]) -> list[Profile]:
    """Return the clients whose programs are there; none is started.

    Args:
        find: returns the path of a program, None where it is not on PATH, as `shutil.which` does.
    """
    return [profile for profile in PROFILES.values() if find(profile.program)]
