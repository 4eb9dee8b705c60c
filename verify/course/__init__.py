"""The course: its exercises, the checks that they ask, and courses by other authors."""
