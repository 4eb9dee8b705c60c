"""Grades a cohort: what is sent to workers, who carries it out, what is kept of it."""
