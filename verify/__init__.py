"""The exercise grading harness."""
