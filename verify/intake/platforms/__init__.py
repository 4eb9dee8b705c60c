"""How learning platforms name what they hand out: one file a platform."""
