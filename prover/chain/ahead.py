"""Bounds of distances in large chains that come before anything else: from nearly bisimilar states, from few
pairs, and from one event.

They cost a few seconds, and work is counted, not time: the same question has the same bounds.
Reference: docs/theory.md, *Certified intervals*, *Clusters of nearly bisimilar states*, *Events below
distances*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from prover.chain.ld.certificates import upper_evidence
from prover.chain.ld.clusters import MANY_QUERIES, MANY_STATES, Clusters, clusters_of_many
from prover.chain.ld.found import TRIVIAL, DistanceQuestion, FoundBounds, largest
from prover.chain.ld.interval import UpperTable
from prover.chain.ld.nearby import Nearby
from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.unrolling.lower_ends import LowerEnds, one_event
from prover.progress import Progress

_STAGES = ((0, 10_000), (100_000, 60_000), (1_000_000, 320_000))
"""Arcs to compare before bounds are looked at, again and again, in chains with so many pairs or more."""

_WORK_OF_TABLES = 60_000  # the same for all pairs, at once

_MOST_FOLLOWED = 120_000  # arcs to compare on ways from queried pairs without a bound


def ahead(
    chain: LabelledMarkovChain,
    question: DistanceQuestion,
    alpha: Fraction,
    queries: Sequence[Pair],
    progress: Progress,
    on_interval: Callable[[FoundBounds], None],
    *,
    size: int,
) -> FoundBounds:
    """Bounds of the queried pairs, the largest distance of which is asked for, or all; reported on the way.

    ``size`` is how many ordered pairs of states of equal label the chain has.

    Above are clusters, where many pairs of a large chain are queried, and couplings of few pairs; below is an
    event of the first pair. Where only upper bounds are wanted, it is looked for only as long as no bound is
    below 1: there may be none.
    """
    found, both_ways = TRIVIAL, question.kind == "bd"
    clusters = None if question.all_pairs else clusters_of_many(chain, queries)
    if clusters is not None:
        found = _with_clusters(found, clusters)
        on_interval(found)
    near = Nearby(chain, alpha, queries, both_ways=both_ways)
    stages = [work for least, work in _STAGES if size >= least]
    # Events of all queried pairs are found late, where they are not only for upper bounds.
    late = len(queries) >= MANY_QUERIES or len(chain) >= MANY_STATES
    for place, work in enumerate([_WORK_OF_TABLES] if question.all_pairs else stages):
        goes_on = near.look(work)
        table = near.bounds()
        if not question.all_pairs and near.open_queries():
            near.follow(_MOST_FOLLOWED)
            table = near.bounds()
        progress("couplings (pairs)", len(table.couplings), None)
        if table.couplings and (question.all_pairs or not near.open_queries()):
            coupled = _with_couplings(found, table)
            if clusters is None or largest(coupled.upper, queries) < largest(found.upper, queries):
                found = coupled
                on_interval(found)
        wanted = found is TRIVIAL if question.upper_only else late
        if place == 0 and wanted and not question.all_pairs:
            first = next((s, t) for s, t in queries if s != t)
            event = one_event(chain, first, alpha, both_ways=both_ways, progress=progress)
            if event.value(first) > 0:
                found = _with_event(found, event)
                on_interval(found)
        if not goes_on or largest(found.lower, queries) == 1:
            break
    return found


def _with_clusters(found: FoundBounds, clusters: Clusters) -> FoundBounds:
    """The same with what clusters say above."""
    evidence = found.evidence
    return replace(
        found,
        upper=clusters.value,
        engine="refinement",
        evidence=lambda: {**evidence(), "upper": clusters.evidence()},
    )


def _with_couplings(found: FoundBounds, table: UpperTable) -> FoundBounds:
    """The same with what a table says above."""
    values, evidence = table.table, found.evidence

    def upper(pair: Pair) -> Fraction:
        return values.value(pair) if pair in values.numerators else Fraction(1)

    return replace(
        found, upper=upper, engine="lp", evidence=lambda: {**evidence(), "upper": upper_evidence(table)}
    )


def _with_event(found: FoundBounds, event: LowerEnds) -> FoundBounds:
    """The same with what an event gains below."""
    evidence = found.evidence
    return replace(
        found,
        lower=event.value,
        engine="unrolling" if found is TRIVIAL else found.engine,
        evidence=lambda: {**evidence(), "lower": event.evidence()},
        from_delta=True,
    )
