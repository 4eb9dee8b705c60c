"""Reporters: one interface, one file per format, imported only when needed."""

# By format, the modules.
REPORTERS = {"table": "table", "json": "json_report", "junit": "junit", "github": "github"}
