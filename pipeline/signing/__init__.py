"""What a run attests about each artifact: a signed statement that a grader can check."""
