"""diffprivlib's GeometricTruncated, seeded, so that it releases the same again."""

from math import log

from diffprivlib.mechanisms import GeometricTruncated

mechanism = GeometricTruncated(epsilon=log(2), lower=0, upper=3, random_state=1)

INPUTS = {"more=True": 2, "more=False": 1}


def declared():
    """ε and δ, as the library states them."""
    return mechanism.epsilon, mechanism.delta


def release(data):
    """What the library releases, in the words of the model."""
    return [str(mechanism.randomise(data))]
