"""Runs a submission's service, and asks it the acceptance criteria of an issue."""
