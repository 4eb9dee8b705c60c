"""An instructor's own course: exercises, checks and artifacts in a folder of theirs."""
