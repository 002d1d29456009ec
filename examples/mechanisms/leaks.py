"""Small mistakes, each with the structure that lets the privacy loss grow without bound.

prover privacy examples/mechanisms/leaks.py:falling --witness
"""

import prover
from prover.language import laplace, see


@prover.mechanism
def falling(queries):
    """A loop compares each number with the one it stored in the round before: a leaking cycle."""
    last = laplace(0, rate="1/4")
    for query in queries:
        noisy = laplace(query, rate="1/2")
        if noisy >= last:
            see("no longer")
            return
        last = noisy
        see("falling")


@prover.mechanism
def down_then_up(queries):
    """A loop shows "below", then another shows "above" for a higher threshold: a leaking pair."""
    threshold = laplace(0, rate="1/4")
    for query in queries:
        noisy = laplace(query, rate="1/2")
        if noisy >= threshold:
            threshold = noisy
            see("above")
            break
        see("below")
    for query in queries:
        if laplace(query, rate="1/2") < threshold:
            see("below")
            return
        see("above")


@prover.mechanism
def shows_numbers(queries):
    """A loop shows a noisy number for every query: a disclosing cycle."""
    threshold = laplace(0, rate="1/4")
    for query in queries:
        if laplace(query, rate="1/2") >= threshold:
            see("above")
            return
        see(laplace(query, rate="1/2"))


@prover.mechanism
def tells_the_threshold(queries):
    """Shows the threshold, and then compares with it in a loop: a privacy violating path."""
    threshold = laplace(0, rate="1/4")
    see(threshold)
    for query in queries:
        if laplace(query, rate="1/2") < threshold:
            see("below")
            return
        see("above")
