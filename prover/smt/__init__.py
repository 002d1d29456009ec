"""Formulas as SMT-LIB 2 text, and what Z3 says about them."""
