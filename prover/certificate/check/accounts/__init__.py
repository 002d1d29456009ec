"""Compositions of mechanisms: laws of likelihood ratios, their products, and curves of δ."""
