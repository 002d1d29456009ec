"""Questions about programs as formulas, and runs found by asking solvers for them."""
