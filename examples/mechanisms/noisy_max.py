"""Report noisy max: which of several counts is the largest, after noise.

prover privacy examples/mechanisms/noisy_max.py:most_common
"""

import prover
from prover.language import Queries, laplace, see


@prover.mechanism
def most_common(counts: Queries, kinds=3):
    """Which of several kinds is the most common. The loss is ε for any number of kinds."""
    largest = laplace(next(counts), rate="1/2")
    winner = 0
    for kind in range(1, kinds):
        noisy = laplace(next(counts), rate="1/2")
        if noisy >= largest:
            largest = noisy
            winner = kind
    see(winner)
