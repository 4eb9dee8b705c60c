"""The exercises of the course, one declaration a file."""
