"""What grading is: the model of exercises and results, and the runner of the checks."""
