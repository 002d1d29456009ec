"""Clusters of nearly bisimilar states: what they have in common bounds the distances of all their pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .chains import Chain, Pair
from .reading import BadEvidence, Json, RuleBroken, ascending, at, demand, lists, natural, typed

Members = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Clusters:
    """The states of every cluster, and the number and value of the cluster of every state that has one."""

    members: Members
    within: Mapping[int, Pair]

    def value(self, pair: Pair) -> int | None:
        """The value of the cluster that has both states, if there is one."""
        found = self.within.get(pair[0])
        return found[1] if found is not None and found == self.within.get(pair[1]) else None


NO_CLUSTERS = Clusters((), {})


def read_clusters(chain: Chain, value: Json, denominator: int) -> Clusters:
    members, within = list[Sequence[int]](), dict[int, Pair]()
    for n, (listed, numerator) in enumerate(lists(value, 2)):
        states, c = chain.each_state(typed(listed, list)), natural(numerator)
        ascending(states, BadEvidence, "states")
        demand(len(states) > 1, BadEvidence, "a cluster has fewer than two states")
        demand(len({chain.labels[s] for s in states}) == 1, BadEvidence, "a cluster has two labels")
        demand(c <= denominator, BadEvidence, "the value of a cluster is above 1")
        members.append(states)
        within.update(dict.fromkeys(states, (n, c)))
    ascending([states[0] for states in members], BadEvidence, "clusters")
    demand(len(within) == sum(map(len, members)), BadEvidence, "a state is in two clusters")
    return Clusters(members, within)


def clusters_rule(chain: Chain, clusters: Clusters, denominator: int) -> None:
    here = at()
    with here:
        for n, states in enumerate(clusters.members):
            here.place = "cluster", n
            cluster_rule(chain, clusters.within, states, denominator)


def cluster_rule(chain: Chain, within: Mapping[int, Pair], states: Sequence[int], denominator: int) -> None:
    """Σ_k m_k (1 − c_k) ≥ 1 − c, where m_k is the least μ_s(k) of its states s, for clusters k and for the
    states k outside all of them, whose c_k is 0."""
    budget, wholes = chain.budget, [chain.wholes[s] for s in states]
    unit, longest = budget.denominator(wholes), max(wholes).bit_length()
    budget.spend(2 * sum([len(chain.rows[s]) for s in states]), unit.bit_length(), longest)
    budget.spend(len(chain.rows[states[0]]) + 2, unit.bit_length(), denominator.bit_length())
    shared: dict[Pair, int] = {}
    for s, whole in zip(states, wholes, strict=True):
        mass, times = defaultdict[Pair, int](int), unit // whole
        for t, n in chain.rows[s].items():
            mass[within.get(t) or (-1 - t, 0)] += n * times
        shared = {k: min(n, mass[k]) for k, n in shared.items() if k in mass} if s != states[0] else mass
    gain = sum([n * (denominator - c) for (_, c), n in shared.items()])
    if gain < (denominator - within[states[0]][1]) * unit:
        raise RuleBroken("its states have less in common")
