"""How far a submission's artifacts can be traced to the agents that they name."""
