"""The mechanisms of StatDP, as they are published, in our own words.

    prover privacy benchmarks/field/statdp.py:noisy_max_v1a --const size=5

Ding, Wang, Wang, Zhang and Kifer, *Detecting Violations of Differential Privacy* (CCS 2018). The sparse
vectors show one number about all answers and not the answers: how many are below, or in how many places they
differ from the answers that one expects, which are above in the first half. Rates are multiples of ε.
"""

import prover
from prover.language import exponential, laplace, see


@prover.mechanism
def noisy_max_v1a(queries, size=5):
    """The index of the largest noisy answer. Published: ε."""
    best = laplace(next(queries), scale=2)
    index = 0
    for place in range(1, size):
        noisy = laplace(next(queries), scale=2)
        if noisy > best:
            best = noisy
            index = place
    see(index)


@prover.mechanism
def noisy_max_v1b(queries, size=5):
    """The largest noisy answer itself. Published: a violation of ε."""
    best = laplace(next(queries), scale=2)
    for _ in range(1, size):
        noisy = laplace(next(queries), scale=2)
        if noisy > best:
            best = noisy
    see(best)


@prover.mechanism
def noisy_max_v2a(queries, size=5):
    """The index of the largest answer with exponential noise. Published: ε."""
    best = exponential(next(queries), scale=2)
    index = 0
    for place in range(1, size):
        noisy = exponential(next(queries), scale=2)
        if noisy > best:
            best = noisy
            index = place
    see(index)


@prover.mechanism
def noisy_max_v2b(queries, size=5):
    """The largest answer with exponential noise itself. Published: a violation of ε."""
    best = exponential(next(queries), scale=2)
    for _ in range(1, size):
        noisy = exponential(next(queries), scale=2)
        if noisy > best:
            best = noisy
    see(best)


@prover.mechanism
def histogram(queries, size=5):
    """Noisy counts, of which the first is shown. Published: ε, where one count differs."""
    see(laplace(next(queries), scale=1))
    for _ in range(1, size):
        laplace(next(queries), scale=1)


@prover.mechanism
def histogram_eps(queries, size=5):
    """Noise of scale ε in place of 1/ε. Published: a violation."""
    see(laplace(next(queries), scale="epsilon"))
    for _ in range(1, size):
        laplace(next(queries), scale="epsilon")


@prover.mechanism
def svt(queries, border=0, limit=1, size=5):
    """How many answers are below, until ``limit`` are above. Published: ε."""
    threshold = laplace(border, scale=2)
    above = 0
    below = 0
    for _ in range(size):
        if above < limit:
            if laplace(next(queries), scale=4 * limit) >= threshold:
                above += 1
            else:
                below += 1
    see(below)


@prover.mechanism
def isvt1(queries, border=0, size=5):
    """No noise on queries; in how many places answers are not the expected ones. Published: a violation."""
    threshold = laplace(border, scale=2)
    wrong = 0
    for place in range(size):
        if (next(queries) >= threshold) != (place < size // 2):
            wrong += 1
    see(wrong)


@prover.mechanism
def isvt2(queries, border=0, size=5):
    """No limit; in how many places the answers are not the expected ones. Published: a violation."""
    threshold = laplace(border, scale=2)
    wrong = 0
    for place in range(size):
        if (laplace(next(queries), scale=2) >= threshold) != (place < size // 2):
            wrong += 1
    see(wrong)


@prover.mechanism
def isvt3(queries, border=0, limit=1, size=5):
    """Less noise; in how many places the answers are not the expected ones. Published: a violation."""
    threshold = laplace(border, scale=4)
    above = 0
    wrong = 0
    for place in range(size):
        expected = place < size // 2
        if above == limit:
            wrong += 1
        elif laplace(next(queries), scale="4/3") > threshold:
            above += 1
            if not expected:
                wrong += 1
        elif expected:
            wrong += 1
    see(wrong)


@prover.mechanism
def isvt4(queries, border=0, limit=1, size=5):
    """How many answers are below, and the number that was compared last. Published: a violation of ε."""
    threshold = laplace(border, scale=2)
    above = 0
    below = 0
    for _ in range(size):
        noisy = laplace(next(queries), scale=2 * limit)
        if noisy > threshold:
            above += 1
            if above == limit:
                see(below)
                see(noisy)
                return
        else:
            below += 1
    see(below)
