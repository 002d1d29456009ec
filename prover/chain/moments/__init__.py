"""Moments of the likelihood ratio of chains and processes, by belief pairs up to two factors."""
