"""From what an instructor has to submissions: whose each entry is, and how it is opened."""
