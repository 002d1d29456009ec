"""The sparse vector technique and its variants, right and wrong, as in the pseudo-code of papers.

    prover privacy examples/mechanisms/sparse_vector.py:lyu_2 --const c=3

A function lyu_N is Algorithm N of Lyu, Su and Li, *Understanding the Sparse Vector
Technique for Differential Privacy*. Rates are multiples of ε.
"""

import prover
from prover.language import laplace, see


@prover.mechanism
def above_threshold(queries):
    """Stops at the first answer above a noisy threshold. The loss is (1/4 + 2·(1/2))·ε = (5/4)·ε."""
    threshold = laplace(0, rate="1/4")
    for query in queries:
        if laplace(query, rate="1/2") >= threshold:
            see("above")
            return
        see("below")


@prover.mechanism
def lyu_1(queries, c=1):
    """Algorithm 1: c answers above one threshold, with noise for c answers. The loss is ε for every c."""
    found = 0
    threshold = laplace(0, rate="1/2")
    for query in queries:
        if query + laplace(0, scale=4 * c) >= threshold:
            see("above")
            found += 1
            if found == c:
                return
        else:
            see("below")


@prover.mechanism
def lyu_2(queries, c=1):
    """Algorithm 2: a new threshold after each answer above, with noise for c thresholds. The loss is ε."""
    found = 0
    threshold = laplace(0, scale=2 * c)
    for query in queries:
        if laplace(query, scale=4 * c) >= threshold:
            see("above")
            found += 1
            if found >= c:
                break
            threshold = laplace(0, scale=2 * c)
        else:
            see("below")


@prover.mechanism
def lyu_3(queries, c=1):
    """Algorithm 3: shows the number that was compared. Not private."""
    found = 0
    threshold = laplace(0, rate="1/2")
    for query in queries:
        noisy = laplace(query, scale=2 * c)
        if noisy >= threshold:
            see(noisy)
            found += 1
            if found == c:
                return
        else:
            see("below")


@prover.mechanism
def lyu_4(queries, c=1):
    """Algorithm 4: the noise of answers does not grow with c. The loss is ((1 + 6c)/4)·ε, not ε."""
    found = 0
    threshold = laplace(0, rate="1/4")
    for query in queries:
        if laplace(query, rate="3/4") >= threshold:
            see("above")
            found += 1
            if found == c:
                return
        else:
            see("below")


@prover.mechanism
def lyu_6(queries):
    """Algorithm 6: any number of answers above. Not private."""
    threshold = laplace(0, rate="1/2")
    for query in queries:
        see("above" if laplace(query, rate="1/2") >= threshold else "below")


@prover.mechanism
def numeric_sparse(queries):
    """Shows the first answer above, with fresh noise. The loss is (5/4 + 1/2)·ε = (7/4)·ε."""
    threshold = laplace(0, rate="1/4")
    for query in queries:
        if laplace(query, rate="1/2") >= threshold:
            see(laplace(query, rate="1/2"))
            return
        see("below")


@prover.mechanism
def numeric_sparse_reused(queries):
    """The same with the noise that was compared. Not private."""
    threshold = laplace(0, rate="1/4")
    for query in queries:
        noisy = laplace(query, rate="1/2")
        if noisy >= threshold:
            see(noisy)
            return
        see("below")


@prover.mechanism
def numeric_svt(queries, n=1):
    """Shows n numbers above one threshold, each with fresh noise. The loss is ε for every n."""
    threshold = laplace(0, rate="1/3")
    left = n
    for query in queries:
        if laplace(query, rate=1 / (6 * n)) >= threshold:
            see(laplace(query, rate=1 / (3 * n)))
            left -= 1
            if left == 0:
                return
        else:
            see("below")


@prover.mechanism
def until_it_falls(queries):
    """Shows answers below the threshold, then answers above it, until one is below. Not private."""
    threshold = laplace(0, rate="1/4")
    for query in queries:
        if laplace(query, rate="1/2") >= threshold:
            see("above")
            break
        see("below")
    for query in queries:
        if laplace(query, rate="1/2") < threshold:
            see("below")
            return
        see("above")
