"""Is a threshold program private? Facts about it, what is wrong where it is not, and certificates."""
