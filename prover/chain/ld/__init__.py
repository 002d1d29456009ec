"""Distances ld, lgd and bd: from the pairs that matter to exact tables and their certificates."""
