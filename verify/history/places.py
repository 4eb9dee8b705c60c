"""Where a history stands in a submission."""

GIT = ".git"
BUNDLE = ".pipeline/history.bundle"
