"""The console script's commands, one file each: what they take, print and return."""
