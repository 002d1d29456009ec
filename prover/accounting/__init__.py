"""Exact accounting: privacy loss distributions, and what compositions of many mechanisms give away."""
