"""The gradebook: every run, submission and result of a cohort, in one SQLite file."""
