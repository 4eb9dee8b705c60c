"""The cohort report: a static site of one overview and a page for each learner."""
