"""Mechanisms of the book Hands-On Differential Privacy, scripts/.

prover privacy examples/gallery/hands_on.py:sparse_vector --adjacency monotonic
prover epsilon examples/gallery/hands_on.py:private_selection --delta 0
"""

import prover
from prover.language import choose, flip, laplace, see


@prover.mechanism
def sparse_vector(queries, count=3):
    """make_sparse_vector: the threshold is drawn again after each query above it; the unit is 1/scale."""
    found = 0
    threshold = laplace(0, rate=1)
    for query in queries:
        if laplace(query, rate="1/2") >= threshold:
            see("above")
            found += 1
            if found == count:
                return
            threshold = laplace(0, rate=1)
        else:
            see("below")


@prover.protocol
def randomised_response(answer: range(3)):
    """make_randomized_response_multi with p = 1/2 and three possible answers."""
    others = (answer + 1) % 3, (answer + 2) % 3
    see(answer if flip() else choose(others))


def scored(first):
    """A measurement whose outputs, scores, have probabilities that differ by factors of 2 at most."""
    return choose((0, 1, 2), (37, 3, 20)) if first else choose((0, 1, 2), (37, 3, 80))


@prover.protocol
def private_selection(first: bool, stop="1/10"):
    """make_pspc_geometric: the largest score of 1 + k runs, where numpy's geometric k is 1 or more."""
    best = scored(first)
    going = True
    while going:
        best = max(best, scored(first))
        going = not flip(stop)
    see(best)


@prover.protocol
def private_selection_as_meant(first: bool, stop="1/10"):
    """The same with k runs: the number of runs is geometric, from 1 on."""
    best = 0
    going = True
    while going:
        best = max(best, scored(first))
        going = not flip(stop)
    see(best)
