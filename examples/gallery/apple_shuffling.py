"""The case that ml-shuffling-amplification bounds, with local reports of e^ε₀ = 3.

prover delta examples/gallery/apple_shuffling.py:shuffled --alpha 1
"""

import prover
from prover.language import binomial, flip, see


@prover.protocol
def shuffled(answer: bool, others=9):
    """How many of all say yes by randomised response; the true answer of all others is no."""
    own = 1 if answer != flip("1/4") else 0
    see(own + binomial(others, "1/4"))
