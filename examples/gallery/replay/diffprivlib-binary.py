"""diffprivlib's Binary, seeded, so that it releases the same again."""

from math import log

from diffprivlib.mechanisms import Binary

mechanism = Binary(epsilon=log(2), value0="False", value1="True", random_state=1)

INPUTS = {"value=True": "True", "value=False": "False"}


def declared():
    """ε and δ, as the library states them."""
    return mechanism.epsilon, mechanism.delta


def release(data):
    """What the library releases, in the words of the model."""
    return [str(mechanism.randomise(data))]
