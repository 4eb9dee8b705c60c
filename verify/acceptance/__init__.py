"""Asks a running service an issue's acceptance criteria; opens nothing but what it is given."""
