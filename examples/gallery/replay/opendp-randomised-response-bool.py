"""OpenDP's make_randomized_response_bool."""

import opendp.prelude as dp

dp.enable_features("contrib")
measurement = dp.m.make_randomized_response_bool(prob=0.75)

INPUTS = {"answer=True": True, "answer=False": False}


def declared():
    """ε and δ, as the library states them."""
    return measurement.map(1), 0.0


def release(data):
    """What the library releases, in the words of the model."""
    return [str(measurement(data))]
