"""diffprivlib's Geometric, seeded, so that it releases the same again."""

from math import log

from diffprivlib.mechanisms import Geometric

mechanism = Geometric(epsilon=log(2), random_state=1)

INPUTS = {"more=True": 1, "more=False": 0}


def declared():
    """ε and δ, as the library states them."""
    return mechanism.epsilon, mechanism.delta


def release(data):
    """What the library releases, in the words of the model."""
    return [str(mechanism.randomise(data))]
