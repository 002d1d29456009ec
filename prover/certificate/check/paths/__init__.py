"""Paths through states that no evidence lists: their costs, and their numbers of arcs."""
