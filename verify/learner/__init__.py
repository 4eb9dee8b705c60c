"""What a learner runs: one submission graded, watched, and remembered."""
