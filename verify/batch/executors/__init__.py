"""Who carries batches out: one interface, one file an engine."""
