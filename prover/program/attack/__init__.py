"""Runs made concrete: two neighbouring inputs, the probabilities of a run on them, the loss between."""
