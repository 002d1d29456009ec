"""A small library with three mechanisms. In your repository this is your own package."""

from random import SystemRandom

_chance = SystemRandom()


def answer(truth):
    """The truth with probability 3/4, the opposite else: ε = ln 3."""
    return truth if _chance.randrange(4) else not truth


def _geometric():
    """The number of heads before the first tails."""
    heads = 0
    while _chance.randrange(2):
        heads += 1
    return heads


def count(people):
    """A count with noise on both sides, as whole numbers from 0 to 3: ε = ln 2."""
    return min(max(people + _geometric() - _geometric(), 0), 3)


def first_above(queries, epsilon=1.0):
    """Which queries are below a noisy threshold, up to the first one that is above: ε."""
    rate = epsilon / 2
    threshold = _laplace(rate)
    seen = []
    for query in queries:
        above = query + _laplace(rate / 2) >= threshold
        seen.append("above" if above else "below")
        if above:
            break
    return seen


def _laplace(rate):
    return _chance.expovariate(rate) - _chance.expovariate(rate)
