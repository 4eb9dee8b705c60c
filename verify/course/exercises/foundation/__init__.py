"""The exercises of the foundation level."""
