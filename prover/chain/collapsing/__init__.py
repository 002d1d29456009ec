"""Invisible time: chains as an observer sees them who sees only changes of the label."""
