"""Where submissions come from: one interface, one file a source."""
