"""The mechanisms of DP-Sniper's evaluation, as they are published, in our own words.

    prover privacy benchmarks/field/dpsniper.py:svt3 --const limit=1

Bichsel, Steffen, Bogunovic and Vechev, *DP-Sniper: Black-Box Discovery of Differential Privacy Violations
using Classifiers* (S&P 2021). Lists have 5 or 10 queries, as in the evaluation. Rates are multiples of ε,
which is 1/10 there. The maximum and its index with either noise are those of statdp.py.
"""

import prover
from prover.language import Query, choose, flip, laplace, see


@prover.mechanism
def laplace_mechanism(query: Query):
    """One noisy answer. Declared: ε."""
    see(laplace(query, scale=1))


@prover.mechanism
def noisy_hist1(queries, size=5):
    """Noisy counts. Declared: ε, where one count differs."""
    for _ in range(size):
        see(laplace(next(queries), scale=1))


@prover.mechanism
def noisy_hist2(queries, size=5):
    """Noisy counts with noise of scale ε in place of 1/ε. Declared: ε."""
    for _ in range(size):
        see(laplace(next(queries), scale="epsilon"))


def answers(queries, threshold, scale, limit, size):
    """Shows of ``size`` queries whether each is above a threshold, until ``limit`` of them are."""
    count = 0
    for _ in range(size):
        if laplace(next(queries), scale=scale) >= threshold:
            see("above")
            count += 1
            if count == limit:
                return
        else:
            see("below")


@prover.mechanism
def svt1(queries, border=0, limit=1, size=10):
    """Algorithm 1 of Lyu, Su and Li. Declared: ε."""
    answers(queries, laplace(border, scale=2), 4 * limit, limit, size)


@prover.mechanism
def svt2(queries, border=0, limit=1, size=10):
    """Algorithm 2: a new threshold after each answer above. Declared: ε."""
    threshold = laplace(border, scale=2 * limit)
    above = 0
    for _ in range(size):
        if laplace(next(queries), scale=4 * limit) >= threshold:
            see("above")
            above += 1
            if above == limit:
                return
            threshold = laplace(border, scale=2 * limit)
        else:
            see("below")


@prover.mechanism
def svt3(queries, border=0, limit=1, size=10):
    """Algorithm 3: the number that was compared is shown. A violation for lists of any length."""
    threshold = laplace(border, scale=2)
    above = 0
    for _ in range(size):
        noisy = laplace(next(queries), scale=2 * limit)
        if noisy >= threshold:
            see(noisy)
            above += 1
            if above == limit:
                return
        else:
            see("below")


@prover.mechanism
def svt4(queries, border=0, limit=1, size=10):
    """Algorithm 4: the noise of queries does not grow with the limit. A violation of ε."""
    answers(queries, laplace(border, scale=4), "4/3", limit, size)


@prover.mechanism
def svt5(queries, border=0, size=10):
    """Algorithm 5: no noise on the queries. A violation of ε."""
    threshold = laplace(border, scale=2)
    for _ in range(size):
        see("above" if next(queries) >= threshold else "below")


@prover.mechanism
def svt6(queries, border=0, size=10):
    """Algorithm 6: no limit to the answers above. A violation of ε."""
    threshold = laplace(border, scale=2)
    for _ in range(size):
        see("above" if laplace(next(queries), scale=2) >= threshold else "below")


@prover.mechanism
def svt34_parallel(queries, border=0, limit=2, size=10):
    """Algorithms 3 and 4 side by side on the same queries. A violation of ε."""
    third = laplace(border, scale=2)
    fourth = laplace(border, scale=4)
    shown = 0
    above = 0
    for _ in range(size):
        query = next(queries)
        if shown < limit:
            noisy = laplace(query, scale=2 * limit)
            if noisy >= third:
                see(noisy)
                shown += 1
            else:
                see("below")
        if above < limit:
            if laplace(query, scale="4/3") >= fourth:
                see("above")
                above += 1
            else:
                see("below")


@prover.mechanism
def laplace_parallel(query: Query, copies=20):
    """The same query with fresh noise, twenty times. Declared: 20·ε (each has the twentieth part)."""
    for _ in range(copies):
        see(laplace(query, scale=1))


@prover.mechanism
def prefix_sum(queries, size=10):
    """Sums of the first noisy answers: the noise adds up with them. Declared: ε, where one query differs."""
    total = laplace(next(queries), scale=1)
    see(total)
    for _ in range(1, size):
        total += laplace(next(queries), scale=1)
        see(total)


@prover.mechanism
def numerical_svt(queries, border=0, limit=2, size=10):
    """Answers above come as a number with fresh noise. Declared: ε."""
    threshold = laplace(border, scale=3)
    above = 0
    for _ in range(size):
        query = next(queries)
        if laplace(query, scale=6 * limit) >= threshold:
            see(laplace(query, scale=3 * limit))
            above += 1
            if above == limit:
                return
        else:
            see("below")


@prover.protocol
def truncated_geometric(count, size=5, ratio=8):
    """A count of ``size`` people with geometric noise, cut at both ends. Declared: ln(1 + 1/ratio)."""
    weights = ()
    below = 0
    for number in range(size + 1):
        if number == size:
            upto = (2 * ratio + 1) * (ratio + 1) ** (size - 1)
        elif number < count:
            upto = ratio ** (count - number) * (ratio + 1) ** (size - count + number)
        else:
            rest = ratio ** (number - count + 1) * (ratio + 1) ** (size - 1 - number + count)
            upto = (2 * ratio + 1) * (ratio + 1) ** (size - 1) - rest
        weights += (upto - below,)
        below = upto
    see(choose(range(size + 1), weights))


@prover.protocol
def one_time_rappor(value, lies="19/20", bits=20):
    """A filter of bits, of which a value sets four, with a lasting lie. Declared: 8·ln((2 − lies)/lies)."""
    for place in range(bits):
        see(flip() if flip(lies) else value <= place < value + 4)


@prover.protocol
def rappor(value, lies="3/4", zeros="9/20", ones="11/20", bits=20):
    """The same, then a coin for each report."""
    for place in range(bits):
        bit = value <= place < value + 4
        if flip(lies):
            bit = flip()
        see(flip(ones) if bit else flip(zeros))
