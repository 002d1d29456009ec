"""Questions about models as formulas, for SMT solvers."""
