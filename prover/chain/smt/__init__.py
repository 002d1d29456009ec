"""Questions about chains as formulas, and distances found by asking solvers for them."""
