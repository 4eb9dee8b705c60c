"""Grading again whenever something that was looked at has changed."""
