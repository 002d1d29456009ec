"""Both sides of privacy loss distributions of chains whose δ(α) is only enclosed."""
