"""The exercises of the practitioner level."""
