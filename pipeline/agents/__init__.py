"""The pack of agents, rules and skills: one neutral source, a tree for each client, and a lint."""
