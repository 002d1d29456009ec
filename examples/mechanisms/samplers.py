"""Samplers as code, with real probabilities: what is drawn by their coins, and what is added to it.

prover delta examples/mechanisms/samplers.py:released_key --alpha 1
prover delta examples/mechanisms/samplers.py:laplace_count --epsilon 1/2
prover delta examples/mechanisms/samplers.py:gaussian_count --epsilon 1/2
"""

import prover
from prover.language import choose, discrete_laplace, flip, see


def exact_laplace(scale):
    """Discrete Laplace noise of this whole scale, by the rejection loop of Canonne, Kamath and Steinke."""
    while True:
        rest = choose(range(scale))
        if flip(f"e^(-{rest}/{scale})"):
            whole = 0
            while flip("e^(-1)"):
                whole += 1
            size = rest + scale * whole
            if flip():
                return size
            if size > 0:
                return -size


@prover.protocol
def laplace_count(count=range(2), scale=2):
    """A count with noise of this scale; without loops it is discrete_laplace(count, q="e^(-1/scale)")."""
    see(count + exact_laplace(scale))


@prover.protocol
def gaussian_count(count=range(2), variance=1, scale=2):
    """The same with discrete Gaussian noise, which the paper draws from Laplace noise of scale ⌊σ⌋ + 1."""
    while True:
        noise = exact_laplace(scale)
        far = abs(noise) * scale - variance
        if flip(f"e^(-{far * far}/{2 * variance * scale * scale})"):
            break
    see(count + noise)


@prover.protocol
def released_key(there: bool, threshold=5):
    """Shows a key and its noisy count, if that is large enough; the key is one person's."""
    noisy = discrete_laplace(1, q="e^(-1)")
    see(noisy if there and noisy >= threshold else "nothing")
