"""The mechanisms of CheckDP's examples, as they are published, in our own words.

    prover privacy benchmarks/field/checkdp.py:noisymax --const size=5

Wang, Ding, Kifer and Zhang, *CheckDP: An Automated and Integrated Approach for Proving Differential Privacy
or Finding Precise Counterexamples* (CCS 2020). ``limit`` is their N, the answers above the threshold that are
allowed, and ``size`` the number of queries where a mechanism reads a fixed number. Rates are multiples of ε.
"""

import prover
from prover.language import laplace, see


def answers(queries, threshold, scale, limit):
    """Shows of each query whether it is above a threshold, until ``limit`` of them are."""
    count = 0
    for query in queries:
        if laplace(query, scale=scale) >= threshold:
            see("above")
            count += 1
            if count == limit:
                return
        else:
            see("below")


@prover.mechanism
def sparsevector(queries, border=0, limit=1):
    """Above or below a noisy threshold, until ``limit`` answers are above. Published: ε."""
    answers(queries, laplace(border, scale=2), 4 * limit, limit)


@prover.mechanism
def svt_monotonic(queries, border=0, limit=1):
    """The same with half the noise of queries, for queries that all rise, or all fall. Published: ε."""
    answers(queries, laplace(border, scale=2), 2 * limit, limit)


@prover.mechanism
def gapsparsevector(queries, border=0, limit=1):
    """Answers above come with their distance from the noisy threshold. Published: ε."""
    threshold = laplace(border, scale=2)
    count = 0
    for query in queries:
        noisy = laplace(query, scale=4 * limit)
        if noisy >= threshold:
            see(noisy - threshold)
            count += 1
            if count == limit:
                return
        else:
            see("below")


@prover.mechanism
def numsparsevector(queries, border=0, limit=1):
    """Answers above come as a number with fresh noise. Published: ε."""
    threshold = laplace(border, scale=3)
    count = 0
    for query in queries:
        if laplace(query, scale=6 * limit) >= threshold:
            see(laplace(query, scale=3 * limit))
            count += 1
            if count == limit:
                return
        else:
            see("below")


@prover.mechanism
def adaptivesparsevector(queries, border=0, limit=1):
    """Far above, with much noise; else above, with less; the gaps are shown. Published: ε."""
    threshold = laplace(border, scale=2)
    cost = 2 * limit
    for query in queries:
        far = laplace(query, scale=8 * limit)
        if far - 16 >= threshold:
            see(far - threshold)
            cost += 1
        else:
            near = laplace(query, scale=4 * limit)
            if near >= threshold:
                see(near - threshold)
                cost += 2
            else:
                see("below")
        if cost > 4 * limit - 2:
            return


@prover.mechanism
def noisymax(queries, size=3):
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
def partialsum(queries, size=3):
    """The noisy sum of all queries. Published: ε, where one query differs."""
    total = 0
    for _ in range(size):
        total += next(queries)
    see(laplace(total, scale=1))


@prover.mechanism
def smartsum(queries, block=2, size=4):
    """Noisy sums of beginnings, in blocks: at the end of a block a noisy sum of the block. Published: 2ε."""
    following = 0
    total = 0
    for place in range(size):
        query = next(queries)
        if (place + 1) % block == 0:
            following = laplace(total + query, scale=1)
            total = 0
        else:
            following = laplace(following + query, scale=1)
            total = total + query
        see(following)


@prover.mechanism
def badsparsevector1(queries, border=0):
    """No noise on the queries, and no limit. Published: a violation of ε."""
    threshold = laplace(border, scale=2)
    for query in queries:
        see("above" if query >= threshold else "below")


@prover.mechanism
def badsparsevector2(queries, border=0):
    """No limit to the answers above. Published: a violation of ε."""
    threshold = laplace(border, scale=2)
    for query in queries:
        see("above" if laplace(query, scale=2) >= threshold else "below")


@prover.mechanism
def badsparsevector3(queries, border=0, limit=1):
    """The noise of the queries does not grow with the limit. Published: a violation of ε."""
    answers(queries, laplace(border, scale=4), "4/3", limit)


@prover.mechanism
def badgapsparsevector(queries, border=0, limit=1):
    """Answers above come as the number that was compared. Published: a violation of ε."""
    threshold = laplace(border, scale=2)
    count = 0
    for query in queries:
        noisy = laplace(query, scale=4 * limit)
        if noisy >= threshold:
            see(noisy)
            count += 1
            if count == limit:
                return
        else:
            see("below")


@prover.mechanism
def badadaptivesparsevector(queries, border=0, limit=1):
    """As the adaptive one, but shows the number that was compared. Published: a violation of ε."""
    threshold = laplace(border, scale=2)
    cost = 2 * limit
    for query in queries:
        far = laplace(query, scale=8 * limit)
        if far - 16 >= threshold:
            see(far)
            cost += 1
        else:
            near = laplace(query, scale=4 * limit)
            if near >= threshold:
                see(near - threshold)
                cost += 2
            else:
                see("below")
        if cost > 4 * limit - 2:
            return


@prover.mechanism
def badnoisymax(queries, size=3):
    """The largest noisy answer itself. Published: a violation of ε."""
    best = laplace(next(queries), scale=2)
    for _ in range(1, size):
        noisy = laplace(next(queries), scale=2)
        if noisy > best:
            best = noisy
    see(best)


@prover.mechanism
def badpartialsum(queries, size=3):
    """The sum with half the noise. Published: a violation of ε, where one query differs."""
    total = 0
    for _ in range(size):
        total += next(queries)
    see(laplace(total, scale="1/2"))


@prover.mechanism
def badsmartsum(queries, block=2, size=4):
    """No noise at the end of a block. Published: a violation of 2ε."""
    following = 0
    total = 0
    for place in range(size):
        query = next(queries)
        if (place + 1) % block == 0:
            following = total + query
            total = 0
        else:
            following = laplace(following + query, scale=1)
            total = total + query
        see(following)
