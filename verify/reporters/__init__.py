"""Reporters: one interface, one file a format, imported only when it is asked for."""
