"""Paths through states that a part does not have: what they force, and which of them are the cheapest."""
