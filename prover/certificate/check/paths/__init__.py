"""Paths through states that no evidence lists: what they cost, and how many arcs they have."""
