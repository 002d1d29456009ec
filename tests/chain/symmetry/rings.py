"""Random chains that a rotation leaves as they are."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from prover.chain.model import LabelledMarkovChain


def ring(seed: int, *, turning_labels: bool = False) -> tuple[LabelledMarkovChain, tuple[int, ...]]:
    """A chain of states (kind, place), in a random order, and the rotation of places by one.

    With ``turning_labels`` some labels go round with the states, else they depend on the kind alone.
    """
    random = Random(seed)
    kinds, places = random.randint(2, 3), random.randint(2, 4)
    names = {(kind, place): f"{random.random()}" for kind in range(kinds) for place in range(places)}
    rows = {}
    for kind in range(kinds):
        offsets = [(random.randrange(kinds), random.randrange(places)) for _ in range(3)]
        chances = {offset: f"{w}/6" for offset, w in zip(dict.fromkeys(offsets), (1, 2, 3), strict=False)}
        rest = 6 - sum(int(chance[0]) for chance in chances.values())
        for place in range(places):
            row = {names[other, (place + turn) % places]: p for (other, turn), p in chances.items()}
            if rest:
                row["end"] = f"{rest}/6"
            label = f"{place}" if turning_labels and kind > 0 else "a" if kind < 2 else "b"
            rows[names[kind, place]] = (label, row)
    rows["end"] = ("end", {"end": "1"})
    chain = LabelledMarkovChain.of(rows)
    turned = {names[kind, place]: names[kind, (place + 1) % places] for kind, place in names} | {"end": "end"}
    return chain, tuple(chain.index(turned[name]) for name in chain.states)


def rings() -> SearchStrategy[tuple[LabelledMarkovChain, tuple[int, ...]]]:
    """Rings of both kinds."""
    return st.builds(ring, st.integers(0, 2**32 - 1), turning_labels=st.booleans())
