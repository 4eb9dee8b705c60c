"""The commands of the console script: the work of each, and its options in a light module."""
