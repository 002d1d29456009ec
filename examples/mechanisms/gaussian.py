"""Mechanisms with Gaussian noise: no ε holds with δ = 0, and the question is δ.

prover delta examples/mechanisms/gaussian.py:first_hit --epsilon 1/2 --steps 25
"""

import prover
from prover.language import Query, gaussian, see


@prover.mechanism
def first_hit(queries):
    """Which query is the first one above a threshold. Sigma is in the units of queries, whatever ε is."""
    threshold = gaussian(0, sigma=2)
    for query in queries:
        if gaussian(query, sigma=4) >= threshold:
            see("above")
            return
        see("below")


@prover.mechanism
def release(query: Query):
    """One number, shown with noise: the Gaussian mechanism."""
    see(gaussian(query, sigma=2))


@prover.mechanism
def largest(queries, size=3):
    """Which of several noisy numbers is the largest."""
    best = gaussian(next(queries), sigma=2)
    index = 0
    for place in range(1, size):
        noisy = gaussian(next(queries), sigma=2)
        if noisy >= best:
            best = noisy
            index = place
    see(index)
