"""OpenDP's make_randomized_response with three categories."""

import opendp.prelude as dp

dp.enable_features("contrib")
measurement = dp.m.make_randomized_response(categories=["0", "1", "2"], prob=0.5)

INPUTS = {"answer=0": "0", "answer=1": "1"}


def declared():
    """ε and δ, as the library states them."""
    return measurement.map(1), 0.0


def release(data):
    """What the library releases, in the words of the model."""
    return [measurement(data)]
