"""The operators that make mutants, one module for each kind of thing that they change."""
