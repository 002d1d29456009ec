"""Mechanisms with Gaussian noise: no ε holds with δ = 0, and the question is δ.

prover delta examples/mechanisms/gaussian.py:first_hit --epsilon 1/2 --steps 25
"""

import prover
from prover.language import gaussian, see


@prover.mechanism
def first_hit(queries):
    """Which query is the first one above a threshold. Sigma is in the units of queries, whatever ε is."""
    threshold = gaussian(0, sigma=2)
    for query in queries:
        if gaussian(query, sigma=4) >= threshold:
            see("above")
            return
        see("below")
