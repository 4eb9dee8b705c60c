"""Takes one issue through its stages: dispatches, checks what was left, goes on or stops."""
