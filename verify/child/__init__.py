"""Work in other processes, each within limits."""
