"""Exports: the results of a cohort in the formats of other systems, one file per format."""
