"""Labelled Markov decision processes in files, and as functions."""
