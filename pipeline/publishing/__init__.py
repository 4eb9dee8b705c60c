"""From a worker's files to a branch, a commit, a pull request and git-result.json."""
