"""SmartNoise SQL's policy_laplace for eleven users with up to two items, and without the sixth of them."""

from math import log

import pandas
from snsql.sql.dpsu import policy_laplace

EPSILON, DELTA = log(4), 1 / 128
USERS = ["a", "a", "a", "a", "a", "a", "ac", "ax", "ax", "x", "x"]

INPUTS = {"user=True": USERS, "user=False": [*USERS[:5], "", *USERS[6:]]}


def declared():
    """ε and δ, as the caller of the library states them."""
    return EPSILON, DELTA


def release(data):
    """What the library releases, in the words of the model: are x and c there?"""
    rows = [(f"user {number:02}", item) for number, items in enumerate(data) for item in items]
    table = pandas.DataFrame(rows, columns=["user", "group_cols"])
    shown = set(policy_laplace(table, EPSILON, DELTA, 2)["group_cols"])
    return [item if item in shown else f"no {item}" for item in "xc"]
