"""Takes one issue through its stages to a pull request; artifacts are its only state."""
