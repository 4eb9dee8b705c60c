"""The git history that came with a submission, read by dulwich: bounded, from bytes alone."""
