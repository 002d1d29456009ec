"""Mechanisms of diffprivlib, with e^ε = 2.

prover epsilon examples/gallery/diffprivlib.py:binary --delta 0
"""

import prover
from prover.language import discrete_laplace, flip, see


@prover.protocol
def binary(value: bool):
    """Binary: the value is flipped with probability 1/(e^ε + 1)."""
    see(value != flip("1/3"))


@prover.protocol
def geometric(more: bool):
    """Geometric, for the counts 0 and 1."""
    see(discrete_laplace(1 if more else 0, q="1/2"))


@prover.protocol
def geometric_truncated(more: bool, count=1):
    """GeometricTruncated on 0 … 3, for one count and the next."""
    noisy = discrete_laplace(count + (1 if more else 0), q="1/2")
    see(0 if noisy <= 0 else 3 if noisy >= 3 else noisy)
