"""The exact epsilon: the cost of the worst run, found from above and from below, and its certificates."""
