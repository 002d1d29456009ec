"""Sweeps: δ, or the least ε, as a function of one or two parameters of a model."""
