"""What a run would do, without starting an agent: stages, agents, models, commands and limits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pipeline.run.dispatch import selected
from pipeline.run.stages import STAGES
from pipeline.terminal.display import printed, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.run.context import Run
    from pipeline.run.settings import Setting

_FOUND = "found from the manifests of the planned files"


def preview_of(
    run: Run, command: str, seconds: int, settings: Mapping[str, Setting]
) -> dict[str, Any]:
    """Return the record of `--dry-run`; `command` starts the agents, `seconds` limits a turn."""
    about = run.about
    names = [stage.name for stage in STAGES]
    until = names.index(run.until) + 1 if run.until else len(names)
    stages = []
    for stage in STAGES[:until]:
        role = run.role(stage)
        is_agent = role.startswith("x-")
        model = selected(run, role).with_parameters() if is_agent else ""
        start = command if is_agent else run.test_command or _FOUND
        stages.append({"stage": stage.name, "agent": role, "model": model, "command": start})
    return {
        "issue": about.issue,
        "title": about.title,
        "tier": about.tier,
        "reason": about.reason,
        "target": about.target,
        "criteria": dict(about.criteria),
        "jail": run.driver.terms,
        "stages": stages,
        "limits": {"seconds": seconds, "attempts": run.attempts, "rounds": run.rounds},
        "forge": run.forge.name,
        "options": {
            name: {"value": setting.value, "from": setting.origin, "allowed": setting.is_allowed}
            for name, setting in settings.items()
        },
    }


def as_text(preview: dict[str, Any]) -> str:
    """Return a preview for people."""
    criteria = [f"{label}: {text}" for label, text in preview["criteria"].items()]
    rows = [
        (row["stage"], row["agent"], row["model"] or "-", row["command"])
        for row in preview["stages"]
    ]
    lines = [
        f"{preview['issue']}: {preview['title']}",
        f"tier: {preview['tier']} ({preview['reason']})",
        f"target project: {preview['target']}",
        *filter(None, [preview["jail"]]),
        "",
        *(criteria or ["no acceptance criteria: the plan proposes them"]),
        "",
        f"{'STAGE':<10}{'AGENT':<17}{'MODEL':<28}COMMAND",
        *(f"{stage:<10}{role:<17}{model:<28}{command}" for stage, role, model, command in rows),
        "",
        "limits: " + ", ".join(f"{name} {limit}" for name, limit in preview["limits"].items()),
        f"forge: {preview['forge']}",
        "",
        f"{'OPTION':<21}{'VALUE':<28}FROM",
        *(_option(name, row) for name, row in preview["options"].items()),
        "",
        "Nothing was started.",
    ]
    return printed(visible(line, 400) for line in lines)


def _option(name: str, row: Mapping[str, Any]) -> str:
    asks = "" if row["allowed"] else ", which a run asks you to allow"
    value = json.dumps(row["value"], ensure_ascii=False).strip('"') if row["value"] else "-"
    return f"{name:<21}{visible(value, 200):<28}{row['from']}{asks}"
