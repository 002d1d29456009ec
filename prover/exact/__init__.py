"""Exact numbers: rational text, linear systems and linear programs over the rationals."""
