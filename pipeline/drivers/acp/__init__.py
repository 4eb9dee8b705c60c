"""The driver `acp`: any agent that speaks the Agent Client Protocol, version 1."""
