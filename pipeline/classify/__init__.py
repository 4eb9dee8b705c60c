"""Classifies a task: trivial, standard or complex, by its words, with the reasons."""
