"""The git history of a submission, read without the git program: bounded, from bytes alone."""
