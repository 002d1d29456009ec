"""The kinds of mechanisms on which DiPApprox is tried; its programs have no loops, and draw numbers first.

    prover privacy benchmarks/field/dipapprox.py:noisy_max --const size=4
    prover delta benchmarks/field/dipapprox.py:noisy_max_gauss --alpha 2

Bhusal, Chadha, Sistla and Viswanathan, *Approximate Algorithms for Verifying Differential Privacy with
Gaussian Distributions* (CCS 2025). Sizes and rates are chosen here; benchmarks/dip.py reads its own files.
"""

import prover
from prover.language import gaussian, laplace, see


def until_above(threshold, answers, limit):
    """Shows which answers are at least the threshold, until ``limit`` of them are."""
    found = 0
    for answer in answers:
        if answer >= threshold:
            see("above")
            found += 1
            if found == limit:
                return
        else:
            see("below")


@prover.mechanism
def svt_laplace(queries, size=4, limit=1):
    """A sparse vector that stops after ``limit`` answers above."""
    threshold = laplace(0, rate="1/2")
    answers = ()
    for _ in range(size):
        answers = (*answers, laplace(next(queries), rate=1 / (4 * limit)))
    until_above(threshold, answers, limit)


@prover.mechanism
def svt_gauss(queries, size=3, limit=1):
    """The same with Gaussian noise."""
    threshold = gaussian(0, sigma=2)
    answers = ()
    for _ in range(size):
        answers = (*answers, gaussian(next(queries), sigma=4))
    until_above(threshold, answers, limit)


def largest_of(answers):
    """Shows the index of the largest answer."""
    best = answers[0]
    index = 0
    for place, answer in enumerate(answers):
        if place > 0 and answer > best:
            best = answer
            index = place
    see(index)


@prover.mechanism
def noisy_max(queries, size=4):
    """The index of the largest noisy answer."""
    answers = ()
    for _ in range(size):
        answers = (*answers, laplace(next(queries), rate="1/2"))
    largest_of(answers)


@prover.mechanism
def noisy_max_gauss(queries, size=3):
    """The same with Gaussian noise."""
    answers = ()
    for _ in range(size):
        answers = (*answers, gaussian(next(queries), sigma=2))
    largest_of(answers)


@prover.mechanism
def k_min_max(queries, k=3):
    """The least and the largest of k noisy answers, hidden; then the first answer that is not between."""
    answers = ()
    for _ in range(k):
        answers = (*answers, laplace(next(queries), rate=1 / (4 * k)))
    low = high = answers[0]
    for place, answer in enumerate(answers):
        if place > 0:
            if answer < low:
                low = answer
            if answer >= high:
                high = answer
    for query in queries:
        noisy = laplace(query, rate="1/4")
        if noisy < low:
            see("low")
            return
        if noisy >= high:
            see("high")
            return
        see("between")


@prover.mechanism
def m_range(queries, m=2):
    """Noisy answers to 2m queries are the borders of m ranges; then a noisy answer for each range."""
    borders = ()
    for _ in range(2 * m):
        borders = (*borders, laplace(next(queries), rate=1 / (4 * m)))
    for place in range(m):
        noisy = laplace(next(queries), rate=1 / (2 * m))
        if noisy < borders[2 * place]:
            see("low")
            return
        if noisy >= borders[2 * place + 1]:
            see("high")
            return
        see("in range")
