"""The commands about compositions of mechanisms."""
