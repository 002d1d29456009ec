"""What proves the privacy loss distribution of a chain, in the form that certificates hold it.

For each pair of secrets it is the graph of the belief pairs that words lead to, and how often each is met
(docs/certificates.md, 3.7).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from flint import fmpq

from prover.certificate.schema import Json
from prover.chain.model import Pair
from prover.chain.secrets import Secrets
from prover.chain.unrolling.beliefs import MergedSystem
from prover.chain.unrolling.word_graph import expected_visits, explored_within
from prover.exact.fmpq import fraction_of
from prover.exact.rational import format_rational
from prover.progress import Progress, silent


def laws_evidence(
    secrets: Secrets, pairs: Iterable[Pair], width: Fraction, progress: Progress = silent
) -> Json:
    """A graph for each of these pairs of the chain; none where labels differ or states are bisimilar.

    Where not all words can be looked at, δ is known up to ``width``, if that does not take too long.
    """
    merged = secrets.merged
    merged_pairs = sorted({merged.pair(pair) for pair in pairs})
    graphs = [
        {"nodes": _nodes(secrets, merged_pair, width, progress), "pair": list(merged_pair)}
        for merged_pair in merged_pairs
        if _has_graph(merged, merged_pair)
    ]
    return {"graphs": graphs, **merged.classes_evidence()}


def laws_counted(secrets: Secrets) -> Counter[Pair]:
    """How often checkers look at the law of which pair of the quotient: once for a graph, else for every pair
    of secrets.
    """
    merged = secrets.merged
    counts = Counter(merged.pair(pair) for pair in secrets.directions)
    return Counter({pair: 1 if _has_graph(merged, pair) else counts[pair] for pair in sorted(counts)})


def _has_graph(merged: MergedSystem, merged_pair: Pair) -> bool:
    s, t = merged_pair
    return s != t and merged.system.labels[s] == merged.system.labels[t]


def _nodes(secrets: Secrets, pair: Pair, width: Fraction, progress: Progress) -> list[Json]:
    beliefs = secrets.merged.beliefs
    met = explored_within(secrets.merged, pair, width, progress)
    numbers = {id(one.belief): number for number, one in enumerate(met)}
    visits, settled = expected_visits(met)
    circles = {number for members in settled for number in members if met[number].following}
    scales = {0: fmpq(1)}
    nodes: list[Json] = []
    for number, one in enumerate(met):
        scale = scales[number]
        weight = visits.get(number, fmpq(0)) / (scale * one.belief.mass)
        node: Json = {"open" if one.is_open else "visits": format_rational(fraction_of(weight))}
        if one.following:
            entries: list[list[Any]] = []
            for after in beliefs.expansion(one.belief).successors:
                target, factor = numbers[id(after.belief)], scale * after.factor
                if target not in scales:
                    scales[target] = factor
                    entries.append([after.label, target])
                else:
                    entries.append(
                        [after.label, target, format_rational(fraction_of(factor / scales[target]))]
                    )
            node["balanced" if number in circles else "next"] = entries
        nodes.append(node)
    return nodes
