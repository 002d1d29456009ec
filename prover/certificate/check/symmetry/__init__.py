"""Pairs of states that symmetries of the chain map to each other."""
