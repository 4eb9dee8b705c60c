"""What runs an agent's turn: one interface, one file for each way."""
