"""What the contract needs: strict parsing, validation, problems and their words, layout."""
