"""OpenDP's make_randomized_response_bitvec before 0.15.0: the last of the eight bits is never flipped."""

import opendp.prelude as dp

dp.enable_features("contrib")
vectors = dp.bitvector_domain(max_weight=1)
measurement = dp.m.make_randomized_response_bitvec(vectors, dp.discrete_distance(), f=0.5)

INPUTS = {"one=0": b"\x01", "one=2": b"\x80"}


def declared():
    """ε and δ, as the library states them."""
    return measurement.map(1), 0.0


def release(data):
    """What the library releases, in the words of the model: the first, the second and the last bit."""
    return [str(bool(measurement(data)[0] >> bit & 1)) for bit in (0, 1, 7)]
