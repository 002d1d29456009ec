"""Permutations of the states of a chain that change nothing but names and labels."""
