"""The clients that the pack can be exported to, one file each."""

from __future__ import annotations

from pipeline.agents.clients import claude, codex, copilot, cursor, gemini, opencode, qwen

CLIENTS = {
    module.CLIENT.name: module.CLIENT
    for module in (cursor, claude, opencode, codex, gemini, qwen, copilot)
}
