"""Labelled Markov chains: the model, and the engines that bound the distances between its states."""
