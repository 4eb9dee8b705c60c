"""What kits consist of: the files of each kind, and the parts of a copy of the course."""
