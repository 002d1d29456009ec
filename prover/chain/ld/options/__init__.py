"""The skewed distances of systems in which an attacker chooses, by strategy improvement."""
