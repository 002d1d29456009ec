"""Chains that are composed."""

from __future__ import annotations

from fractions import Fraction

from prover.chain.model import LabelledMarkovChain

F = Fraction


def asymmetric() -> LabelledMarkovChain:
    """Three secrets, of which different pairs are the worst at different α, and directions differ."""
    end = {x: (x, {x: F(1)}) for x in "xyz"}
    rows = {
        "s": {"x": F(1, 2), "y": F(1, 2)},
        "t": {"x": F(1, 4), "y": F(3, 4)},
        "u": {"x": F(9, 20), "y": F(1, 2), "z": F(1, 20)},
    }
    states = end | {name: ("a", row) for name, row in rows.items()}
    return LabelledMarkovChain.of(states, [("s", "t"), ("s", "u")])
