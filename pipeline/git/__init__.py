"""The user's own repository, by the user's own git."""
