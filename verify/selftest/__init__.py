"""Proves the course: its fixtures, pages, files, and that small faults in a solution are found."""
