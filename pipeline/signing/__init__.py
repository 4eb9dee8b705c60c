"""What a run attests of each artifact: a statement, signed, that a grader can check by itself."""
