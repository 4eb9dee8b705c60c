"""Tells a task's tier, and why: signals read from text, a small table of rules."""
