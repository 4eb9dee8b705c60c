"""A submission as it is found: files, archives, a git history; `submission` is the only door."""
