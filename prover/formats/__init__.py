"""Model files: reading and writing them."""
