"""Detours: paths of several arcs within a label that are cheaper than all of fewer arcs.

Where there are none, potentials of some states extend to the others of their label as soon as they keep the
arcs between themselves; in general they have to keep the detours, too. Reference: docs/theory.md, *Detours*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from prover.chain.ld.paths.free_states import LabelDistances, clear_margin, integers
from prover.chain.model import Pair
from prover.exact.field import approximate_power, approximately


@dataclass(frozen=True, slots=True)
class Detour:
    """A path of two arcs or more: what becomes of a unit, and its cost, in floating point, and exactly, times
    the label's denominator.
    """

    arcs: int
    gain: float
    near: float
    cost: fmpq


Detours = Mapping[Pair, tuple[Detour, ...]]
"""From a state to another one, by increasing numbers of arcs and decreasing costs."""


def label_detours(label: LabelDistances, alpha: fmpq) -> Detours:
    """The detours of a label that cost less than 1: c_2(i,j) = min_k d(i,k) + α d(k,j), and so on.

    Floats sort out what costs clearly more than fewer arcs; integers decide the rest.
    """
    p, q, slope, clear = int(alpha.p), int(alpha.q), approximately(alpha), clear_margin(alpha)
    arcs, unit = 1, label.denominator
    least, cheapest = np.minimum(label.near, 1.0), _as_integers(label)  # of all paths so far, over the unit
    longest, costs = label.near, cheapest  # of the last number of arcs, where these are the cheapest
    found: dict[Pair, list[Detour]] = {}
    while np.isfinite(longest).any():
        arcs, unit = arcs + 1, unit * q
        kind, gain = integers((p + q) * unit), approximate_power(slope, arcs)
        first = label.numerators.astype(kind) * q ** (arcs - 1)
        cheapest, costs = cheapest.astype(kind) * q, costs.astype(kind) * p
        rest = slope * longest
        through = _cheapest_through(label.near, rest)
        longer, numerators = np.full(through.shape, np.inf), np.zeros(through.shape, dtype=kind)
        for a, b in np.argwhere(np.isfinite(through) & (through < least + clear)).tolist():
            sums = label.near[a] + rest[:, b]
            close = np.flatnonzero(np.isfinite(sums) & (sums <= through[a, b] + clear))
            cost = int((first[a, close] + costs[close, b]).min())
            if cost < cheapest[a, b]:
                cheapest[a, b] = numerators[a, b] = cost
                least[a, b] = longer[a, b] = cost / unit
                detour = Detour(arcs, gain, cost / unit, fmpq(cost, q ** (arcs - 1)))
                found.setdefault((label.states[a], label.states[b]), []).append(detour)
        longest, costs = longer, numerators
    return {pair: tuple(ways) for pair, ways in found.items()}


def _as_integers(label: LabelDistances) -> Any:
    """The distances over the label's denominator, 1 included."""
    return np.where(np.isfinite(label.near), label.numerators, label.denominator)


def _cheapest_through(first: Any, rest: Any) -> Any:
    """min_k first(i,k) + rest(k,j), for i other than j."""
    best = np.full(first.shape, np.inf)
    for k in np.flatnonzero(np.isfinite(rest).any(axis=1)).tolist():
        np.minimum(best, first[:, k, None] + rest[k], out=best)
    np.fill_diagonal(best, np.inf)
    return best
