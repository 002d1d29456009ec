"""What formulas need to know of a chain: the pairs that a question depends on, and the lifting of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain as joined

from prover.chain.ld.problem import explore, states_by_label
from prover.chain.ld.transport import balance
from prover.chain.model import LabelledMarkovChain, Pair

_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Lifted:
    """The lifting K(d)(μ_source, μ_target) of a pair, with b = μ_source − α μ_target.

    ``lost`` is what labels contribute in which no state has b < 0; labels in which no state has b > 0
    contribute nothing. The states of the others are ``groups``, also those in no support: mass may pass
    through any of them. ``x``, ``y`` are the two distributions and ``gains`` is b, for the states of groups.
    """

    source: int
    target: int
    lost: Fraction
    groups: tuple[tuple[int, ...], ...]
    x: Mapping[int, Fraction]
    y: Mapping[int, Fraction]
    gains: Mapping[int, Fraction]

    @property
    def states(self) -> tuple[int, ...]:
        """The states of all groups."""
        return tuple(sorted(joined.from_iterable(self.groups)))

    @property
    def arcs(self) -> tuple[Pair, ...]:
        """The pairs of equal label within the groups."""
        return tuple((i, j) for group in self.groups for i in group for j in group if i != j)

    @property
    def bound(self) -> tuple[int, ...]:
        """The states of groups with b ≠ 0."""
        return tuple(k for k in self.states if self.gains[k] != 0)


def lifted(chain: LabelledMarkovChain, alpha: Fraction, pair: Pair) -> Lifted:
    """The lifting of any pair of states."""
    source, target = pair
    x, y = chain.rows[source], chain.rows[target]
    gains = balance(x, y, alpha)
    lost, groups = _ZERO, []
    for states in states_by_label(chain.labels).values():
        above = [gains[k] for k in states if gains.get(k, _ZERO) > 0]
        if above and any(gains.get(k, _ZERO) < 0 for k in states):
            groups.append(states)
        else:
            lost += sum(above, _ZERO)
    kept = {k for group in groups for k in group}
    return Lifted(
        source,
        target,
        lost,
        tuple(groups),
        {k: x.get(k, _ZERO) for k in kept},
        {k: y.get(k, _ZERO) for k in kept},
        {k: gains.get(k, _ZERO) for k in kept},
    )


def dependent_pairs(
    chain: LabelledMarkovChain, alpha: Fraction, queries: Iterable[Pair], *, both_ways: bool = False
) -> tuple[Pair, ...]:
    """The ordered pairs that the queried pairs depend on, over all states of the chain, in order."""
    return tuple(explore(chain, alpha, queries, both_ways=both_ways).parts)


def all_alike_pairs(chain: LabelledMarkovChain) -> tuple[Pair, ...]:
    """All ordered pairs of two different states of equal label, in order."""
    states = range(len(chain))
    return tuple((i, j) for i in states for j in states if i != j and chain.labels[i] == chain.labels[j])
