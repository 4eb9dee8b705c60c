"""Reporters: one interface, one file per format, imported only when needed."""
