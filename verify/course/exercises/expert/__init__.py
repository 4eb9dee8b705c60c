"""The exercises of the expert level."""
