"""Mechanisms of OpenDP, rust/src.

prover delta examples/gallery/opendp.py:laplace_threshold --alpha 2
prover epsilon examples/gallery/opendp.py:select_private_candidate --delta 0
"""

import prover
from prover.language import choose, discrete_laplace, flip, see


@prover.protocol
def laplace_threshold(user: bool, threshold=2):
    """make_laplace_threshold for whole counts, with e^(1/scale) = 2: a key that only one user has.

    The noisy count of a key is shown if it is at least the threshold; keys without a user are never shown.
    """
    noisy = discrete_laplace(1 if user else 0, q="1/2")
    if user and noisy >= threshold:
        see(noisy)
    else:
        see("absent")


@prover.protocol
def select_private_candidate(first: bool):
    """make_select_private_candidate with stop_probability = 0: it runs until a score is at the threshold.

    The scores of the candidates "left" and "right" are, the score of the third is not.
    """
    found = "other"
    while found == "other":
        found = choose(("left", "right", "other"), (2, 4, 14) if first else (1, 8, 11))
    see(found)


@prover.protocol
def select_private_candidate_as_meant(first: bool, stop="1/10"):
    """The same where the score of a run is at the threshold with probability 2/3 or 1/3.

    After each other score it stops with probability ``stop``, as the documentation says.
    """
    going = True
    while going:
        if flip("2/3" if first else "1/3"):
            see("above")
            return
        going = not flip(stop)
    see("nothing")


@prover.protocol
def randomised_response_bool(answer: bool):
    """make_randomized_response_bool with prob = 3/4."""
    see(answer if flip("3/4") else not answer)


@prover.protocol
def randomised_response(answer: range(3)):
    """make_randomized_response with prob = 1/2 and three categories."""
    others = (answer + 1) % 3, (answer + 2) % 3
    see(answer if flip() else choose(others))


@prover.protocol
def bit_vector(one: range(3)):
    """make_randomized_response_bitvec with f = 1/2: vectors of three bits, one of which is 1."""
    for bit in range(3):
        see((bit == one) != flip("1/4"))


@prover.protocol
def bit_vector_before_0_15(one: range(3)):
    """The same before version 0.15.0, which never flips the last bit."""
    for bit in range(2):
        see((bit == one) != flip("1/4"))
    see(one == 2)
