"""Exports: what came of a cohort, in the formats of others; one file a format."""
