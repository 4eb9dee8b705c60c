"""Turns what an instructor has into submissions: whose each entry is, and how it is opened."""
