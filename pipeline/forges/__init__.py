"""Where a pull request is opened: one interface, one file for each forge."""
