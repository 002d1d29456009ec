"""Protocols that count: shuffled answers, a tally, and counts with noise that is unbounded."""

import prover
from prover.language import binomial, choose, discrete_laplace, flip, geometric, see


@prover.protocol
def shuffled(mine: bool, n=100):
    """The number of yes among the randomised responses of n people, of whom the others all mean no."""
    ones = 0
    for _ in range(n - 1):
        ones += flip("1/4")
    ones += flip("3/4" if mine else "1/4")
    see(ones)


@prover.protocol
def shuffled_at_once(mine: bool, n=100):
    """The same, the answers of the others drawn at once."""
    ones = binomial(n - 1, "1/4")
    see(ones + 1 if flip("3/4" if mine else "1/4") else ones)


def answer(truth):
    """One of three answers, the true one four times as likely as each other."""
    if truth == 0:
        return choose({0: "4/6", 1: "1/6", 2: "1/6"})
    if truth == 1:
        return choose({0: "1/6", 1: "4/6", 2: "1/6"})
    return choose({0: "1/6", 1: "1/6", 2: "4/6"})


@prover.protocol
def shuffled_of_three(mine, n=100):
    """How many of n people give each of three answers; the others all mean the first one."""
    zeros, ones = 0, 0
    for voter in range(n):
        said = answer(mine if voter == n - 1 else 0)
        if said == 0:
            zeros += 1
        elif said == 1:
            ones += 1
    see((zeros, ones))


@prover.protocol
def tally(mine, n=50):
    """The votes for three candidates; the others choose evenly."""
    a, b, c = 0, 0, 0
    for voter in range(n):
        vote = choose((0, 1, 2)) if voter else mine
        if vote == 0:
            a += 1
        elif vote == 1:
            b += 1
        else:
            c += 1
    see((a, b, c))


@prover.protocol
def thresholded(there: bool, at_least=2, q="1/2"):
    """A count of 1 or of no record with noise, released if it is large; without records none is."""
    if there:
        noisy = discrete_laplace(1, q=q)
        if noisy >= at_least:
            see(noisy)
            return
    see("nothing")


@prover.protocol
def clones(mine: bool, n=100, p="1/3"):
    """The bound of Feldman, McMillan and Talwar: each other person is a clone with probability p."""
    others = binomial(n - 1, p)
    ones = binomial(others, "1/2")
    answer = 1 if flip("3/4") == mine else 0
    see((ones + answer, others - ones + 1 - answer))


@prover.protocol
def two_noises(there: bool, q="1/2"):
    """A count plus two noises, which has too many values to be explored as a whole."""
    total = 1 if there else 0
    for _ in range(2):
        total += geometric(0, q=q)
    see(total)
