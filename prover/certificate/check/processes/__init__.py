"""Labelled Markov decision processes: systems in which an attacker chooses."""
