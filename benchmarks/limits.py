"""The exit code of a benchmark whose bound is missed: a measurement, not a benchmark that broke."""

MISSED = 3
